// Publishers made of values.

struct FlatMap<Upstream: Publisher, Inner: Publisher>: Publisher
where Inner.Failure == Upstream.Failure {
  typealias Output = Inner.Output
  typealias Failure = Upstream.Failure

  let upstream: Upstream
  let isLatest: Bool
  let transform: (Upstream.Output) -> Inner

  func subscribe<Downstream: Subscriber>(_ downstream: Downstream) -> (any Cancellable)?
  where Downstream.Input == Output, Downstream.Failure == Failure {
    let gate = Gate(downstream)
    gate.connect {
      upstream.subscribe(
        FlatMapSink(
          gate: gate, input: $0, latest: isLatest ? Box(nil) : nil, transform: transform))
    }
    return gate.isActive ? gate : nil
  }
}

struct FlatMapSink<Input, Inner: Publisher, Downstream: Subscriber>: Subscriber
where Downstream.Input == Inner.Output, Downstream.Failure == Inner.Failure {
  typealias Failure = Downstream.Failure

  let gate: Gate<Downstream>
  let input: GateInput
  /// The inner publisher to be replaced by the next; nil if all of them stay.
  let latest: Box<GateInput?>?
  let transform: (Input) -> Inner

  func receive(_ value: Input) -> Bool {
    guard input.isOpen else { return false }
    let publisher = transform(value)
    if let latest, let last = unsafe latest.value.take() { gate.close(last) }
    gate.connect { inner in
      unsafe latest?.value = inner
      return publisher.subscribe(InnerSink(gate: gate, input: inner))
    }
    return gate.isActive
  }

  func finish(_ completion: Completion<Failure>) {
    guard gate.close(input) else { return }
    if completion.isFailure || gate.openInputs == 0 { gate.finish(completion) }
  }
}

/// The sink of a publisher that takes the place of a value, or of a failure.
struct InnerSink<Downstream: Subscriber>: Subscriber {
  typealias Input = Downstream.Input
  typealias Failure = Downstream.Failure

  let gate: Gate<Downstream>
  let input: GateInput

  func receive(_ value: Input) -> Bool { input.isOpen && gate.send(value) && input.isOpen }

  func finish(_ completion: Completion<Failure>) {
    guard gate.close(input) else { return }
    if completion.isFailure || gate.openInputs == 0 { gate.finish(completion) }
  }
}

extension Publisher {
  /// Sends what the publishers send that a closure makes of the values, as it comes.
  ///
  /// - It finishes when this and all of them have finished.
  /// - It fails when the first of them fails, and cancels the others.
  public func flatMap<Inner: Publisher>(
    _ transform: @escaping (Output) -> Inner
  ) -> some Publisher<Inner.Output, Failure> where Inner.Failure == Failure {
    FlatMap(upstream: self, isLatest: false, transform: transform)
  }
}

extension Publisher where Output: Publisher, Output.Failure == Failure {
  /// Sends what the latest of the publishers sends that arrive; the one before is cancelled.
  ///
  /// - Nothing that a publisher sends once the next has arrived is delivered.
  /// - It finishes when this and the latest have finished, and fails when one of them fails.
  public func switchToLatest() -> some Publisher<Output.Output, Failure> {
    FlatMap(upstream: self, isLatest: true) { $0 }
  }
}
