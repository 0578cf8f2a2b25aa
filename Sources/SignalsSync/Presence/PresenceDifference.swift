/// The users that have joined, left or changed their payload, each in no order.
public struct PresenceChanges: Sendable, Equatable {
  /// The users that have joined.
  public package(set) var joined: [PresentUser] = []
  /// The names of the users that have left.
  public package(set) var left: [String] = []
  /// The users that were present and have another payload.
  public package(set) var updated: [PresentUser] = []

  package init() {}

  /// Creates the changes that lead from one set to another.
  package init(from old: PresentUsers, to new: PresentUsers) {
    for user in old where new[user.user] == nil { left.append(user.user) }
    for user in new { append(from: old[user.user], to: user) }
  }

  /// Whether there are no changes.
  public var isEmpty: Bool { joined.isEmpty && left.isEmpty && updated.isEmpty }

  /// Adds the change of a user from one value to another.
  ///
  /// `nil` is the value of an absent user.
  package mutating func append(from old: PresentUser?, to new: PresentUser?) {
    switch (old, new) {
    case (nil, let new?): joined.append(new)
    case (let old?, nil): left.append(old.user)
    case (let old?, let new?) where old != new: updated.append(new)
    case (_?, _?), (nil, nil): break
    }
  }
}

/// A batch of changes of a ``PresenceTable``, or a snapshot of it, for a ``PresenceView`` or the
/// table of another node.
///
/// It can be encoded in any format. A receiver uses its number and its digest to check whether it
/// fits.
public struct PresenceDifference: Sendable, Equatable {
  /// A number that identifies the table.
  ///
  /// A restarted node has a greater number.
  public let run: UInt64
  /// The number of the batch, beginning with 1, or of the last batch before a snapshot.
  public let number: UInt64
  /// Whether the joined users replace all users that the receiver has.
  public let isSnapshot: Bool
  /// The digest of the users that are present after the changes.
  public let digest: UInt64
  /// The changes.
  ///
  /// In a snapshot, all present users have joined.
  public let changes: PresenceChanges

  package init(
    run: UInt64, number: UInt64, isSnapshot: Bool = false, digest: UInt64,
    changes: PresenceChanges = PresenceChanges()
  ) {
    self.run = run
    self.number = number
    self.isSnapshot = isSnapshot
    self.digest = digest
    self.changes = changes
  }
}

extension PresenceChanges: Codable {
  private enum CodingKeys: CodingKey { case joined, left, updated }

  /// Decodes the changes.
  ///
  /// - Parameter decoder: The decoder.
  /// - Throws: An error if the data isn't changes.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    joined = try container.decode([PresentUser].self, forKey: .joined)
    left = try container.decode([String].self, forKey: .left)
    updated = try container.decode([PresentUser].self, forKey: .updated)
  }
}

extension PresenceDifference: Codable {
  private enum CodingKeys: CodingKey { case run, number, isSnapshot, digest, changes }

  /// Decodes the batch or snapshot.
  ///
  /// - Parameter decoder: The decoder.
  /// - Throws: An error if the data isn't a batch or snapshot.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    run = try container.decode(UInt64.self, forKey: .run)
    number = try container.decode(UInt64.self, forKey: .number)
    isSnapshot = try container.decode(Bool.self, forKey: .isSnapshot)
    digest = try container.decode(UInt64.self, forKey: .digest)
    changes = try container.decode(PresenceChanges.self, forKey: .changes)
  }
}
