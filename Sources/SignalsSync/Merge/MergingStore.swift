// A store that converges with others: it captures what is changed here as change sets, and merges
// those of other replicas.
//
// State: `state`, the merge state; `clock`; `sequences`, the number of the next set of each author,
// and `early`, the sets that wait for it; `seen`, what has been merged; `outbox`, the sets made here
// that nobody has taken; `pass`, what the merge under way has found; `pending`, the changes of the
// commit being captured. All of it belongs to the isolation domain of the store.
//
// Order of events in a merge: sets are checked and put in the order of their authors; their
// operations change the registers, and the instances as far as that is all there is to do
// (MergingStore+Operations.swift); then the graph is derived from the registers, where they touched
// more than fields (MergingStore+Settling.swift). All of it is one transaction.

package import Signals

/// Merges the change sets of other replicas into a store, and captures those of this one.
///
/// Stores that have merged the same sets have equal graphs, in whatever order the sets came and
/// however often.
package final class MergingStore {
  package let store: Store
  /// The identity under which this store's changes are known.
  package let replica: ReplicaID
  @safe @exclusivity(unchecked) package var clock: HybridClock
  @safe @exclusivity(unchecked) var state = SharedState()
  @safe @exclusivity(unchecked) var pass = MergePass()
  @safe @exclusivity(unchecked) var groups: [Entity: KeyGroup] = [:]
  @safe @exclusivity(unchecked) var groupOf: [Entity: Entity] = [:]
  /// The chosen owner of each part that is visible.
  @safe @exclusivity(unchecked) var chosen: [Entity: FieldKey] = [:]
  /// The instances that have left the store, of objects that may come back.
  @safe @exclusivity(unchecked) var departed: [Entity: DepartedObject] = [:]
  /// The parts that have come back to a former owner, by the link or list that shows them.
  @safe @exclusivity(unchecked) var returned: [FieldKey: Set<Entity>] = [:]
  @safe @exclusivity(unchecked) var returnedTo: [Entity: FieldKey] = [:]
  @safe @exclusivity(unchecked) var seen = SeenTimes()
  @safe @exclusivity(unchecked) var sequences: ContiguousArray<UInt64> = [1]
  /// Whether something was merged since the last commit.
  @safe @exclusivity(unchecked) var hasSeenMore = false
  /// What was seen since the last change set made here.
  @safe @exclusivity(unchecked) var unsentSeen: [Stamp] = []
  var early: [UInt32: [UInt64: SharedChangeSet]] = [:]
  let ownAuthor: UInt32
  /// Publishes each value that has lost against a concurrent change, after the merge.
  package let losses = Subject<MergeReport.Loss, Never>()
  private(set) var classesByName: [String: ClassState] = [:]
  private(set) var classesByType: [ObjectIdentifier: ClassState] = [:]
  @safe @exclusivity(unchecked) var outbox = Outbox()
  @safe @exclusivity(unchecked) var builder = SharedChangeSetBuilder()
  @safe @exclusivity(unchecked) var pending = PendingCommit()
  /// The maxima of which a smaller value was written here.
  @safe @exclusivity(unchecked) var lowered: Set<FieldKey> = []
  /// The links and lists whose target came back by a commit made here.
  @safe @exclusivity(unchecked) var woken: Set<FieldKey> = []
  /// The objects whose life a commit made here left otherwise than the registers say.
  @safe @exclusivity(unchecked) var unsettled: Set<Entity> = []
  /// The counter of the element of a list that was made here last.
  @safe @exclusivity(unchecked) var lastElement: UInt64 = 0
  private var isMerging = false
  /// Whether the store passes its commits here.
  private var isFollowing = false
  /// The instances of the merge state whose place this one takes, while it does.
  var adopted: MergingStore?
  /// Puts right what a commit has left otherwise than the registers say.
  lazy var follower = CommitFollower { [weak self] in self?.settleCommit() }

  /// Shares classes of a store, whose objects are captured from now on.
  ///
  /// The store has no objects of these classes yet.
  ///
  /// - Parameters:
  ///   - store: The store.
  ///   - types: The classes, each with another name. Subclasses are shared only if they are named.
  ///   - replica: The identity of this replica, which no other has.
  ///   - clock: The clock, which is later than all that the replica has made before.
  package convenience init(
    _ store: Store, sharing types: [Object.Type], as replica: ReplicaID = .random(),
    clock: HybridClock = HybridClock()
  ) {
    self.init(unfollowed: store, sharing: types, as: replica, clock: clock)
    store.startCapture(CaptureRelay(self))
    isFollowing = true
  }

  /// Shares classes of a store whose commits something else passes here.
  init(
    unfollowed store: Store, sharing types: [Object.Type], as replica: ReplicaID, clock: HybridClock
  ) {
    self.store = store
    self.replica = replica
    self.clock = clock
    ownAuthor = state.stamps.author(replica)
    sequences.append(1)
    for type in types {
      let shared = ClassState(type, number: state.classes.count, in: store)
      precondition(classesByName[shared.name] == nil, "two shared classes are named \(shared.name)")
      state.classes.append(shared)
      classesByName[shared.name] = shared
      classesByType[ObjectIdentifier(type)] = shared
    }
    markCascadeTargets()
  }

  /// Targets of cascading links take part in derivation, like parts.
  private func markCascadeTargets() {
    for one in state.classes {
      one.isStructural =
        one.isEmbedded || !one.structuralFields.isEmpty
        || state.classes.contains { other in
          other.fields.contains { $0.isStructural && $0.property.holds(one.type) }
        }
    }
  }

  deinit { if isFollowing { store.stopCapture() } }

  // MARK: - Merging

  /// Merges change sets, in one transaction.
  ///
  /// Sets that have been merged before are skipped. A set that comes before an earlier one of its
  /// author waits for that.
  ///
  /// - Parameters:
  ///   - sets: The change sets, in any order.
  ///   - origin: The origin of the commit.
  /// - Returns: What couldn't be kept.
  /// - Throws: ``MergeError``, and an `EndlessChainError` of what the commit set off.
  @discardableResult
  package func merge(_ sets: [SharedChangeSet], origin: Origin? = nil) throws -> MergeReport {
    try merge(sets, after: [], origin: origin)
  }

  /// Merges the change sets of a snapshot, whatever their numbers, and others after them.
  func merge(
    _ sets: [SharedChangeSet], after snapshot: [SharedChangeSet], origin: Origin?
  ) throws -> MergeReport {
    pass = MergePass()
    var report = MergeReport()
    guard !isMerging, store.canMerge else { throw MergeError.transactionIsOpen }
    isMerging = true
    defer { isMerging = false }
    let ready = admit(snapshot) + sort(sets, into: &report)
    pass.report = report
    pass.report.applied = ready.count
    if !ready.isEmpty || needsSettling || adopted != nil {
      _ = try store.merge(origin: origin) { merge in
        raiseLowered(merge)
        pass.touched = exchange(&unsettled, with: [])
        for key in exchange(&woken, with: []) { noteLinking(key) }
        for (set, author) in ready { apply(set, by: author, merge) }
        removeUnadopted(merge)
        settle(merge)
        // Effects that the merge sets off may make commits of their own.
        report = pass.report
        pass = MergePass()
      }
    } else {
      report = pass.report
    }
    thinHistories()
    for loss in report.losses { losses.send(loss) }
    return report
  }

  /// Whether a commit made here has left something otherwise than the registers say.
  var needsSettling: Bool { !lowered.isEmpty || !woken.isEmpty || !unsettled.isEmpty }

  private func settleCommit() {
    guard needsSettling, !isMerging, store.canMerge else { return }
    do { try merge([]) } catch { store.onRefusal(error) }
  }

  /// Notes the authors and times of sets of a snapshot.
  private func admit(_ sets: [SharedChangeSet]) -> [(SharedChangeSet, UInt32)] {
    sets.map { set in
      let author = state.stamps.author(set.replica)
      while sequences.count <= Int(author) { sequences.append(1) }
      note(set)
      return (set, author)
    }
  }

  private func note(_ set: SharedChangeSet) {
    clock.witness(set.time)
    seen.note(set.stamp)
    hasSeenMore = true
  }

  /// Puts the sets that can be applied in their authors' orders, and the others aside.
  private func sort(
    _ sets: [SharedChangeSet], into report: inout MergeReport
  ) -> [(SharedChangeSet, UInt32)] {
    var ready: [(SharedChangeSet, UInt32)] = []
    ready.reserveCapacity(sets.count)
    func take(_ set: SharedChangeSet, _ author: UInt32) {
      sequences[Int(author)] += 1
      ready.append((set, author))
      note(set)
    }
    for set in sets {
      let author = state.stamps.author(set.replica)
      while sequences.count <= Int(author) { sequences.append(1) }
      let next = sequences[Int(author)]
      if set.sequence < next {
        report.duplicates += 1
        continue
      }
      if set.sequence > next {
        early[author, default: [:]][set.sequence] = set
        continue
      }
      take(set, author)
      while let following = early[author]?.removeValue(forKey: sequences[Int(author)]) {
        take(following, author)
      }
    }
    report.waiting = early.values.reduce(0) { $0 + $1.count }
    return ready
  }

  // MARK: - Reading

  /// The number of change sets made here that nothing has taken.
  var madeCount: Int { outbox.count }

  /// Takes the change sets made here since the last call, in their order.
  package func takeChanges() -> [SharedChangeSet] {
    let sets = outbox.sets(by: replica)
    outbox.removeAll()
    return sets
  }

  /// The visible object with an id, or with the same primary key as the object with the id.
  package func object(_ id: ObjectID) -> Object? {
    state.entities.find(id).flatMap { visibleObject($0) }
  }

  /// The id that stands for an object on all replicas: the smallest of those with its primary key.
  package func canonicalID(of object: Object) -> ObjectID {
    guard let entity = state.entities.find(object.objectID), let holder = groupOf[entity],
      let group = groups[holder]
    else { return object.objectID }
    return state.entities.ids[Int(group.members[0])]
  }

  /// The visible object of an entity, which may be one of another partition.
  func visibleObject(_ entity: Entity) -> Object? {
    if let object = state.object(groupOf[entity] ?? entity) { return object }
    if isFollowing || state.classOf[Int(entity)] >= 0 { return nil }
    return store.object(state.entities.ids[Int(entity)])
  }

  /// Shows links whose targets have come by other means than this merge state.
  func showArrivals() {
    for entity in Array(state.waiting.keys)
    where state.classOf[Int(entity)] < 0 && visibleObject(entity) != nil {
      if let keys = state.waiting.removeValue(forKey: entity) { woken.formUnion(keys) }
    }
    settleCommit()
  }

  func subject(_ key: FieldKey) -> MergeReport.Subject {
    let shared = state.classState(key.entity)
    return MergeReport.Subject(
      object: state.entities.ids[Int(key.entity)], className: shared?.name ?? "",
      property: shared?.fields[Int(key.field)].property.name ?? "")
  }
}

/// What the merge under way has found.
struct MergePass {
  var report = MergeReport()
  /// The new instances that aren't in the store yet, which nothing else retains.
  var fresh: [(entity: Entity, object: Object)] = []
  /// The entities whose life may have changed.
  var touched: Set<Entity> = []
  var links: Set<FieldKey> = []
  var lists: Set<FieldKey> = []
  /// The holders of groups whose values may have changed.
  var groups: Set<Entity> = []
  /// The entities whose primary key was changed by an operation.
  var rekeyed: Set<Entity> = []
  /// The claims on parts that are new, or that have been the strongest one.
  var claims: Set<PartClaim> = []
  /// The entities whose creation came after operations on them.
  var replayed: [Entity] = []
  /// The answer of the last question what an author had seen.
  var lastSeen: (later: StampIndex, author: UInt32, time: HybridTime) = (0, 0, .zero)
}
