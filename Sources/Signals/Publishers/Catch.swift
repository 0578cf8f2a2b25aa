// Operators that go on after a failure.

struct Catch<Upstream: Publisher, Replacement: Publisher>: Publisher
where Replacement.Output == Upstream.Output {
  typealias Output = Upstream.Output
  typealias Failure = Replacement.Failure

  let upstream: Upstream
  let replace: (Upstream.Failure) -> Replacement

  func subscribe<Downstream: Subscriber>(_ downstream: Downstream) -> (any Cancellable)?
  where Downstream.Input == Output, Downstream.Failure == Failure {
    let gate = Gate(downstream)
    gate.connect { upstream.subscribe(CatchSink(gate: gate, input: $0, replace: replace)) }
    return gate.isActive ? gate : nil
  }
}

struct CatchSink<UpstreamFailure: Error, Replacement: Publisher, Downstream: Subscriber>: Subscriber
where Downstream.Input == Replacement.Output, Downstream.Failure == Replacement.Failure {
  typealias Input = Downstream.Input
  typealias Failure = UpstreamFailure

  let gate: Gate<Downstream>
  let input: GateInput
  let replace: (UpstreamFailure) -> Replacement

  func receive(_ value: Input) -> Bool { input.isOpen && gate.send(value) }

  func finish(_ completion: Completion<Failure>) {
    guard gate.close(input) else { return }
    switch completion {
    case .finished: gate.finish(.finished)
    case .failure(let error):
      let replacement = replace(error)
      gate.connect { replacement.subscribe(InnerSink(gate: gate, input: $0)) }
    }
  }
}

struct Retry<Upstream: Publisher>: Publisher {
  typealias Output = Upstream.Output
  typealias Failure = Upstream.Failure

  let upstream: Upstream
  let count: Int
  /// Starts the attempt with a number, counted from 1, now or later.
  let schedule: (Int, @escaping () -> Void) -> (any Cancellable)?

  func subscribe<Downstream: Subscriber>(_ downstream: Downstream) -> (any Cancellable)?
  where Downstream.Input == Output, Downstream.Failure == Failure {
    let attempts = Attempts(Gate(downstream), self)
    attempts.start()
    return attempts.gate.isActive ? attempts.gate : nil
  }
}

/// The attempts of one subscription.
///
/// State: `failures` so far; `isStarting` while an attempt is being subscribed to, and `isDue` if it
/// failed in that: then a loop starts the next, so that endless failures do not fill the stack.
final class Attempts<Upstream: Publisher, Downstream: Subscriber>
where Downstream.Input == Upstream.Output, Downstream.Failure == Upstream.Failure {
  let gate: Gate<Downstream>
  private let retry: Retry<Upstream>
  private var failures = 0
  private var isStarting = false
  private var isDue = false

  init(_ gate: Gate<Downstream>, _ retry: Retry<Upstream>) {
    self.gate = gate
    self.retry = retry
  }

  func start() {
    isDue = true
    guard !isStarting else { return }
    isStarting = true
    while isDue {
      isDue = false
      gate.connect { retry.upstream.subscribe(RetrySink(attempts: self, input: $0)) }
    }
    isStarting = false
  }

  func finish(_ completion: Completion<Upstream.Failure>) {
    guard completion.isFailure, failures < retry.count else { return gate.finish(completion) }
    failures += 1
    gate.connect { pause in
      retry.schedule(failures) { [self] in
        gate.close(pause)
        start()
      }
    }
  }
}

struct RetrySink<Upstream: Publisher, Downstream: Subscriber>: Subscriber
where Downstream.Input == Upstream.Output, Downstream.Failure == Upstream.Failure {
  typealias Input = Upstream.Output
  typealias Failure = Upstream.Failure

  let attempts: Attempts<Upstream, Downstream>
  let input: GateInput

  func receive(_ value: Input) -> Bool { input.isOpen && attempts.gate.send(value) }

  func finish(_ completion: Completion<Failure>) {
    if attempts.gate.close(input) { attempts.finish(completion) }
  }
}

extension Publisher {
  /// Goes on, after a failure, with the publisher that a closure makes of the error.
  ///
  /// A failure of that one is the failure of the whole.
  public func `catch`<Replacement: Publisher>(
    _ replace: @escaping (Failure) -> Replacement
  ) -> some Publisher<Output, Replacement.Failure> where Replacement.Output == Output {
    Catch(upstream: self, replace: replace)
  }

  /// Subscribes again after a failure, at most `count` times; then the failure is sent.
  ///
  /// - Values that were sent before a failure stay sent.
  /// - A retry of 0 does nothing; a negative one traps.
  public func retry(_ count: Int) -> some Publisher<Output, Failure> {
    checkCount(count, "retry")
    return Retry(upstream: self, count: count) { _, start in
      start()
      return nil
    }
  }
}
