/// A log to which several processes append.
///
/// An append of entries to several partitions is one: the log has all of them or none.
///
/// A ``SyncServer`` whose log is shared reads the facts of other servers, and decides again about commits that it
/// has decided without them. So any number of servers with one log are one server to their replicas.
public protocol SharedLog: ChangeLog {
  /// Follows the log of a partition.
  ///
  /// - Parameters:
  ///   - partition: The partition.
  ///   - onAppend: Called, on any thread, when the log may have entries that weren't there before. A call
  ///     may come without a reason, and one may be for several appends.
  /// - Returns: A token that ends the calls when it is released.
  func follow(
    _ partition: Partition, onAppend: @escaping @Sendable () -> Void
  ) -> LogFollowing
}

/// The following of a partition's log, which ends when this is released.
public final class LogFollowing: Sendable {
  private let onEnd: @Sendable () -> Void

  /// Creates a token.
  ///
  /// - Parameter onEnd: Called once, when the token is released.
  public init(onEnd: @escaping @Sendable () -> Void) { self.onEnd = onEnd }

  deinit { onEnd() }
}
