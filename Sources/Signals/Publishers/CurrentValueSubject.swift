/// A subject that has a value: who subscribes gets it first.
///
/// - Each value sent is delivered, equal or not, one by one: a ``Signal`` is what to use for state.
/// - `value` is the last one sent, also while earlier ones are being delivered.
/// - Who subscribes during a delivery gets the present value and then what is sent after that.
///
/// ```swift
/// let progress = CurrentValueSubject<Int, Never>(0)
/// let token = progress.sink { print($0) }  // 0
/// progress.value = 50                      // 50
/// ```
public final class CurrentValueSubject<Output, Failure: Error>: Publisher {
  @usableFromInline let subject = Subject<Output, Failure>()
  @exclusivity(unchecked) @usableFromInline var current: Output
  @exclusivity(unchecked) @usableFromInline var isFinished = false

  /// Creates a subject with its first value.
  public init(_ value: Output) { unsafe current = value }

  /// The value sent last; setting it is sending it.
  @inlinable public var value: Output {
    get { unsafe current }
    set { send(newValue) }
  }

  /// Connects a subscriber, and sends it the present value.
  @inlinable
  public func subscribe<Downstream: Subscriber>(_ downstream: Downstream) -> (any Cancellable)?
  where Downstream.Input == Output, Downstream.Failure == Failure {
    if unsafe isFinished { return subject.subscribe(downstream) }
    // Connected first, so that what is sent while it gets the present value is not lost to it.
    let relay = FirstValue(downstream)
    let connection = subject.subscribe(relay)
    if unsafe !relay.start(with: current) {
      connection?.cancel()
      return nil
    }
    return connection
  }

  /// Sends a value, and keeps it.
  @inlinable
  public func send(_ value: Output) {
    if unsafe isFinished { return }
    unsafe current = value
    subject.send(value)
  }

  /// Sends the completion; nothing is sent after it, and the value stays.
  public func send(completion: Completion<Failure>) {
    unsafe isFinished = true
    subject.send(completion: completion)
  }
}

/// Gives a subscriber a first value, and lets what comes meanwhile wait.
///
/// State: `isStarting` while the first value is being delivered; `waiting` is what came since.
@usableFromInline
final class FirstValue<Downstream: Subscriber>: Subscriber {
  @usableFromInline typealias Input = Downstream.Input
  @usableFromInline typealias Failure = Downstream.Failure

  @usableFromInline let downstream: Downstream
  @exclusivity(unchecked) @usableFromInline var isStarting = true
  private var waiting: [Event<Input, Failure>] = []

  @inlinable
  init(_ downstream: Downstream) { self.downstream = downstream }

  /// Delivers the first value, and what came meanwhile; the answer is whether more is wanted.
  @usableFromInline
  func start(with value: Input) -> Bool {
    var wantsMore = downstream.receive(value)
    var index = 0
    while wantsMore, index < waiting.count {
      switch waiting[index] {
      case .value(let value): wantsMore = downstream.receive(value)
      case .completion(let completion):
        downstream.finish(completion)
        wantsMore = false
      }
      index += 1
    }
    waiting = []
    unsafe isStarting = false
    return wantsMore
  }

  @inlinable
  func receive(_ value: Input) -> Bool {
    if unsafe !isStarting { return downstream.receive(value) }
    keep(.value(value))
    return true
  }

  @inlinable
  func finish(_ completion: Completion<Failure>) {
    if unsafe !isStarting { return downstream.finish(completion) }
    keep(.completion(completion))
  }

  @usableFromInline
  func keep(_ event: Event<Input, Failure>) { waiting.append(event) }
}
