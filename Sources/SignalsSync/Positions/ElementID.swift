/// The identity of an element of a shared list, or of a position that a move made for one.
///
/// An identity is used once: a replica counts up, and never gives a counter to two elements or
/// positions. It has the parts of an `ObjectID`, but counts other things: an element is a place in a
/// list, where the same object can be several times.
package struct ElementID: Hashable, Comparable, Sendable {
  /// The replica that made the element.
  package var replica: UInt64
  /// The number of the element among those that the replica made.
  package var counter: UInt64

  package init(replica: UInt64, counter: UInt64) {
    self.replica = replica
    self.counter = counter
  }

  package static func < (lhs: ElementID, rhs: ElementID) -> Bool {
    // One comparison without branches: searches make many.
    lhs.bits < rhs.bits
  }

  private var bits: UInt128 { UInt128(replica) << 64 | UInt128(counter) }

  /// Returns the identity that is a number of steps further on in the counters of the replica.
  func advanced(by steps: Int) -> ElementID {
    ElementID(replica: replica, counter: counter &+ UInt64(steps))
  }
}

/// A run of identities: of one replica, with counters that follow each other.
package struct ElementRange: Hashable, Sendable {
  package var first: ElementID
  /// The number of identities: at least 1.
  package var count: Int

  package init(first: ElementID, count: Int) {
    self.first = first
    self.count = count
  }

  /// The last identity of the run.
  var last: ElementID { first.advanced(by: count - 1) }

  /// A Boolean value that says whether the run is not empty and ends before the counters do.
  var isWellFormed: Bool {
    guard count > 0, count <= PositionTree.mostSlots else { return false }
    return first.counter <= UInt64.max - UInt64(count)
  }
}
