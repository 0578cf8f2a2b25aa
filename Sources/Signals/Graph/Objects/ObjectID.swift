internal import Synchronization

/// Names an object for ever: in change sets, in snapshots, and in other stores.
///
/// An id is a value and can cross isolation domains, which the object itself can't.
public struct ObjectID: Hashable, Comparable, Codable, Sendable, CustomStringConvertible {
  /// Which process made the object.
  public let replica: UInt64
  /// Which one it was there; later objects have higher numbers.
  public let counter: UInt64

  /// Creates an id from its parts.
  public init(replica: UInt64, counter: UInt64) {
    self.replica = replica
    self.counter = counter
  }

  /// Orders by replica, then by creation.
  public static func < (lhs: ObjectID, rhs: ObjectID) -> Bool {
    (lhs.replica, lhs.counter) < (rhs.replica, rhs.counter)
  }

  /// The counter, which tells objects of one process apart.
  public var description: String { "#\(counter)" }

  private static let here = UInt64.random(in: 1...UInt64.max)
  private static let counter = Atomic<UInt64>(0)

  static func next() -> ObjectID {
    ObjectID(replica: here, counter: counter.add(1, ordering: .relaxed).newValue)
  }

  /// The last id that this process has given.
  static var newest: ObjectID { ObjectID(replica: here, counter: counter.load(ordering: .relaxed)) }
}
