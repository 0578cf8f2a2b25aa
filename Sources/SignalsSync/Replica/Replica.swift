// A store that shares its objects through a log.
//
// State: `places`, the joined partitions, each with its merge state, its tasks and what the log
// doesn't have yet (PartitionReplica.swift); `isOnline`. All of it belongs to the isolation domain of
// the store. The tasks of a partition read and append on any executor, and come back to the actor
// with what they have read.
//
// Order of events: a commit becomes a change set in each partition that it touches (ReplicaCapture.swift).
// The set is pending until the log has it. What others appended is merged as it arrives: merging
// doesn't depend on the order, so pending sets stay on top.

public import Signals

/// A store whose objects are shared with other stores, by partitions of a log.
///
/// ```swift
/// let replica = Replica(store, log: log, sharing: [SharedClass(Todo.self, in: "todos")])
/// try await replica.join("todos")
/// try store.add(Todo("milk"))          // in all stores that have joined
/// ```
///
/// - Every commit of shared objects is visible at once, and is pending until the log has it. Without a
///   connection commits wait, and are appended when there is one.
/// - A commit becomes one change set for each partition that it touches; each is applied elsewhere
///   as a whole.
/// - All stores with the same entries show the same objects. What was written concurrently is merged
///   by the rules of the properties, and what lost is published by ``losses``.
/// - An object that is added in a partition that isn't joined joins it.
/// - A link to an object of a partition that isn't joined reads nil, and refers to the object as soon
///   as that is there.
///
/// The replica belongs to an actor, as its store does. It ends when it is released; its commits that
/// the log doesn't have are lost then, unless they were awaited with ``flush()``.
public final class Replica {
  /// The store.
  public let store: Store
  /// Whether the last call of the log succeeded.
  @Signal public internal(set) var isOnline = true
  /// Publishes each commit that the log refused, after it was taken back.
  public let refusals = Subject<RefusedCommit, Never>()
  /// Publishes each value that lost against a concurrent one.
  package let losses = Subject<MergeReport.Loss, Never>()
  let log: any ChangeLog
  let classes: [SharedClass]
  let identity: ReplicaID
  let wall: @Sendable () -> UInt64
  let isolation: TaskIsolation
  let sleep: @Sendable (_ attempt: Int) async -> Void
  private(set) var places: [Partition: PartitionReplica] = [:]

  /// Shares classes of a store, which has no objects of them yet.
  ///
  /// Traps without an actor.
  ///
  /// - Parameters:
  ///   - store: The store.
  ///   - log: The log, which may be another process's.
  ///   - classes: The shared classes.
  ///   - isolation: The actor of the store.
  public convenience init(
    _ store: Store, log: any ChangeLog, sharing classes: [SharedClass],
    isolation: isolated (any Actor)? = #isolation
  ) {
    self.init(
      store, log: log, sharing: classes, as: .random(), wall: WallClock.milliseconds,
      isolation: isolation
    ) { attempt in
      try? await Task.sleep(for: .milliseconds(50 << min(attempt, 9)))
    }
  }

  /// Shares classes with an identity, a wall clock and a delay between attempts that a test gives.
  package init(
    _ store: Store, log: any ChangeLog, sharing classes: [SharedClass], as identity: ReplicaID,
    wall: @escaping @Sendable () -> UInt64, isolation: isolated (any Actor)? = #isolation,
    sleep: @escaping @Sendable (_ attempt: Int) async -> Void
  ) {
    self.store = store
    self.log = log
    self.classes = classes
    self.identity = identity
    self.wall = wall
    self.sleep = sleep
    self.isolation = TaskIsolation(isolation, of: "Replica(_:log:sharing:)")
    store.startCapture(ReplicaCapture(self))
  }

  deinit {
    store.stopCapture()
    for place in places.values { place.stop() }
  }

  /// The joined partitions.
  public var partitions: [Partition] { places.keys.sorted(by: Partition.precedes) }

  /// Joins a partition, and returns when its objects are in the store.
  ///
  /// A partition that is joined already is awaited. Afterwards the store follows the log until the
  /// partition is left.
  ///
  /// - Parameter partition: The partition.
  /// - Throws: ``ReplicaError`` if the log can't be read and trying again doesn't help. Without a
  ///   connection it waits.
  public func join(
    _ partition: Partition, isolation: isolated (any Actor)? = #isolation
  ) async throws(ReplicaError) {
    try await place(partition).whenLoaded()
  }

  /// Leaves a partition: its objects leave the store, and aren't deleted elsewhere.
  ///
  /// - Parameters:
  ///   - partition: The partition.
  ///   - discarding: Whether commits that the log doesn't have yet may be lost.
  /// - Throws: ``ReplicaError/pendingChanges(_:count:)``, ``ReplicaError/notJoined(_:)`` and
  ///   ``ReplicaError/transactionIsOpen``; nothing has changed.
  public func leave(
    _ partition: Partition, discardingPending discarding: Bool = false
  ) throws(ReplicaError) {
    guard let place = places[partition] else { throw .notJoined(partition) }
    let count = place.pendingCount
    if count > 0, !discarding { throw .pendingChanges(partition, count: count) }
    guard store.canMerge else { throw .transactionIsOpen }
    place.stop()
    places[partition] = nil
    place.merging.removeObjects()
  }

  /// The state of a joined partition: the position up to which it has the log's entries.
  ///
  /// Reading it in a view or an effect makes that depend on it. It is ``Loadable/idle`` for a
  /// partition that isn't joined.
  public func state(of partition: Partition) -> Loadable<LogPosition> {
    places[partition]?.state.value ?? .idle
  }

  /// The number of commits that the log doesn't have yet.
  public var pendingCount: Int { places.values.reduce(0) { $0 + $1.pendingCount } }

  /// Returns when the log has all commits that were made before the call.
  public func flush(isolation: isolated (any Actor)? = #isolation) async {
    for place in places.values { await place.whenAppended() }
  }

  // MARK: - Partitions

  /// The joined partition with a name, which is joined if it isn't yet.
  func place(_ partition: Partition) -> PartitionReplica {
    if let place = places[partition] { return place }
    let place = PartitionReplica(partition, of: self)
    places[partition] = place
    place.start()
    return place
  }

  /// Shows links of other partitions whose targets a partition has got.
  func noteArrivals(apartFrom place: PartitionReplica) {
    for other in places.values where other !== place { other.merging.showArrivals() }
  }

  /// The partition of an object of a shared class.
  ///
  /// The partition that a new object's class states counts. Later the object stays where it is.
  func place(of object: Object, class number: Int) -> PartitionReplica {
    if let stated = classes[number].partition?(object) {
      let place = place(stated)
      if place.merging.knows(object) { return place }
      return places.values.first { $0.merging.knows(object) } ?? place
    }
    if let place = places.values.first(where: { $0.merging.knows(object) }) { return place }
    guard let owner = (object as? EmbeddedObject)?.owner,
      let number = classes.firstIndex(where: { $0.type == type(of: owner) })
    else { trap("a part of the class \(type(of: object)) has an owner whose class isn't shared") }
    return place(of: owner, class: number)
  }
}

extension Origin {
  /// The origin of the commits by which a replica merges what others have changed.
  public static let replica = Origin("replica")
}
