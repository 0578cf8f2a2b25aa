/// Sends values over time to its subscribers, and possibly a completion at the end.
///
/// Publishers are for events and pipelines; use a ``Signal`` for state.
///
/// - Values arrive in the order in which they were sent, one at a time: a value that is sent while
///   another is being delivered waits for the end of that delivery.
/// - A completion is sent at most once, and nothing after it.
/// - Nothing is delivered after a subscription was cancelled or its token released.
/// - Each subscription runs the pipeline again, unless it is shared with ``share()``.
///
/// There is no demand: values are pushed within one isolation domain, where no subscriber can fall
/// behind. In an `AsyncSequence` the two sides may run at different speeds, so buffering needs an
/// explicit policy: see ``values(buffering:)``. A publisher isn't Sendable, and takes no lock.
///
/// For each value, an operator costs about a call of its closure, and allocates nothing.
///
/// ```swift
/// let words = Subject<String, Never>()
/// let token = words.map(\.count).filter { $0 > 3 }.sink { print($0) }
/// words.send("publisher")  // 9
/// ```
public protocol Publisher<Output, Failure> {
  /// The type of the values that it sends.
  associatedtype Output
  /// The type of its errors; `Never` if it can't fail.
  associatedtype Failure: Error

  /// Connects a subscriber.
  ///
  /// Custom operators and publishers implement this; other code uses ``sink(receiveValue:)``.
  /// Values may be sent before it returns. Unless the subscription has ended, the caller must call
  /// `cancel()` on the returned object; releasing it isn't enough.
  ///
  /// - Parameter downstream: The subscriber to connect.
  /// - Returns: The object that disconnects the subscriber; nil if the subscription has already
  ///   ended.
  func subscribe<Downstream: Subscriber>(_ downstream: Downstream) -> (any Cancellable)?
  where Downstream.Input == Output, Downstream.Failure == Failure
}

/// Receives the values of a publisher.
///
/// A publisher calls it from one isolation domain, one call at a time: `receive` for each value,
/// and then `finish` at most once. It calls nothing after `receive` has returned false or after
/// `finish`.
public protocol Subscriber<Input, Failure> {
  /// The type of the values that it receives.
  associatedtype Input
  /// The type of the errors that it receives.
  associatedtype Failure: Error

  /// Receives a value.
  ///
  /// - Parameter value: The value.
  /// - Returns: Whether more values are wanted. If not, the publisher disconnects.
  func receive(_ value: Input) -> Bool

  /// Receives the completion.
  ///
  /// - Parameter completion: The completion.
  func finish(_ completion: Completion<Failure>)
}

/// The way in which a publisher ended.
@frozen
public enum Completion<Failure: Error> {
  /// All values were sent.
  case finished
  /// An error occurred.
  case failure(Failure)
}

extension Completion: Equatable where Failure: Equatable {}
extension Completion: Sendable {}

extension Completion {
  /// Returns the completion with its error converted.
  @inlinable
  func mapFailure<Other: Error>(_ transform: (Failure) -> Other) -> Completion<Other> {
    switch self {
    case .finished: .finished
    case .failure(let error): .failure(transform(error))
    }
  }
}

/// An event that waits for its delivery.
@usableFromInline
enum Event<Output, Failure: Error> {
  case value(Output)
  case completion(Completion<Failure>)
}
