// State, all in the isolation domain of the store:
// - `pending` has the submissions that no fact has answered, in order.
// - `overlay` has their changes of confirmed objects, and of embedded ones. `added` has the other
//   objects that they inserted.
//
// Order of events: a commit of the app is noted while it is sealed, and becomes a submission for each
// partition. It is sent after the commit, once its partition is joined. Facts arrive in order
// (Replica+Facts.swift).
//
// Invariant: the store without the overlay and without the added objects is the fold of the facts.

public import Signals

/// A store that shares partitions of its graph with other stores, by way of a server.
///
/// The store is written like any store, at once and without waiting for the server, also without a
/// connection. Its commits are sent to the server, which decides about them. The store shows what the
/// server has confirmed, with the pending commits on top.
///
/// ```swift
/// let replica = Replica(sharing: [
///   SharedClass(Board.self) { "board=\($0.id)" }, SharedClass(Card.self) { "board=\($0.boardID)" },
/// ])
/// replica.connect(server.connection(for: "anna"))
/// replica.join("board=42")
/// try replica.store.add(card)            // here at once, and soon in every replica that has joined
/// ```
///
/// - Facts of the server change the store in commits with the origin `Origin.sync`, which aren't
///   undone by `store.undo()`. Observers see the net difference; objects stay the same instances.
/// - A commit that changes several partitions is decided by partition.
/// - Rules of the store's `beforeCommit` are also called with facts. They must accept them, since an
///   error ends the membership in the partition, and must not write then: rules that decide or write
///   belong to the server. Neither must other code that runs inside of such a commit, as the
///   comparison or the `deinit` of a value: its writes to the store aren't shared. Effects, sinks and
///   `afterCommit` may write.
/// - A commit with a value that can't be encoded is refused like one that a rule refuses.
/// - An object whose fields would name another partition is refused by the server.
public final class Replica {
  /// The store.
  public let store: Store
  /// The author of the commits from now on.
  let author: UInt64
  /// All authors whose commits belong to this replica.
  var authors: Set<UInt64>
  let table: PartitionTable
  private let now: () -> UInt64
  var partitions: [Partition: ReplicaPartition] = [:]
  var pending: [Submission] = []
  /// The partitions that are left when nothing of them is pending.
  private(set) var leaving: Set<Partition> = []
  var overlay: [ChangeSet] = []
  /// The ids in the first of the overlay that aren't those of shared objects, or are those of deleted ones.
  private(set) var unshared: Set<ObjectID> = []
  var added: Set<ObjectID> = []
  /// The targets for which links would wait without the pending commits.
  var waiting = WaitingLinks()
  /// The objects with pending changes.
  var pendingIDs: Set<ObjectID> = []
  /// The objects that pending commits have deleted, which return if the server refuses that.
  private(set) var deleted: [ObjectID: Object] = [:]
  /// The submissions of the commits whose effects haven't run yet.
  private var fresh: [Submission] = []
  /// Replaces the state when the commit that applies facts is sealed; that commit isn't submitted.
  var didApply: (() -> Void)?
  /// The file, or `nil` for a replica in memory.
  var file: ReplicaFile?
  private var connection: SyncConnection?
  private var messages: ReplicaMessageWriter?
  /// The submissions that are being sent.
  private var outgoing: [Submission] = []
  private var isSending = false
  /// The partitions by the numbers that the server uses on the connection.
  var numbered: [UInt64: ReplicaPartition] = [:]
  private let online = Signal(false, name: "the connection of a replica")
  /// The error that has ended the last connection or attempt.
  let lastError = Signal(String?.none, name: "why a replica is offline")
  /// Whether the server has accepted the connection.
  private var isWelcome = false
  /// The number of connections that a server has accepted.
  private(set) var welcomeCount = 0
  private let count = Signal(0, name: "the pending commits of a replica")
  /// Whether an object is pending, for the objects of which that was read.
  private var marks: [ObjectID: Signal<Bool>] = [:]
  /// The number of marks at which those without readers are removed.
  private var markLimit = 64
  let refusalObservers = Subject<SyncRefusal, Never>()
  let lossObservers = Subject<SyncLoss, Never>()
  private var tokens: [any Cancellable] = []

  /// Creates a replica with an empty store.
  ///
  /// - Parameter classes: The shared classes.
  public convenience init(sharing classes: [SharedClass]) {
    self.init(sharing: classes, author: .random(in: 1...UInt64.max), now: WallClock.milliseconds)
  }

  package init(sharing classes: [SharedClass], author: UInt64, now: @escaping () -> UInt64) {
    (store, table) = (Store(), PartitionTable(classes))
    (self.author, self.now, authors) = (author, now, [author])
    store.companion { ReplicaReference() }.replica = self
    tokens = [
      store.commitObservers.addSynchronousObserver { [unowned self] in note(&$0) },
      store.commitObservers.add(
        if: { [unowned self] in !fresh.isEmpty || file?.isLong ?? false }
      ) { [unowned self] _ in
        sendFresh()
        compactIfDue()
        return true
      },
    ]
  }

  deinit { connection?.close() }

  // MARK: - State

  /// Whether a server has accepted the connection of the replica; reads are tracked.
  public var isOnline: Bool { online.value }

  /// The error that has ended the last connection or attempt, or `nil` if there was none or the
  /// replica is online; reads are tracked.
  public var offlineReason: String? { lastError.value }

  /// The number of commits that the server hasn't decided, counted once for each partition; reads are
  /// tracked.
  public var pendingCount: Int { count.value }

  /// Returns whether an object has changes that the server hasn't decided; reads are tracked.
  func isPending(_ object: Object) -> Bool {
    let id = object.objectID
    if let mark = marks[id] { return mark.value }
    if marks.count >= markLimit {
      marks = marks.filter { $0.value.isObserved }
      markLimit = max(64, 2 * marks.count)
    }
    let mark = Signal(pendingIDs.contains(id), name: "whether an object is pending")
    marks[id] = mark
    return mark.value
  }

  /// Returns the state of a partition; reads are tracked.
  ///
  /// - Parameter partition: The name of the partition.
  public func state(of partition: String) -> PartitionState {
    entry(Partition(partition)).state.value
  }

  /// Sends each refusal of the server, once.
  public var refusals: some Publisher<SyncRefusal, Never> { refusalObservers }

  /// Sends each value of this replica that has lost a conflict, once.
  public var losses: some Publisher<SyncLoss, Never> { lossObservers }

  // MARK: - Joining

  /// Joins a partition, now or as soon as there is a connection.
  ///
  /// - Parameter partition: The name of the partition.
  public func join(_ partition: String) {
    let entry = entry(Partition(partition))
    entry.isAsked = true
    join(entry)
  }

  private func join(_ entry: ReplicaPartition) {
    leaving.remove(entry.partition)
    if entry.isWanted, entry.state.peek().isUnderWay || entry.state.peek() == .joined { return }
    entry.isWanted = true
    sendJoin(entry)
  }

  /// Leaves a partition as soon as the server has decided about its pending commits; its objects stay
  /// in the store, and change no more.
  ///
  /// - Parameter partition: The name of the partition.
  public func leave(_ partition: String) {
    guard let entry = partitions[Partition(partition)], entry.isWanted else { return }
    entry.isAsked = false
    leaveWhenDecided(entry)
  }

  /// Joins a partition that a view shows.
  func use(_ partition: String) {
    let entry = entry(Partition(partition))
    entry.users += 1
    if !entry.isWanted || leaving.contains(entry.partition) { join(entry) }
  }

  /// Leaves a partition when the last view that shows it is gone.
  func endUse(of partition: String) {
    let entry = entry(Partition(partition))
    entry.users -= 1
    if entry.users == 0, entry.isWanted, !entry.isAsked { leaveWhenDecided(entry) }
  }

  private func leaveWhenDecided(_ entry: ReplicaPartition) {
    if pending.contains(where: { $0.partition == entry.partition }) {
      leaving.insert(entry.partition)
    } else {
      leave(entry, with: .notJoined)
    }
  }

  /// Returns the replica of a store, or `nil` if it has none.
  static func of(_ store: Store) -> Replica? { store.companion { ReplicaReference() }.replica }

  func leave(_ entry: ReplicaPartition, with state: PartitionState) {
    entry.isWanted = false
    leaving.remove(entry.partition)
    (entry.state.value, entry.present.value, entry.arriving) = (state, [:], nil)
    if isWelcome { send(ReplicaMessageWriter.leave(entry.partition)) }
  }

  func entry(_ partition: Partition) -> ReplicaPartition {
    if let known = partitions[partition] { return known }
    let new = ReplicaPartition(partition)
    partitions[partition] = new
    return new
  }

  // MARK: - The connection

  /// Uses a connection in place of the present one.
  ///
  /// When the server has accepted it, all partitions are joined, and the pending commits are sent.
  ///
  /// - Parameter connection: A connection that no other replica uses.
  public func connect(_ connection: SyncConnection) {
    if connection.isClosed { return }
    // Effects that connect run later.
    batch { use(connection) }
  }

  private func use(_ connection: SyncConnection) {
    self.connection?.close()
    self.connection = connection
    let former = Set(pending.map(\.author)).subtracting([author]).sorted()
    let writer = ReplicaMessageWriter(authors: [author] + former)
    (messages, outgoing, numbered) = (writer, [], [:])
    connection.toReplica.didClose = { [weak self, unowned connection] in
      guard let self, self.connection === connection else { return }
      batch { self.didDisconnect() }
    }
    connection.toReplica.receive = { [weak self, unowned connection] in
      self?.receive($0)
      connection.didHandle($0.count, from: \.toReplica)
    }
    send(writer.hello)
  }

  /// Closes the connection; the replica can be written further.
  public func disconnect() {
    connection?.close()
    lastError.value = nil
  }

  /// Joins all partitions when the server has accepted the connection.
  func didConnect() {
    if isWelcome { return }
    batch { joinAll() }
  }

  private func joinAll() {
    isWelcome = true
    welcomeCount += 1
    lastError.value = nil
    let wanted = partitions.values.filter(\.isWanted)
    for entry in wanted.sorted(by: { Partition.precedes($0.partition, $1.partition) }) {
      sendJoin(entry)
    }
    online.value = true
  }

  private func didDisconnect() {
    let failure = connection?.failure
    (connection, outgoing, isWelcome) = (nil, [], false)
    lastError.value = failure.map { "\($0)" }
    for entry in partitions.values {
      (entry.serverNumber, entry.arriving) = (nil, nil)
      entry.present.value = [:]
      switch entry.state.value {
      case .joined, .delayed: entry.state.value = .joining(progress: 0)
      case .notJoined, .joining, .refused: break
      }
    }
    online.value = false
  }

  /// Closes the connection for a reason.
  func disconnect(_ error: any Error) { connection?.close(error) }

  func sendJoin(_ entry: ReplicaPartition) {
    entry.state.value = .joining(progress: 0)
    (entry.begin, entry.expected) = (entry.facts, .max)
    if isWelcome {
      send(ReplicaMessageWriter.join(entry.partition, facts: entry.facts, chain: entry.head.chain))
    }
  }

  private func send(_ message: [UInt8]) { connection?.send(message, to: \.toServer) }

  /// Sends the submissions of the last commits, when their effects have run.
  private func sendFresh() {
    if fresh.isEmpty { return }
    let submissions = fresh
    fresh = []
    publish()
    send(submissions.filter { entry($0.partition).state.peek() == .joined })
  }

  /// Sends the status of the user, if the server knows the partition.
  func sendStatus(of entry: ReplicaPartition) {
    guard let number = entry.serverNumber else { return }
    send(ReplicaMessageWriter.status(entry.status, in: number))
  }

  func send(_ submissions: [Submission]) {
    if connection == nil { return }
    outgoing += submissions
    if isSending { return }
    isSending = true
    defer { isSending = false }
    // The encoding of a value may write, which sends more, or connect, which begins other messages.
    while let connection, !outgoing.isEmpty {
      let group = outgoing
      outgoing = []
      for submission in group {
        guard self.connection === connection, var writer = messages.take() else { break }
        var message: [UInt8]?
        if let number = entry(submission.partition).serverNumber {
          message = writer.submit(submission, to: number)
        }
        if self.connection !== connection { break }
        messages = writer
        if let message { send(message) }
      }
    }
  }

  /// Notifies the readers of the pending commits, and leaves partitions that have none anymore.
  func publish() {
    count.value = pending.count
    for (id, mark) in marks { mark.value = pendingIDs.contains(id) }
    if leaving.isEmpty { return }
    for partition in leaving.subtracting(pending.lazy.map(\.partition)) {
      leave(entry(partition), with: .notJoined)
    }
  }

  // MARK: - Commits of the app

  private func note(_ commit: inout SealedCommit) {
    if let action = didApply.take() {
      if commit.origin == .sync {
        // A rule or an unshared link may have changed objects that aren't shared.
        let local = table.noteFacts(commit)
        file?.append([], local: local)
        return action()
      }
      // The facts had no net change, and the end of a value has written afterwards.
      action()
    }
    let known = fresh.count
    let (parts, local) = table.split(&commit, in: store)
    let failure = parts.isEmpty ? nil : table.refusal(of: commit.changes, in: store)
    for (partition, changes) in parts {
      let entry = entry(partition)
      entry.number += 1
      let submission = Submission(
        partition: partition, author: author, number: entry.number, base: entry.facts, time: now(),
        changes: changes, failure: failure)
      pending.append(submission)
      fresh.append(submission)
      let others = keepingAdded(changes)
      if !others.isEmpty { overlay.append(others) }
      pendingIDs.formUnion(changes.changes.map(\.id))
    }
    if !parts.isEmpty {
      for (id, object) in store.objectsDeletedInTransaction where pendingIDs.contains(id) {
        deleted[id] = object
      }
    }
    for change in local { noteUnshared(change) }
    file?.append(Array(fresh[known...]), local: local)
  }

  /// Replaces the pending commits and their net changes.
  func keep(_ submissions: [Submission], overlay new: ChangeSet) {
    (pending, overlay) = (submissions, [])
    let others = keepingAdded(new)
    if !others.isEmpty { overlay = [others] }
    unshared = Set(others.changes.lazy.map(\.id).filter { self.table.partition(of: $0) == nil })
    pendingIDs = Set(submissions.lazy.flatMap(\.changes.changes).map(\.id))
    let former = deleted
    deleted = former.filter { pendingIDs.contains($0.key) }
    withExtendedLifetime(former) {}
  }

  /// Moves the insertions of a pending commit to `added`, with all that happens to such objects.
  ///
  /// - Returns: The other changes.
  func keepingAdded(_ changes: ChangeSet) -> ChangeSet {
    var others: [ObjectChange] = []
    for change in changes.changes {
      if change.kind == .inserted, !(change.type is EmbeddedObject.Type), !isKnown(change.id) {
        added.insert(change.id)
      } else if added.contains(change.id) {
        if change.kind == .deleted { added.remove(change.id) }
      } else {
        others.append(change)
      }
    }
    return ChangeSet(others, origin: nil)
  }

  /// Whether an inserted object has been deleted by a pending commit, and so is confirmed.
  private func isKnown(_ id: ObjectID) -> Bool {
    // Most are new, for which the overlay isn't searched.
    pendingIDs.contains(id) && overlay.contains { $0[id] != nil }
  }
}

/// The replica of a store.
private final class ReplicaReference { weak var replica: Replica? }

extension Origin {
  /// The origin of commits that apply the facts of a server.
  public static let sync: Origin = "sync"
}
