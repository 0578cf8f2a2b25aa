/// Creates a publisher for each subscription, at the time of the subscription.
public struct Deferred<Made: Publisher>: Publisher {
  /// The output of the created publisher.
  public typealias Output = Made.Output
  /// The failure of the created publisher.
  public typealias Failure = Made.Failure

  let make: () -> Made

  /// Creates a publisher that calls `make` for each subscription.
  ///
  /// - Parameter make: Creates the publisher of a subscription.
  public init(_ make: @escaping () -> Made) { self.make = make }

  /// Creates the publisher and subscribes to it.
  ///
  /// - Parameter downstream: The subscriber to connect.
  /// - Returns: The object that disconnects the subscriber, or `nil` if the subscription has
  ///   already ended.
  public func subscribe<Downstream: Subscriber>(_ downstream: Downstream) -> (any Cancellable)?
  where Downstream.Input == Output, Downstream.Failure == Failure {
    make().subscribe(downstream)
  }
}
