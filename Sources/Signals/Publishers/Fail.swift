/// Fails immediately.
public struct Fail<Output, Failure: Error>: Publisher {
  let error: Failure

  /// Creates a publisher that fails with an error.
  public init(_ error: Failure) { self.error = error }

  /// Fails before it returns.
  public func subscribe<Downstream: Subscriber>(_ downstream: Downstream) -> (any Cancellable)?
  where Downstream.Input == Output, Downstream.Failure == Failure {
    downstream.finish(.failure(error))
    return nil
  }
}
