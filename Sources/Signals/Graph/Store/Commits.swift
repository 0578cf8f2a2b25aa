// Delivers the change sets: one by one, in order, after effects, observers and hosts.
//
// A subscription is a `Registration` in the phase `commits`. A store retains no subscription, but a
// closure given to `observeCommits` until its token ends.

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
  /// - Parameter downstream: The subscriber to connect.
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
  /// A change set to deliver, with the store from after its commit.
  fileprivate struct Delivery {
    let change: ChangeSet
    let store: CurrentStore
  }

  /// A subscription, and the change sets that it hasn't delivered yet.
  private struct Entry {
    weak let registration: Registration<Delivery>?
    let waiting: UncheckedState<Queue<Delivery>>
    let wants: () -> Bool
  }

  private typealias Note = UncheckedState<((inout SealedCommit) -> Void)?>

  /// The subscriptions to `commits`, in order, of which at most half have ended.
  private var subscribers: [Entry] = []
  /// The number of subscriptions in `subscribers` that have ended.
  private var endedCount = 0
  /// The closures given to `observeCommits`, in order; nil in one that ends during a delivery.
  private var notes: [Note] = []
  /// The store, whose `fullWriteReasons` follows `active`; nil once it is released.
  var store: Unretained<Store>?

  /// The number of observers of both kinds that were neither cancelled nor released.
  @safe @exclusivity(unchecked) package private(set) var active = 0 {
    didSet { store?.instance.fullWriteReasons += active - oldValue }
  }

  var isObserved: Bool { active > 0 }

  /// Queues each commit from now on, and delivers them one by one in the `commits` phase.
  ///
  /// - Parameters:
  ///   - wants: Returns whether a commit is delivered, while it is sealed and after it was passed to the
  ///     synchronous observers.
  ///   - receive: Called with each change set; returns false to end the subscription.
  /// - Returns: The subscription.
  package func add(
    if wants: @escaping () -> Bool = { true }, _ receive: @escaping (ChangeSet) -> Bool
  ) -> any Cancellable {
    let waiting = UncheckedState(Queue<Delivery>())
    let registration = Registration<Delivery>(
      .commits, name: "an observer of the commits of a store"
    ) { delivery in
      delivery.store.run { receive(delivery.change) }
    }
    let observer = registration.observer
    observer.perform = { [unowned registration] in
      ThreadContext.with(true, for: DeliversCommit.self) { registration.deliver() }
    }
    registration.next = { [unowned observer] in
      let next = waiting.value.popFirst()
      if !waiting.value.isEmpty { observer.enqueue() }
      return next
    }
    registration.onEnd = { [self] in
      active -= 1
      endedCount += 1
      if endedCount > subscribers.count / 2 { removeEnded() }
      let dropped = exchange(&waiting.value, with: Queue())
      withExtendedLifetime(dropped) {}
    }
    active += 1
    subscribers.append(Entry(registration: registration, waiting: waiting, wants: wants))
    return registration
  }

  private func removeEnded() {
    subscribers.removeAll { $0.registration?.isActive != true }
    endedCount = 0
  }

  /// Calls a closure for each commit while it is being sealed, before all other observers.
  ///
  /// - Parameter note: Called with each commit, the changes of which may be empty.
  /// - Returns: The token, whose release ends the calls.
  package func addSynchronousObserver(
    _ note: @escaping (inout SealedCommit) -> Void
  ) -> any Cancellable {
    let note = Note(note)
    notes.append(note)
    active += 1
    let subscription = Subscription()
    subscription.start(
      Cancellation { [self] in
        notes.removeAll { $0 === note }
        active -= 1
        let ended = exchange(&note.value, with: nil)
        withExtendedLifetime(ended) {}
      })
    return SubscriptionToken(subscription)
  }

  /// Passes a commit that is being sealed to the observers.
  func send(_ commit: consuming SealedCommit) {
    for note in notes { note.value?(&commit) }
    for subscriber in subscribers {
      guard let registration = subscriber.registration, registration.isActive, subscriber.wants(),
        !commit.changes.isEmpty
      else { continue }
      subscriber.waiting.value.append(
        Delivery(change: commit.changes, store: commit.currentStore))
      registration.observer.enqueue()
    }
  }
}

/// Whether an observer of commits is running.
private enum DeliversCommit: ThreadContextKey {
  static var defaultValue: Bool { false }
}

extension StoreCommit.Cause {
  /// The cause of a commit that is made now.
  static var current: StoreCommit.Cause {
    guard Scheduler.current.pointee.isFlushing else { return .direct }
    return ThreadContext[DeliversCommit.self] ? .subscriber : .reaction
  }
}
