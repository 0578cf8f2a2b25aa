/// Finishes immediately without sending a value, or never finishes.
public struct Empty<Output, Failure: Error>: Publisher {
  let completesImmediately: Bool

  /// Creates a publisher without values.
  ///
  /// - Parameter completeImmediately: Whether it finishes immediately; otherwise it never does.
  public init(completeImmediately: Bool = true) { completesImmediately = completeImmediately }

  /// Finishes before it returns, or never.
  ///
  /// - Parameter downstream: The subscriber to connect.
  /// - Returns: The object that disconnects the subscriber, or `nil` if the subscription has
  ///   already ended.
  public func subscribe<Downstream: Subscriber>(_ downstream: Downstream) -> (any Cancellable)?
  where Downstream.Input == Output, Downstream.Failure == Failure {
    if completesImmediately { downstream.finish(.finished) }
    return nil
  }
}
