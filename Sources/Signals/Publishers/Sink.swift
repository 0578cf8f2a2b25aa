// The end of a pipeline.
//
// `upstream` leads back to the `Sink`. The end of the subscription breaks that cycle, at the latest
// when the token is released.

/// The state shared by the token and the end of a pipeline.
@usableFromInline
final class Subscription {
  /// Whether the subscription hasn't ended.
  @safe @exclusivity(unchecked) @usableFromInline var isActive = true
  /// The connection, until the subscription ends.
  private var upstream: (any Cancellable)?

  @usableFromInline
  init() {}

  /// Stores the upstream connection, or cancels it if the subscription has already ended.
  @usableFromInline
  func start(_ upstream: (any Cancellable)?) {
    if isActive { self.upstream = upstream } else { upstream?.cancel() }
  }

  /// Ends the subscription when upstream has ended.
  ///
  /// - Returns: Whether it was active.
  @usableFromInline
  func end() -> Bool {
    guard isActive else { return false }
    isActive = false
    upstream = nil
    return true
  }

  func cancel() {
    guard isActive else { return }
    isActive = false
    Disposal.run(upstream.take()) { $0?.cancel() }
  }
}

/// The token that users hold; its release ends the subscription.
@usableFromInline
final class SubscriptionToken: Cancellable {
  private let subscription: Subscription

  @usableFromInline
  init(_ subscription: Subscription) { self.subscription = subscription }

  @usableFromInline
  func cancel() { subscription.cancel() }

  deinit { subscription.cancel() }
}

@usableFromInline
struct Sink<Input, Failure: Error>: Subscriber {
  @usableFromInline let subscription: Subscription
  @usableFromInline let receiveValue: (Input) -> Void
  @usableFromInline let receiveCompletion: (Completion<Failure>) -> Void

  @inlinable
  init(
    _ subscription: Subscription, receiveCompletion: @escaping (Completion<Failure>) -> Void,
    receiveValue: @escaping (Input) -> Void
  ) {
    self.subscription = subscription
    self.receiveCompletion = receiveCompletion
    self.receiveValue = receiveValue
  }

  @inlinable
  @inline(__always)
  func receive(_ value: Input) -> Bool {
    guard subscription.isActive else { return false }
    receiveValue(value)
    return subscription.isActive
  }

  @inlinable
  @inline(__always)
  func finish(_ completion: Completion<Failure>) {
    if subscription.end() { receiveCompletion(completion) }
  }
}

extension Publisher {
  /// Calls one closure with each value and another with the completion.
  ///
  /// - The subscription ends when the token is cancelled or released, even in the middle of a
  ///   delivery.
  /// - All objects that the pipeline holds are released when it ends, for whatever reason.
  /// - Reads during the call aren't dependencies of the effect that subscribes.
  ///
  /// - Parameters:
  ///   - receiveCompletion: Called with the completion.
  ///   - receiveValue: Called with each value.
  /// - Returns: The token of the subscription.
  @inlinable
  public func sink(
    receiveCompletion: @escaping (Completion<Failure>) -> Void,
    receiveValue: @escaping (Output) -> Void
  ) -> any Cancellable {
    let subscription = Subscription()
    let token = SubscriptionToken(subscription)
    subscription.start(
      untracked {
        subscribe(
          Sink(
            subscription, receiveCompletion: receiveCompletion, receiveValue: receiveValue))
      })
    return token
  }
}

extension Publisher where Failure == Never {
  /// Calls a closure with each value, until the token is cancelled or released.
  ///
  /// - Parameter receiveValue: Called with each value.
  /// - Returns: The token of the subscription.
  @inlinable
  public func sink(receiveValue: @escaping (Output) -> Void) -> any Cancellable {
    sink(receiveCompletion: { _ in }, receiveValue: receiveValue)
  }
}

extension Cancellable {
  /// Adds this token to a collection; all tokens in it end when the collection is released.
  ///
  /// ```swift
  /// private var tokens: [any Cancellable] = []
  /// words.sink { print($0) }.store(in: &tokens)
  /// ```
  ///
  /// - Parameter tokens: The collection that holds the token.
  public func store(in tokens: inout some RangeReplaceableCollection<any Cancellable>) {
    tokens.append(self)
  }
}
