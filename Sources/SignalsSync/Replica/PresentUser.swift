// The users that are present in a partition: those that have joined it on a connection.
//
// Order of events: a replica that joins a partition receives all users, and then the differences,
// one for each batch of messages that the server handles. It states its status after each join. A
// connection that has ended, or that is silent for too long, ends the presence of its device.

internal import Signals

/// A user that is present in a partition.
///
/// A user is present while at least one replica that acts for the user has joined the partition.
public struct PresentUser: Hashable, Sendable, Identifiable {
  /// The name of the user.
  public let user: String
  /// The latest status that a present replica of the user has set, such as `typing`; empty if none
  /// was set.
  public let status: String

  /// The name of the user.
  public var id: String { user }
}

/// A status that can't be set.
public enum PresenceError: Error, Hashable, Sendable {
  /// The UTF-8 of the status is too long.
  case statusTooLong(size: Int, limit: Int)
}

extension PresenceError: CustomStringConvertible {
  /// The reason, for a person.
  public var description: String {
    switch self {
    case .statusTooLong(let size, let limit):
      "a status of \(size) bytes is longer than \(limit) bytes"
    }
  }
}

extension Replica {
  /// The largest size of a status, in bytes of UTF-8.
  static let statusLimit = 1_000

  /// Returns the users that are present in a partition, by name; reads are tracked.
  ///
  /// This replica's user is one of them. Without a connection, the users aren't known, and there are
  /// none.
  ///
  /// ```swift
  /// ForEach(replica.users(in: "board=1")) { Text("\($0.user) \($0.status)") }
  /// ```
  ///
  /// - Parameter partition: The name of the partition.
  /// - Complexity: O(*n* log *n*), where *n* is the number of users.
  public func users(in partition: String) -> [PresentUser] {
    entry(Partition(partition)).present.value.map { PresentUser(user: $0, status: $1) }
      .sorted { $0.user < $1.user }
  }

  /// Sets what others see of this replica's user in a partition, as long as it is joined.
  ///
  /// A status isn't saved, and isn't part of the graph. Of several replicas of one user, the latest
  /// status is seen.
  ///
  /// - Parameters:
  ///   - status: A short text, such as `typing`, or an empty one.
  ///   - partition: The name of the partition.
  /// - Throws: ``PresenceError`` if the status is too long. The earlier one stays.
  public func setStatus(_ status: String, in partition: String) throws(PresenceError) {
    let size = status.utf8.count
    if size > Self.statusLimit { throw .statusTooLong(size: size, limit: Self.statusLimit) }
    let entry = entry(Partition(partition))
    if entry.status == status { return }
    entry.status = status
    sendStatus(of: entry)
  }
}
