// Operators that subscribe again after a failure.

@usableFromInline
struct Retry<Upstream: Publisher>: Publisher {
  @usableFromInline typealias Output = Upstream.Output
  @usableFromInline typealias Failure = Upstream.Failure
  /// Starts the attempt with a number, counted from 1, now or later.
  @usableFromInline typealias Schedule = (Int, @escaping () -> Void) -> (any Cancellable)?

  @usableFromInline let upstream: Upstream
  @usableFromInline let count: Int
  @usableFromInline let schedule: Schedule

  @inlinable
  init(_ upstream: Upstream, count: Int, schedule: @escaping Schedule) {
    self.upstream = upstream
    self.count = count
    self.schedule = schedule
  }

  @inlinable
  func subscribe<Downstream: Subscriber>(_ downstream: Downstream) -> (any Cancellable)?
  where Downstream.Input == Output, Downstream.Failure == Failure {
    let subscriber = SerializedSubscriber(downstream)
    let attempts = Attempts(subscriber, count: count, schedule: schedule) { upstream.subscribe($0) }
    attempts.start()
    return subscriber.connection
  }
}

/// The attempts of one subscription.
///
/// If an attempt fails while it is being subscribed to, a loop starts the next one, so that endless
/// failures don't fill the stack.
@usableFromInline
final class Attempts<Downstream: Subscriber> {
  @usableFromInline typealias Sink = RetrySink<Downstream>

  private let subscriber: SerializedSubscriber<Downstream>
  private let count: Int
  private let schedule: (Int, @escaping () -> Void) -> (any Cancellable)?
  private let subscribe: (Sink) -> (any Cancellable)?
  /// The number of retries so far.
  private var failures = 0
  /// Whether an attempt is being subscribed to.
  private var isStarting = false
  /// Whether an attempt failed during that.
  private var isDue = false

  @usableFromInline
  init(
    _ subscriber: SerializedSubscriber<Downstream>, count: Int,
    schedule: @escaping (Int, @escaping () -> Void) -> (any Cancellable)?,
    subscribe: @escaping (Sink) -> (any Cancellable)?
  ) {
    self.subscriber = subscriber
    self.count = count
    self.schedule = schedule
    self.subscribe = subscribe
  }

  @usableFromInline
  func start() {
    isDue = true
    guard !isStarting else { return }
    isStarting = true
    while isDue {
      isDue = false
      subscriber.connect { subscribe(RetrySink(subscriber, input: $0, of: self)) }
    }
    isStarting = false
  }

  @usableFromInline
  func finish(_ completion: Completion<Downstream.Failure>) {
    guard completion.isFailure, failures < count else { return subscriber.finish(completion) }
    failures += 1
    subscriber.connect { pause in
      schedule(failures) { [self] in
        subscriber.close(pause)
        start()
      }
    }
  }
}

@usableFromInline
struct RetrySink<Downstream: Subscriber>: Subscriber {
  @usableFromInline typealias Input = Downstream.Input
  @usableFromInline typealias Failure = Downstream.Failure

  @usableFromInline let subscriber: SerializedSubscriber<Downstream>
  @usableFromInline let input: SerializedInput
  @usableFromInline let attempts: Attempts<Downstream>

  @usableFromInline
  init(
    _ subscriber: SerializedSubscriber<Downstream>, input: SerializedInput,
    of attempts: Attempts<Downstream>
  ) {
    self.subscriber = subscriber
    self.input = input
    self.attempts = attempts
  }

  @inlinable
  @inline(__always)
  func receive(_ value: Input) -> Bool { input.isOpen && subscriber.send(value) }

  @inlinable
  func finish(_ completion: Completion<Failure>) {
    if subscriber.close(input) { attempts.finish(completion) }
  }
}

extension Publisher {
  /// Subscribes again after a failure, at most `count` times, and then sends the failure.
  ///
  /// - Values that were sent before a failure remain sent.
  /// - Endless failures don't fill the stack.
  /// - A count of 0 does nothing; a negative count traps.
  ///
  /// - Parameter count: The maximum number of new attempts.
  /// - Returns: A publisher of the values of all attempts.
  @inlinable
  public func retry(_ count: Int) -> some Publisher<Output, Failure> {
    checkCount(count, of: "retry")
    return Retry(self, count: count) { _, start in
      start()
      return nil
    }
  }
}
