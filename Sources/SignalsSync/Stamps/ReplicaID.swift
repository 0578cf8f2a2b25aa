/// The identity of a replica: one store, in one process, with one file if it is kept in one.
///
/// It is random, and it is kept with the store's file. A copied file gets another one, because two
/// replicas with the same identity would use the same stamps for different changes.
package struct ReplicaID: Hashable, Comparable, Codable, Sendable, CustomStringConvertible {
  /// The random number.
  package let rawValue: UInt64

  /// Creates the identity with the given number.
  package init(rawValue: UInt64) {
    self.rawValue = rawValue
  }

  /// Creates a new, random identity.
  package static func random() -> ReplicaID {
    ReplicaID(rawValue: .random(in: 1...UInt64.max))
  }

  /// Creates a new identity with a generator of random numbers, such as a test's.
  package static func random(using generator: inout some RandomNumberGenerator) -> ReplicaID {
    ReplicaID(rawValue: .random(in: 1...UInt64.max, using: &generator))
  }

  /// Orders identities by their numbers.
  package static func < (lhs: ReplicaID, rhs: ReplicaID) -> Bool { lhs.rawValue < rhs.rawValue }

  /// The number in hexadecimal, such as `9f86d081884c7d65`.
  package var description: String {
    let digits = String(rawValue, radix: 16)
    return String(repeating: "0", count: 16 - digits.count) + digits
  }
}

extension ReplicaID: TableElement {
  /// The identity.
  package var tableKey: ReplicaID { self }
}
