/// Hands values to a closure as long as that returns true.
struct WhileSink<Input>: Subscriber {
  typealias Failure = Never

  let subscription: Subscription
  let receiveValue: (Input) -> Bool

  func receive(_ value: Input) -> Bool {
    guard unsafe subscription.isActive else { return false }
    if receiveValue(value) { return unsafe subscription.isActive }
    _ = subscription.end()
    return false
  }

  func finish(_ completion: Completion<Never>) { _ = subscription.end() }
}

extension Publisher where Failure == Never {
  /// Assigns each value to a property of an object: a field, or whatever can be written.
  ///
  /// - The object is held weakly; when it is gone, upstream is released at the next value.
  /// - It ends when the token is cancelled or released.
  ///
  /// ```swift
  /// let token = search.assign(to: \.query, on: model)
  /// ```
  public func assign<Root: AnyObject>(
    to path: ReferenceWritableKeyPath<Root, Output>, on root: Root
  ) -> any Cancellable {
    assign { [weak root] value in
      guard let root else { return false }
      root[keyPath: path] = value
      return true
    }
  }

  /// Assigns each value to a signal.
  ///
  /// - The signal is held weakly; when it is gone, upstream is released at the next value.
  /// - It ends when the token is cancelled or released.
  public func assign(to signal: Signal<Output>) -> any Cancellable {
    assign { [weak signal] value in
      guard let signal else { return false }
      signal.value = value
      return true
    }
  }

  private func assign(_ write: @escaping (Output) -> Bool) -> any Cancellable {
    let subscription = Subscription()
    let token = SubscriptionToken(subscription)
    subscription.start(
      untracked { subscribe(WhileSink(subscription: subscription, receiveValue: write)) })
    return token
  }
}
