/// Sends one value and finishes.
public struct Just<Output>: Publisher {
  /// The publisher can't fail.
  public typealias Failure = Never

  @usableFromInline let output: Output

  /// Creates a publisher of a value.
  ///
  /// - Parameter output: The value to send.
  @inlinable
  public init(_ output: Output) { self.output = output }

  /// Sends the value and the completion before it returns.
  ///
  /// - Parameter downstream: The subscriber to connect.
  /// - Returns: The object that disconnects the subscriber, or `nil` if the subscription has
  ///   already ended.
  @inlinable
  @inline(__always)
  public func subscribe<Downstream: Subscriber>(_ downstream: Downstream) -> (any Cancellable)?
  where Downstream.Input == Output, Downstream.Failure == Never {
    if downstream.receive(output) { downstream.finish(.finished) }
    return nil
  }
}
