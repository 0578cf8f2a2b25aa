// One partition of a replica: its merge state, and how far the log and the store have come.
//
// State, which is used on the actor of the replica only:
// - `merging`: the merge state; another one after the partition was loaded again.
// - `head`: the end of what is merged of the log; nil until the partition is loaded.
// - `pending`: the sets made here that weren't seen in the log, in order; `sent`, how many of them were
//   appended or are being appended.
// - `waiting`: who waits for the partition to be loaded or for its sets to be in the log.
// - `isPushIdle`: whether the task that appends waits for the next set.
// - `pulling`, `pushing`: the tasks (PartitionReplica+Tasks.swift).
//
// Order of events when the partition is loaded: the snapshot and all entries up to the head are read;
// a new merge state takes the place of the old one, with the same instances, and merges them, then what
// is pending. The log's truncation and a refusal are answered by loading again: there is one way to
// get a state.

internal import Signals

/// The state of one partition of a replica.
///
/// The unchecked conformance is safe: the tasks pass it only to functions that are isolated to the
/// actor of the replica, which alone uses its state.
final class PartitionReplica: @unchecked Sendable {
  let partition: Partition
  let log: any ChangeLog
  let actor: WeakActor
  private(set) weak var replica: Replica?
  private(set) var merging: MergingStore
  /// How far the partition is loaded.
  let state = Signal(Loadable<LogPosition>.loading(progress: nil, previous: nil))
  var head: LogHead?
  private(set) var pending: [SharedChangeSet] = []
  private(set) var sent = 0
  private var loadWaiters: [CheckedContinuation<ReplicaError?, Never>] = []
  private var appendWaiters: [(sequence: UInt64, continuation: CheckedContinuation<Void, Never>)] = []
  private(set) var failure: ReplicaError?
  private var isPushIdle = false
  let changes: AsyncStream<Void>
  private let signal: AsyncStream<Void>.Continuation
  var pulling: Task<Void, Never>?
  var pushing: Task<Void, Never>?

  init(_ partition: Partition, of replica: Replica) {
    self.partition = partition
    self.replica = replica
    log = replica.log
    actor = replica.isolation.checkedActor()
    merging = MergingStore(
      unfollowed: replica.store, sharing: replica.classes.map(\.type), as: replica.identity,
      clock: HybridClock(wall: replica.wall))
    (changes, signal) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
  }

  /// Ends the tasks; what waits for them is answered.
  func stop() {
    pulling?.cancel()
    pushing?.cancel()
    signal.finish()
    for waiter in exchange(&loadWaiters, with: []) { waiter.resume(returning: .notJoined(partition)) }
    for waiter in exchange(&appendWaiters, with: []) { waiter.continuation.resume() }
  }

  // MARK: - Changes made here

  /// Notes that the merge state has a new change set.
  func noteChange() {
    guard isPushIdle else { return }
    isPushIdle = false
    signal.yield()
  }

  /// The number of sets that aren't known to be in the log.
  var pendingCount: Int { pending.count + merging.madeCount }

  /// Takes the sets that the log should get next; if there are none, the next one will be signaled.
  ///
  /// While the partition is loaded there are none, because that can number them anew.
  func takeUnsent(limit: Int) -> [SharedChangeSet] {
    if head == nil {
      isPushIdle = true
      return []
    }
    pending += merging.takeChanges()
    let unsent = Array(pending[sent...].prefix(limit))
    sent += unsent.count
    isPushIdle = unsent.isEmpty
    return unsent
  }

  /// Notes that the log may not have the sets from a number on.
  ///
  /// If it has them all the same, they are skipped when they are read twice.
  func resend(from sequence: UInt64) {
    sent = pending.firstIndex { $0.sequence >= sequence } ?? pending.count
  }

  /// Notes that sets made here were read in the log.
  private func acknowledge(_ sets: [SharedChangeSet]) {
    guard let last = sets.last(where: { $0.replica == merging.replica }) else { return }
    let count = pending.prefix { $0.sequence <= last.sequence }.count
    pending.removeFirst(count)
    sent = max(0, sent - count)
    let done = appendWaiters.filter { $0.sequence <= last.sequence }
    appendWaiters.removeAll { $0.sequence <= last.sequence }
    for waiter in done { waiter.continuation.resume() }
  }

  /// Returns when the log has all sets that were made before.
  func whenAppended() async {
    pending += merging.takeChanges()
    guard let last = pending.last?.sequence else { return }
    noteChange()
    await withCheckedContinuation { appendWaiters.append((last, $0)) }
  }

  // MARK: - What the log has

  /// Returns when the partition is loaded.
  func whenLoaded() async throws(ReplicaError) {
    if let failure { throw failure }
    if head != nil { return }
    if let error = await withCheckedContinuation({ loadWaiters.append($0) }) { throw error }
  }

  /// Merges entries that follow those merged before.
  ///
  /// - Returns: Whether it was possible; not while a transaction is open.
  func merge(_ sets: [SharedChangeSet], upTo head: LogHead) throws -> Bool {
    guard let replica, replica.store.canMerge else { return false }
    let report = try merging.merge(sets, origin: .replica)
    acknowledge(sets)
    self.head = head
    state.value = .loaded(head.position)
    if report.applied > 0 { replica.noteArrivals(apartFrom: self) }
    for loss in report.losses { replica.losses.send(loss) }
    return true
  }

  /// Replaces the merge state by that of the whole log, without changing what is the same.
  ///
  /// - Returns: Whether it was possible; not while a transaction is open.
  func load(_ contents: LoadedPartition) throws -> Bool {
    guard let replica, replica.store.canMerge else { return false }
    pending += merging.takeChanges()
    let old = merging
    let new = MergingStore(
      unfollowed: replica.store, sharing: replica.classes.map(\.type), as: replica.identity,
      clock: old.clock)
    let known = contents.nextSequence(of: replica.identity)
    let count = pending.prefix { $0.sequence < known }.count
    pending.removeFirst(count)
    sent = max(0, sent - count)
    // Those after a set that was refused move up.
    for index in pending.indices { pending[index] = pending[index].renumbered(known + UInt64(index)) }
    try new.load(
      contents.snapshot, contents.sets + pending, inPlaceOf: old, origin: .replica)
    merging = new
    head = contents.head
    failure = nil
    replica.isOnline = true
    state.value = .loaded(contents.head.position)
    noteChange()
    replica.noteArrivals(apartFrom: self)
    for waiter in exchange(&loadWaiters, with: []) { waiter.resume(returning: nil) }
    return true
  }

  /// Takes back the set that the log refused, and those that depend on it.
  ///
  /// - Parameters:
  ///   - sequence: The number of the refused set.
  ///   - first: The number of the first set of the append.
  ///   - reason: Why it was refused.
  func refuse(_ sequence: UInt64, from first: UInt64, reason: String) {
    guard let replica, let index = pending.firstIndex(where: { $0.sequence == sequence }) else {
      return
    }
    pending += merging.takeChanges()
    var refused: [SharedChangeSet] = []
    var created: Set<ObjectID> = []
    for set in pending[index...] {
      guard refused.isEmpty || set.depends(on: created) else { continue }
      refused.append(set)
      created.formUnion(set.operations.lazy.filter { $0.kind == .create }.map(\.object))
    }
    let dropped = Set(refused.map(\.sequence))
    pending.removeAll { dropped.contains($0.sequence) }
    resend(from: first)
    restart()
    for set in refused {
      replica.refusals.send(
        RefusedCommit(
          set, of: partition, reason: reason, isConsequence: set.sequence != sequence))
    }
  }

  /// Notes that the partition can't be loaded or followed.
  func fail(_ error: ReplicaError) {
    failure = error
    state.value = .failed(error, previous: head?.position)
    for waiter in exchange(&loadWaiters, with: []) { waiter.resume(returning: error) }
  }
}
