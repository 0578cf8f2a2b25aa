// Delivers the change sets: one by one, in order, after effects, observers and hosts.
//
// State: `CommitObservers` has weak references to the sinks and synchronous observers of a store,
// the number of active ones, and the store. A sink has the change sets that it hasn't delivered
// yet, and its closure until it is cancelled.

/// A publisher of a store's commits, as change sets.
///
/// - Every commit is delivered, one by one, in order. None is dropped or merged with another.
/// - Subscribers are called after effects, observers and hosts. Their writes are later commits.
///
/// ```swift
/// let token = store.commits.sink { change in print(change) }
/// ```
public struct Commits: Publisher {
  /// The change set of one commit.
  public typealias Output = ChangeSet
  /// The publisher can't fail.
  public typealias Failure = Never

  let observers: CommitObservers

  /// Connects a subscriber to all following commits.
  ///
  /// - Returns: The subscription, which ends when it is cancelled or released.
  public func subscribe<Downstream: Subscriber>(_ downstream: Downstream) -> (any Cancellable)?
  where Downstream.Input == ChangeSet, Downstream.Failure == Never {
    observers.add { downstream.receive($0) }
  }
}

extension Store {
  /// A publisher of every commit, one by one; see ``Commits``.
  public var commits: Commits { Commits(observers: commitObservers) }
}

/// The observers of a store's commits.
package final class CommitObservers {
  private var sinks: [Weak] = []
  private var synchronousObservers: [WeakObserver] = []

  private struct Weak { weak let sink: CommitSink? }
  private struct WeakObserver { weak let commitObserver: SynchronousCommitObserver? }

  /// The store, whose `attention` follows `active`; nil once it is released.
  var store: Unretained<Store>?

  /// The number of sinks and synchronous observers that were neither cancelled nor released.
  @safe @exclusivity(unchecked) package fileprivate(set) var active = 0 {
    didSet { store?.instance.attention += active - oldValue }
  }

  var isObserved: Bool { active > 0 }

  func add(_ receive: @escaping (ChangeSet) -> Bool) -> CommitSink {
    let sink = CommitSink(of: self, receive)
    active += 1
    sinks.removeAll { $0.sink == nil }
    sinks.append(Weak(sink: sink))
    LiveSubscriptions.begin(sink, named: SubscriptionName("an observer of the commits of a store"))
    return sink
  }

  /// Calls `note` for each commit while it is being sealed, before all other observers.
  func addSynchronousObserver(_ note: @escaping (StoreCommit) -> Void)
    -> SynchronousCommitObserver
  {
    let commitObserver = SynchronousCommitObserver(of: self, note)
    active += 1
    synchronousObservers.removeAll { $0.commitObserver == nil }
    synchronousObservers.append(WeakObserver(commitObserver: commitObserver))
    return commitObserver
  }

  func send(_ change: ChangeSet, kind: StoreCommit.Kind, from store: CurrentStore) {
    if !synchronousObservers.isEmpty {
      let commit = StoreCommit(changes: change, kind: kind, cause: .current)
      for entry in synchronousObservers { entry.commitObserver?.note?(commit) }
    }
    for entry in sinks { entry.sink?.enqueue(change, from: store) }
  }
}

/// Takes note of each commit while it is being sealed.
final class SynchronousCommitObserver: Cancellable {
  private let observers: CommitObservers
  fileprivate private(set) var note: ((StoreCommit) -> Void)?

  init(of observers: CommitObservers, _ note: @escaping (StoreCommit) -> Void) {
    self.observers = observers
    self.note = note
  }

  func cancel() {
    guard let ended = note.take() else { return }
    observers.active -= 1
    withExtendedLifetime(ended) {}
  }

  deinit { cancel() }
}

/// Whether an observer of commits is running.
private enum DeliversCommit: ThreadContextKey {
  static var defaultValue: Bool { false }
}

extension StoreCommit.Cause {
  /// The cause of a commit that is made now.
  fileprivate static var current: StoreCommit.Cause {
    guard Scheduler.current.pointee.isFlushing else { return .direct }
    return ThreadContext[DeliversCommit.self] ? .subscriber : .reaction
  }
}

/// A subscription: queues change sets, and delivers them one by one in the `commits` phase.
final class CommitSink: Cancellable {
  private let observers: CommitObservers
  private let observer: PhaseObserver
  private var waiting: [(change: ChangeSet, store: CurrentStore)] = []
  private var receive: ((ChangeSet) -> Bool)?

  init(of observers: CommitObservers, _ receive: @escaping (ChangeSet) -> Bool) {
    self.observers = observers
    self.receive = receive
    observer = PhaseObserver(.commits, name: "an observer of commits")
    observer.perform = { [unowned self] in deliver() }
  }

  var isActive: Bool { receive != nil }

  func enqueue(_ change: ChangeSet, from store: CurrentStore) {
    guard isActive else { return }
    waiting.append((change, store))
    observer.enqueue()
  }

  private func deliver() {
    guard !waiting.isEmpty, let receive else { return }
    let (change, store) = waiting.removeFirst()
    if !waiting.isEmpty { observer.enqueue() }
    ThreadContext.with(true, for: DeliversCommit.self) {
      ImplicitTransaction.runReporting { store.run { if !receive(change) { cancel() } } }
    }
  }

  func cancel() {
    if isActive {
      observers.active -= 1
      LiveSubscriptions.end(self)
    }
    // Released after everything has ended: the closure may own the token that cancels this sink
    // again.
    let ended = (receive.take(), exchange(&waiting, with: []))
    withExtendedLifetime(ended) {}
  }

  deinit { cancel() }
}
