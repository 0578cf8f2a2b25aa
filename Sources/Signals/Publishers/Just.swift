/// Sends one value and finishes.
public struct Just<Output>: Publisher {
  /// The publisher can't fail.
  public typealias Failure = Never

  @usableFromInline let output: Output

  /// Creates a publisher of a value.
  @inlinable
  public init(_ output: Output) { self.output = output }

  /// Sends the value and the completion before it returns.
  @inlinable
  @inline(__always)
  public func subscribe<Downstream: Subscriber>(_ downstream: Downstream) -> (any Cancellable)?
  where Downstream.Input == Output, Downstream.Failure == Never {
    if downstream.receive(output) { downstream.finish(.finished) }
    return nil
  }
}
