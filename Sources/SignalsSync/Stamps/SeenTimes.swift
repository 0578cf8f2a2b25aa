/// For each replica, the newest time of its changes that have been merged.
///
/// A vector is of one partition, as are the sequences of its change sets: a partition's log has the
/// changes of each replica in their order, but the logs of two partitions are read independently.
/// Because a replica's changes in a partition are merged in their order, one time represents all
/// before it. So a change was seen exactly if its time isn't later than the one noted for its replica.
package struct SeenTimes: Equatable, Sendable {
  private var times: [ReplicaID: HybridTime] = [:]
  /// The replicas with a new time since the last delta was taken.
  private var changed: Set<ReplicaID> = []

  /// Creates a vector without times.
  package init() {}

  /// Creates a vector with the times of some stamps.
  package init(_ stamps: some Sequence<Stamp>) {
    for stamp in stamps { note(stamp) }
  }

  /// The newest time seen from a replica; zero for an unknown one.
  package subscript(replica: ReplicaID) -> HybridTime { times[replica] ?? .zero }

  /// The number of replicas of which something has been seen.
  package var count: Int { times.count }

  /// Whether a change has been seen.
  package func contains(_ stamp: Stamp) -> Bool { stamp.time <= self[stamp.replica] }

  /// Notes that a replica's changes up to a time have been merged.
  ///
  /// - Returns: Whether the time is new.
  @discardableResult
  package mutating func note(_ stamp: Stamp) -> Bool {
    guard stamp.time > self[stamp.replica] else { return false }
    times[stamp.replica] = stamp.time
    changed.insert(stamp.replica)
    return true
  }

  /// Notes all times of another vector; the later of two stays.
  package mutating func formUnion(_ other: SeenTimes) {
    for (replica, time) in other.times { note(Stamp(time: time, replica: replica)) }
  }

  /// Returns the times noted since the last call, for a change set's ``SharedChangeSet/seen``.
  ///
  /// - Parameter author: The author of the change set, whose own times are left out.
  /// - Returns: One stamp a replica, ordered by replica.
  /// - Complexity: O(n log n) for n new times, however many there are in all.
  package mutating func takeDelta(excluding author: ReplicaID) -> [Stamp] {
    guard !changed.isEmpty else { return [] }
    var delta: [Stamp] = []
    for replica in changed.sorted() where replica != author {
      delta.append(Stamp(time: self[replica], replica: replica))
    }
    changed.removeAll(keepingCapacity: true)
    return delta
  }

  /// Returns the times that are later than in another vector, ordered by replica.
  package func delta(since earlier: SeenTimes) -> [Stamp] {
    stamps.filter { !earlier.contains($0) }
  }

  /// The newest time of each replica, ordered by replica.
  package var stamps: [Stamp] {
    times.map { Stamp(time: $0.value, replica: $0.key) }.sorted { $0.replica < $1.replica }
  }

  /// Two vectors are equal if they have the same times, whatever deltas were taken.
  package static func == (lhs: SeenTimes, rhs: SeenTimes) -> Bool { lhs.times == rhs.times }
}
