// Who gets the change sets: one by one, in order, after everything else.

/// The commits of a store, as they happen.
///
/// ```swift
/// let token = store.commits.sink { change in print(change) }
/// ```
public struct Commits {
  let observers: CommitObservers

  /// Calls `receive` with each change set, in order, until the token is cancelled or released.
  ///
  /// It is called after effects, observers and hosts. What it writes is a later commit.
  public func sink(_ receive: @escaping (ChangeSet) -> Void) -> any Cancellable {
    observers.add(receive)
  }
}

extension Store {
  /// Every commit, one by one; see ``Commits``.
  public var commits: Commits { Commits(observers: commitObservers) }
}

/// The sinks of a store.
final class CommitObservers {
  private var sinks: [Weak] = []

  private struct Weak { weak let sink: CommitSink? }

  /// How many sinks were neither cancelled nor released.
  @safe @exclusivity(unchecked) fileprivate(set) var active = 0

  var isObserved: Bool { active > 0 }

  func add(_ receive: @escaping (ChangeSet) -> Void) -> CommitSink {
    let sink = CommitSink(self, receive)
    active += 1
    sinks.removeAll { $0.sink == nil }
    sinks.append(Weak(sink: sink))
    return sink
  }

  func send(_ change: ChangeSet, from store: StoreAtHand) {
    for entry in sinks { entry.sink?.enqueue(change, store) }
  }
}

/// One sink: queues change sets and delivers them when their phase of the turn comes.
final class CommitSink: Cancellable {
  private let observers: CommitObservers
  private let watcher: QueuedWatcher
  private var waiting: [(change: ChangeSet, store: StoreAtHand)] = []
  private var receive: ((ChangeSet) -> Void)?

  init(_ observers: CommitObservers, _ receive: @escaping (ChangeSet) -> Void) {
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
    Callback.runReporting { store.run { receive(change) } }
  }

  func cancel() {
    if isActive { observers.active -= 1 }
    receive = nil
    waiting = []
  }

  deinit { cancel() }
}
