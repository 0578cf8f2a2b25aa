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

  /// How far ahead of the last id of this process one may be that was made up elsewhere and is skipped; those
  /// further ahead are not reached, and the counter can't be made to overflow.
  private static let reach: UInt64 = 1 << 32

  /// Has this process never give an id that an object has got otherwise.
  ///
  /// Every change set that is sent has ids of its process, from which a peer or a file can make others.
  static func skip(_ id: ObjectID) {
    guard id.replica == here else { return }
    let newest = counter.load(ordering: .relaxed)
    guard id.counter > newest, id.counter - newest <= reach else { return }
    counter.max(id.counter, ordering: .relaxed)
  }

  /// The last id that this process has given.
  static var newest: ObjectID { ObjectID(replica: here, counter: counter.load(ordering: .relaxed)) }
}
