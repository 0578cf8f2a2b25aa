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
    let relay = Latecomer(downstream)
    let connection = subject.subscribe(relay)
    if unsafe !relay.catchUp(with: CollectionOfOne(current)) {
      connection?.cancel()
      return nil
    }
    return connection
  }

  /// Sends a value, and keeps it.
  @inlinable
  public func send(_ value: Output) {
    if unsafe isFinished { return }
    let replaced = unsafe exchange(&current, with: value)
    subject.send(value)
    // Last, for what is released may send.
    withExtendedLifetime(replaced) {}
  }

  /// Sends the completion; nothing is sent after it, and the value stays.
  public func send(completion: Completion<Failure>) {
    unsafe isFinished = true
    subject.send(completion: completion)
  }
}
