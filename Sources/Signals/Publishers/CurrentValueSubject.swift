/// A subject that has a value, which each new subscriber receives first.
///
/// - Each value sent is delivered, equal or not, one by one. Use a ``Signal`` for state.
/// - `value` is the last value sent, also while earlier ones are being delivered.
/// - A subscriber that subscribes during a delivery receives the current value, and then values
///   sent after that.
///
/// ```swift
/// let progress = CurrentValueSubject<Int, Never>(0)
/// let token = progress.sink { print($0) }  // 0
/// progress.value = 50                      // 50
/// ```
public final class CurrentValueSubject<Output, Failure: Error>: Publisher {
  @usableFromInline let subject = Subject<Output, Failure>()
  @safe @exclusivity(unchecked) @usableFromInline var current: Output
  @safe @exclusivity(unchecked) @usableFromInline var isFinished = false

  /// Creates a subject with an initial value.
  ///
  /// - Parameter value: The initial value.
  public init(_ value: Output) { current = value }

  /// The last value sent; setting it sends the new value.
  @inlinable public var value: Output {
    get { current }
    set { send(newValue) }
  }

  /// Connects a subscriber, and sends it the current value.
  ///
  /// - Parameter downstream: The subscriber to connect.
  /// - Returns: The object that disconnects the subscriber, or `nil` if the subscription has
  ///   already ended.
  @inlinable
  public func subscribe<Downstream: Subscriber>(_ downstream: Downstream) -> (any Cancellable)?
  where Downstream.Input == Output, Downstream.Failure == Failure {
    if isFinished { return subject.subscribe(downstream) }
    // Connected first, so that values sent during the delivery of the current value aren't lost.
    let relay = CatchUpSubscriber(downstream)
    let connection = subject.subscribe(relay)
    if !relay.catchUp(with: CollectionOfOne(current)) {
      connection?.cancel()
      return nil
    }
    return connection
  }

  /// Sends a value, and stores it as the current value.
  ///
  /// - Parameter value: The value to send.
  @inlinable
  public func send(_ value: Output) {
    if isFinished { return }
    let replaced = exchange(&current, with: value)
    subject.send(value)
    // Released last, because releasing the value may send.
    withExtendedLifetime(replaced) {}
  }

  /// Sends the completion; nothing is sent after it, and the value stays.
  ///
  /// - Parameter completion: The completion to send.
  public func send(completion: Completion<Failure>) {
    isFinished = true
    subject.send(completion: completion)
  }
}
