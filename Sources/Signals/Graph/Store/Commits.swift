// Who gets the change sets: one by one, in order, after everything else.

/// The commits of a store, as they happen: a publisher of change sets.
///
/// - Every commit is delivered, one by one, in order: none is lost, and none coalesced with another.
/// - Subscribers are called after effects, observers and hosts. What they write is a later commit.
///
/// ```swift
/// let token = store.commits.sink { change in print(change) }
/// ```
public struct Commits: Publisher {
  /// One commit.
  public typealias Output = ChangeSet
  /// It can't fail.
  public typealias Failure = Never

  let observers: CommitObservers

  /// Connects a subscriber to the commits that follow.
  public func subscribe<Downstream: Subscriber>(_ downstream: Downstream) -> (any Cancellable)?
  where Downstream.Input == ChangeSet, Downstream.Failure == Never {
    observers.add { downstream.receive($0) }
  }
}

extension Store {
  /// Every commit, one by one; see ``Commits``.
  public var commits: Commits { Commits(observers: commitObservers) }
}

/// What a commit was to the undo history of its store.
enum CommitKind {
  case undoable
  case notUndoable
  /// It took one step of the store's own history back, and did nothing else.
  case undo
  case redo
}

/// The sinks of a store.
package final class CommitObservers {
  private var sinks: [Weak] = []
  private var witnesses: [WeakWitness] = []

  private struct Weak { weak let sink: CommitSink? }
  private struct WeakWitness { weak let witness: CommitWitness? }

  /// How many sinks were neither cancelled nor released.
  @safe @exclusivity(unchecked) package fileprivate(set) var active = 0

  var isObserved: Bool { active > 0 }

  func add(_ receive: @escaping (ChangeSet) -> Bool) -> CommitSink {
    let sink = CommitSink(self, receive)
    active += 1
    sinks.removeAll { $0.sink == nil }
    sinks.append(Weak(sink: sink))
    LiveSubscriptions.begin(sink, SubscriptionName("an observer of the commits of a store"))
    return sink
  }

  /// Has `note` told of each commit while that is sealed, before anybody else.
  func addWitness(_ note: @escaping (ChangeSet, CommitKind) -> Void) -> CommitWitness {
    let witness = CommitWitness(self, note)
    active += 1
    witnesses.removeAll { $0.witness == nil }
    witnesses.append(WeakWitness(witness: witness))
    return witness
  }

  func send(_ change: ChangeSet, _ kind: CommitKind, from store: StoreAtHand) {
    for entry in witnesses { entry.witness?.note(change, kind) }
    for entry in sinks { entry.sink?.enqueue(change, store) }
  }
}

/// Takes note of commits; it may do nothing else.
final class CommitWitness {
  private let observers: CommitObservers
  fileprivate let note: (ChangeSet, CommitKind) -> Void

  init(_ observers: CommitObservers, _ note: @escaping (ChangeSet, CommitKind) -> Void) {
    self.observers = observers
    self.note = note
  }

  deinit { observers.active -= 1 }
}

/// One sink: queues change sets and delivers them when their phase of the turn comes.
final class CommitSink: Cancellable {
  private let observers: CommitObservers
  private let watcher: QueuedWatcher
  private var waiting: [(change: ChangeSet, store: StoreAtHand)] = []
  private var receive: ((ChangeSet) -> Bool)?

  init(_ observers: CommitObservers, _ receive: @escaping (ChangeSet) -> Bool) {
    self.observers = observers
    self.receive = receive
    watcher = QueuedWatcher(.commits, name: "an observer of commits")
    watcher.perform = { [unowned self] in deliver() }
  }

  var isActive: Bool { receive != nil }

  func enqueue(_ change: ChangeSet, _ store: StoreAtHand) {
    guard isActive else { return }
    waiting.append((change, store))
    watcher.enqueue()
  }

  private func deliver() {
    guard !waiting.isEmpty, let receive else { return }
    let (change, store) = waiting.removeFirst()
    if !waiting.isEmpty { watcher.enqueue() }
    Turn.deliveringCommit {
      Callback.runReporting { store.run { if !receive(change) { cancel() } } }
    }
  }

  func cancel() {
    if isActive {
      observers.active -= 1
      LiveSubscriptions.end(self)
    }
    // Released when all is ended: the closure may own what cancels this once more.
    let ended = (receive.take(), exchange(&waiting, with: []))
    withExtendedLifetime(ended) {}
  }

  deinit { cancel() }
}
