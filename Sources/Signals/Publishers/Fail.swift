/// Fails immediately.
public struct Fail<Output, Failure: Error>: Publisher {
  let error: Failure

  /// Creates a publisher that fails with an error.
  ///
  /// - Parameter error: The error to send.
  public init(_ error: Failure) { self.error = error }

  /// Fails before it returns.
  ///
  /// - Parameter downstream: The subscriber to connect.
  /// - Returns: The object that disconnects the subscriber, or `nil` if the subscription has
  ///   already ended.
  public func subscribe<Downstream: Subscriber>(_ downstream: Downstream) -> (any Cancellable)?
  where Downstream.Input == Output, Downstream.Failure == Failure {
    downstream.finish(.failure(error))
    return nil
  }
}
