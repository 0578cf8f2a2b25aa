// The end of a pipeline.
//
// State: `isActive` until the subscription ended; `upstream` meanwhile, which leads back to the `Sink`:
// the end of the subscription breaks that circle, at the latest when the token is released.

/// What the token and the end of a pipeline know of each other.
@usableFromInline
final class Subscription {
  @exclusivity(unchecked) @usableFromInline var isActive = true
  private var upstream: (any Cancellable)?

  @usableFromInline
  init() {}

  /// Learns what to cancel, unless it is over already.
  @usableFromInline
  func start(_ upstream: (any Cancellable)?) {
    if unsafe isActive { self.upstream = upstream } else { upstream?.cancel() }
  }

  /// Ends it from upstream; the answer is whether that is news.
  @usableFromInline
  func end() -> Bool {
    guard unsafe isActive else { return false }
    unsafe isActive = false
    upstream = nil
    return true
  }

  func cancel() {
    guard unsafe isActive else { return }
    unsafe isActive = false
    upstream.take()?.cancel()
  }
}

/// What users hold; its release is the end.
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
    _ subscription: Subscription, _ receiveCompletion: @escaping (Completion<Failure>) -> Void,
    _ receiveValue: @escaping (Input) -> Void
  ) {
    self.subscription = subscription
    self.receiveCompletion = receiveCompletion
    self.receiveValue = receiveValue
  }

  @inlinable
  @inline(__always)
  func receive(_ value: Input) -> Bool {
    guard unsafe subscription.isActive else { return false }
    receiveValue(value)
    return unsafe subscription.isActive
  }

  @inlinable
  @inline(__always)
  func finish(_ completion: Completion<Failure>) {
    if subscription.end() { receiveCompletion(completion) }
  }
}

extension Publisher {
  /// Calls one closure with each value and the other with the completion.
  ///
  /// - It ends when the token is cancelled or released, also in the middle of a delivery.
  /// - Everything that the pipeline holds is released when it ends, by whatever cause.
  /// - What is read while subscribing is no dependency of the effect that subscribes.
  @inlinable
  public func sink(
    receiveCompletion: @escaping (Completion<Failure>) -> Void,
    receiveValue: @escaping (Output) -> Void
  ) -> any Cancellable {
    let subscription = Subscription()
    let token = SubscriptionToken(subscription)
    subscription.start(
      untracked { subscribe(Sink(subscription, receiveCompletion, receiveValue)) })
    return token
  }
}

extension Publisher where Failure == Never {
  /// Calls a closure with each value, until the token is cancelled or released.
  @inlinable
  public func sink(receiveValue: @escaping (Output) -> Void) -> any Cancellable {
    sink(receiveCompletion: { _ in }, receiveValue: receiveValue)
  }
}

extension Cancellable {
  /// Keeps this with others: all of them end when the collection is released.
  ///
  /// ```swift
  /// private var tokens: [any Cancellable] = []
  /// words.sink { print($0) }.store(in: &tokens)
  /// ```
  public func store(in tokens: inout some RangeReplaceableCollection<any Cancellable>) {
    tokens.append(self)
  }
}
