/// Passes values to a closure until it returns false.
struct WhileSink<Input>: Subscriber {
  typealias Failure = Never

  let subscription: Subscription
  let receiveValue: (Input) -> Bool

  func receive(_ value: Input) -> Bool {
    guard subscription.isActive else { return false }
    if receiveValue(value) { return subscription.isActive }
    _ = subscription.end()
    return false
  }

  func finish(_ completion: Completion<Never>) { _ = subscription.end() }
}

extension Publisher where Failure == Never {
  /// Assigns each value to a writable property of an object, such as a field.
  ///
  /// - The object is held weakly. Once it is released, upstream is released at the next value.
  /// - The subscription ends when the token is cancelled or released.
  ///
  /// ```swift
  /// let token = search.assign(to: \.query, on: model)
  /// ```
  ///
  /// - Returns: The token of the subscription.
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
  /// - The signal is held weakly. Once it is released, upstream is released at the next value.
  /// - The subscription ends when the token is cancelled or released.
  ///
  /// - Returns: The token of the subscription.
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
