internal import Synchronization

/// A permanent identifier of an object, also valid in change sets, snapshots and other stores.
///
/// An id is a value and can cross isolation domains, unlike the object itself.
public struct ObjectID: Hashable, Comparable, Codable, Sendable, CustomStringConvertible {
  /// The process that created the object, as a random number that is chosen once per process.
  public let replica: UInt64
  /// The object's number within its process; later objects have higher numbers.
  public let counter: UInt64

  /// Creates an id from its parts.
  ///
  /// - Parameters:
  ///   - replica: The process that created the object.
  ///   - counter: The number of the object in that process.
  public init(replica: UInt64, counter: UInt64) {
    self.replica = replica
    self.counter = counter
  }

  /// Orders ids by replica, then by counter, which is the order of creation.
  ///
  /// - Parameters:
  ///   - lhs: A value to compare.
  ///   - rhs: Another value to compare.
  /// - Returns: Whether the first precedes the second.
  public static func < (lhs: ObjectID, rhs: ObjectID) -> Bool {
    (lhs.replica, lhs.counter) < (rhs.replica, rhs.counter)
  }

  /// The counter, such as `#12`, which distinguishes the objects of one process.
  public var description: String { "#\(counter)" }

  private static let here = UInt64.random(in: 1...UInt64.max)
  private static let counter = Atomic<UInt64>(0)

  static func next() -> ObjectID {
    ObjectID(replica: here, counter: counter.add(1, ordering: .relaxed).newValue)
  }

  /// The farthest that ``skip(_:)`` advances the counter, for an id of this process made up
  /// elsewhere.
  ///
  /// The counter won't reach an id that is further ahead, and no such id can make it overflow.
  private static let reach: UInt64 = 1 << 32

  /// Ensures that this process never creates an id that an object already has by other means.
  ///
  /// Each change set that is sent contains ids of its process, from which a peer or a file can make
  /// up others.
  static func skip(_ id: ObjectID) {
    guard id.replica == here else { return }
    let newest = counter.load(ordering: .relaxed)
    guard id.counter > newest, id.counter - newest <= reach else { return }
    counter.max(id.counter, ordering: .relaxed)
  }

  /// The last id that this process has created.
  static var newest: ObjectID { ObjectID(replica: here, counter: counter.load(ordering: .relaxed)) }
}
