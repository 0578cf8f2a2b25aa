package import Signals

/// A hash of all registers of a replica, in whatever order they were written.
///
/// A register is a property of an object with its stamp and value. Two replicas with the same
/// registers have the same hash; with other registers, another one but for 1 in 2^64. It is the sum
/// of the registers' hashes, so it is kept up to date at the cost of what changes.
package struct StateHash: Hashable, Sendable {
  /// The sum.
  package private(set) var value: UInt64 = 0

  /// Creates the hash of no registers.
  package init() {}

  /// Creates the hash that was kept with a state.
  package init(value: UInt64) { self.value = value }

  /// Adds a register, given by its hash from a ``StateHasher``.
  package mutating func insert(_ register: UInt64) { value &+= register }

  /// Removes a register that was added.
  package mutating func remove(_ register: UInt64) { value &-= register }

  /// Adds all registers of another hash, such as another class's.
  package mutating func formUnion(_ other: StateHash) { value &+= other.value }
}

/// Hashes the registers of one property.
package struct StateHasher: Sendable {
  private let seed: UInt64

  /// Creates the hasher of a property, or of the creation or deletion of a class's objects.
  ///
  /// - Parameters:
  ///   - name: The name of the property or class, which all replicas know it by.
  ///   - kind: The kind of operation that writes the register.
  package init(name: String, kind: Operation.Kind) {
    let bytes = Array(name.utf8)
    seed = XXHash64.hash(bytes.span, seed: UInt64(kind.rawValue))
  }

  /// Returns the hash of a register.
  ///
  /// - Parameters:
  ///   - object: The object.
  ///   - stamp: When and by which replica the value was written.
  ///   - bytes: Bytes with the value.
  ///   - range: Where the value is in them; empty if the register has none.
  package func hash(
    of object: ObjectID, stamp: Stamp, value bytes: Span<UInt8>, in range: Range<Int>
  ) -> UInt64 {
    var hash = XXHash64.hash(bytes, in: range, seed: seed)
    hash = XXHash64.fold(object.replica, into: hash)
    hash = XXHash64.fold(object.counter, into: hash)
    hash = XXHash64.fold(stamp.time.rawValue, into: hash)
    hash = XXHash64.fold(stamp.replica.rawValue, into: hash)
    return XXHash64.finished(hash)
  }
}
