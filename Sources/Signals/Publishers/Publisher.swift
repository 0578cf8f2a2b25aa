/// Sends values over time, and then perhaps a completion, to whoever subscribes.
///
/// Publishers are for events and pipelines; state is a ``Signal``.
///
/// - Values arrive in the order in which they were sent, one at a time: a value that is sent while
///   another is being delivered waits for that.
/// - A completion comes at most once, and nothing after it.
/// - Nothing is delivered after a subscription was cancelled or its token released.
/// - Each subscription runs the pipeline anew, unless it is shared (``share()``).
///
/// There is no demand: values are pushed within one isolation domain, where nobody can fall behind.
/// Where the two sides may run at different speeds, in an `AsyncSequence`, the buffering is a policy
/// that one has to state: see ``values(buffering:)``. A publisher is not Sendable, and takes no lock.
///
/// An operator costs about the call of its closure for each value, and allocates nothing for it.
///
/// ```swift
/// let words = Subject<String, Never>()
/// let token = words.map(\.count).filter { $0 > 3 }.sink { print($0) }
/// words.send("publisher")  // 9
/// ```
public protocol Publisher<Output, Failure> {
  /// What it sends.
  associatedtype Output
  /// How it can fail; `Never` if it can't.
  associatedtype Failure: Error

  /// Connects a subscriber, and returns what disconnects it; nil if nothing is under way any more.
  ///
  /// Operators and publishers of your own implement this; others use ``sink(receiveValue:)``. Whoever
  /// calls it must call `cancel()` on what it returns unless the subscription ended by itself; releasing
  /// it is not enough. Values may be sent before it returns.
  func subscribe<Downstream: Subscriber>(_ downstream: Downstream) -> (any Cancellable)?
  where Downstream.Input == Output, Downstream.Failure == Failure
}

/// Gets what a publisher sends.
///
/// A publisher calls it from one isolation domain, one call at a time: `receive` for each value and then
/// `finish` at most once; nothing after `receive` returned false, and nothing after `finish`.
public protocol Subscriber<Input, Failure> {
  /// What it gets.
  associatedtype Input
  /// How what it gets can fail.
  associatedtype Failure: Error

  /// Gets a value; the answer is whether more is wanted. If not, the publisher disconnects by itself.
  func receive(_ value: Input) -> Bool

  /// Gets the completion.
  func finish(_ completion: Completion<Failure>)
}

/// How a publisher ended.
@frozen
public enum Completion<Failure: Error> {
  /// There is no more to send.
  case finished
  /// Something went wrong.
  case failure(Failure)
}

extension Completion: Equatable where Failure: Equatable {}
extension Completion: Sendable {}

extension Completion {
  /// The same with another kind of failure.
  @inlinable
  func mapFailure<Other: Error>(_ transform: (Failure) -> Other) -> Completion<Other> {
    switch self {
    case .finished: .finished
    case .failure(let error): .failure(transform(error))
    }
  }
}

/// What waits for its delivery.
@usableFromInline
enum Event<Output, Failure: Error> {
  case value(Output)
  case completion(Completion<Failure>)
}

/// A state of an operator's subscription.
///
/// Each access is one load or store, never open while somebody else's code runs: exclusivity holds by
/// construction and is not checked.
@usableFromInline
final class Box<Value> {
  @exclusivity(unchecked) @usableFromInline var value: Value

  @inlinable
  init(_ value: Value) { unsafe self.value = value }
}
