/// A user of whom at least one device is present.
///
/// Two values are equal if their bytes are: names that differ only in how a character is composed
/// name one user, but they are different spellings.
public struct PresentUser: Sendable, Codable {
  /// The name of the user.
  public let user: String
  /// The bytes that a device of the user has set last.
  ///
  /// Empty if no device has set any.
  public let payload: [UInt8]
  /// The logical time at which the payload was set, or 0 if it wasn't or in a difference for views.
  ///
  /// Of two nodes that know a user, the one with the later payload is right.
  package let stamp: UInt64

  package init(user: String, payload: [UInt8], stamp: UInt64 = 0) {
    self.user = user
    self.payload = payload
    self.stamp = stamp
  }

  /// The same user and payload, for views: they don't compare nodes.
  package var withoutStamp: PresentUser { PresentUser(user: user, payload: payload) }

  /// Whether another node's value for this user is shown instead of this one.
  ///
  /// This is a total order, so that all nodes choose the same value.
  package func isOutranked(by other: PresentUser) -> Bool {
    if stamp != other.stamp { return stamp < other.stamp }
    if payload != other.payload { return payload.lexicographicallyPrecedes(other.payload) }
    return user.utf8.lexicographicallyPrecedes(other.user.utf8)
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
  /// A hash that is the same in each process and version: digests are sums of it.
  package var digest: UInt64 {
    var digest = Self.mixed(stamp)
    Self.absorb(user.utf8, into: &digest)
    Self.absorb(payload, into: &digest)
    return digest
  }

  /// Hashes bytes in words of eight, and their number, so that no byte can move to the next field.
  private static func absorb(_ bytes: some Sequence<UInt8>, into digest: inout UInt64) {
    var word: UInt64 = 0
    var count: UInt64 = 0
    for byte in bytes {
      word = word << 8 | UInt64(byte)
      count += 1
      if count & 7 == 0 {
        digest = mixed(digest ^ word)
        word = 0
      }
    }
    digest = mixed(mixed(digest ^ word) ^ count)
  }

  /// A bijection of words in which each bit depends on all bits.
  private static func mixed(_ word: UInt64) -> UInt64 {
    var word = word &+ 0x9E37_79B9_7F4A_7C15
    word = (word ^ (word >> 30)) &* 0xBF58_476D_1CE4_E5B9
    word = (word ^ (word >> 27)) &* 0x94D0_49BB_1331_11EB
    return word ^ (word >> 31)
  }
}
