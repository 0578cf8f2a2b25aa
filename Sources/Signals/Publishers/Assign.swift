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
  /// - Parameters:
  ///   - path: The key path of the property.
  ///   - root: The object with the property.
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
  /// - Parameter signal: The signal to write.
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
      untracked {
        subscribe(
          Sink(subscription) { _ in
          } receiveValue: {
            if !write($0) { subscription.cancel() }
          })
      })
    return token
  }
}
