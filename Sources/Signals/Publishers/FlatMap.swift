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
    gate.connect { number in
      upstream.subscribe(
        FlatMapSink(
          gate: gate, number: number, latest: isLatest ? Box(nil) : nil, transform: transform))
    }
    return gate.isActive ? gate : nil
  }
}

struct FlatMapSink<Input, Inner: Publisher, Downstream: Subscriber>: Subscriber
where Downstream.Input == Inner.Output, Downstream.Failure == Inner.Failure {
  typealias Failure = Downstream.Failure

  let gate: Gate<Downstream>
  let number: Int
  /// The inner publisher to be replaced by the next; nil if all of them stay.
  let latest: Box<Int?>?
  let transform: (Input) -> Inner

  func receive(_ value: Input) -> Bool {
    guard gate.isActive else { return false }
    let inner = transform(value)
    if let latest, let number = unsafe latest.value.take() { gate.inputEnded(number) }
    gate.connect { number in
      unsafe latest?.value = number
      return inner.subscribe(
        InnerSink(gate: gate, number: number, latest: latest))
    }
    return gate.isActive
  }

  func finish(_ completion: Completion<Failure>) {
    gate.inputEnded(number)
    if completion.isFailure || gate.openInputs == 0 { gate.finish(completion) }
  }
}

struct InnerSink<Downstream: Subscriber>: Subscriber {
  typealias Input = Downstream.Input
  typealias Failure = Downstream.Failure

  let gate: Gate<Downstream>
  let number: Int
  let latest: Box<Int?>?

  /// Whether another has not taken its place.
  private var isCurrent: Bool {
    guard let latest else { return true }
    return unsafe latest.value == number
  }

  func receive(_ value: Input) -> Bool { isCurrent && gate.send(value) && isCurrent }

  func finish(_ completion: Completion<Failure>) {
    guard isCurrent else { return }
    unsafe latest?.value = nil
    gate.inputEnded(number)
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
