/// A user with at least one present device.
///
/// Two values are equal if their bytes are equal. Names that differ only in the composition of
/// characters identify one user, but the values are different.
public struct PresentUser: Sendable {
  /// The name of the user.
  public let user: String
  /// The latest bytes that a device of the user has set.
  ///
  /// Empty if no device has set any.
  public let payload: [UInt8]
  /// The logical time at which the payload was set, or 0 if it wasn't set or is in a difference for
  /// views.
  ///
  /// If two nodes have a user, the later payload is shown.
  package let stamp: UInt64

  package init(user: String, payload: [UInt8], stamp: UInt64 = 0) {
    self.user = user
    self.payload = payload
    self.stamp = stamp
  }

  /// The same user and payload without a stamp, for views, which don't compare nodes.
  package var withoutStamp: PresentUser { PresentUser(user: user, payload: payload) }

  /// Returns whether another node's value for this user is shown instead of this one.
  ///
  /// This is a total order, so that all nodes choose the same value.
  package func isOutranked(by other: PresentUser) -> Bool {
    if stamp != other.stamp { return stamp < other.stamp }
    if payload != other.payload { return payload.lexicographicallyPrecedes(other.payload) }
    return user.utf8.lexicographicallyPrecedes(other.user.utf8)
  }
}

extension PresentUser: Codable {
  private enum CodingKeys: CodingKey { case user, payload, stamp }

  /// Decodes the user with its payload.
  ///
  /// - Parameter decoder: The decoder.
  /// - Throws: An error if the data isn't a user.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    user = try container.decode(String.self, forKey: .user)
    payload = try container.decode([UInt8].self, forKey: .payload)
    stamp = try container.decode(UInt64.self, forKey: .stamp)
  }
}

extension PresentUser: Equatable {
  /// Returns whether two values have the same bytes.
  public static func == (first: PresentUser, second: PresentUser) -> Bool {
    first.stamp == second.stamp && first.payload == second.payload
      && first.user.utf8.elementsEqual(second.user.utf8)
  }
}

extension PresentUser {
  /// A hash that is equal in all processes and versions.
  ///
  /// Digests are sums of it.
  package var digest: UInt64 {
    // Each field is hashed with its length, so that no byte can move to the next field.
    var digest = XXHash64.fold(stamp, into: XXHash64.hash(user.utf8.span))
    digest = XXHash64.fold(XXHash64.hash(payload.span), into: digest)
    return XXHash64.finished(digest)
  }
}
