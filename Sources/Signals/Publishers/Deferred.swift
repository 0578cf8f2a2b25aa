/// Creates a publisher for each subscription, at the time of the subscription.
public struct Deferred<Made: Publisher>: Publisher {
  /// The output of the created publisher.
  public typealias Output = Made.Output
  /// The failure of the created publisher.
  public typealias Failure = Made.Failure

  let make: () -> Made

  /// Creates a publisher that calls `make` for each subscription.
  public init(_ make: @escaping () -> Made) { self.make = make }

  /// Creates the publisher and subscribes to it.
  public func subscribe<Downstream: Subscriber>(_ downstream: Downstream) -> (any Cancellable)?
  where Downstream.Input == Output, Downstream.Failure == Failure {
    make().subscribe(downstream)
  }
}
