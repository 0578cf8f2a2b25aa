// Who is given the changes of a query.
//
// State: `observers`, in the order of registration; `membership`, which stands for the trigger and wants to
// know of membership and order alone; `recorders`, each with the consumers that looked last at the same
// moment, whose changes it collects. Consumers that are up to date have none.

/// A consumer of exact changes.
final class QueryConsumer {
  /// What happened since the consumer last looked; nil if nothing did.
  fileprivate(set) var recorder: ChangeRecorder?
  private let askForTurn: () -> Void
  /// What may have woken it in vain.
  private let skipped: SkippedCommits?

  init(skipping skipped: SkippedCommits? = nil, wake: @escaping () -> Void) {
    self.skipped = skipped
    askForTurn = wake
  }

  /// Something that it follows may have changed.
  func wake() {
    askForTurn()
    if let skipped {
      skipped.wake()
      recorder?.knowsElsewhere = false
    }
  }
}

/// The consumers of one query.
struct QueryConsumers {
  private var observers: [QueryConsumer] = []
  private let membership = QueryConsumer(wake: {})
  private(set) var recorders: [ChangeRecorder] = []

  /// Whether somebody wants to know what was modified.
  var areWaiting: Bool { !observers.isEmpty }

  /// Whether somebody will ask for the change from a version that is gone.
  var areFollowing: Bool { !observers.isEmpty || !recorders.isEmpty }

  mutating func add(_ observer: QueryConsumer) { observers.append(observer) }

  /// Removes an observer; the answer is what it has not seen, and owns.
  mutating func remove(_ observer: QueryConsumer) -> ChangeRecorder? {
    observers.removeAll { $0 === observer }
    return takeRecorder(of: observer)
  }

  func wake() {
    for observer in observers { observer.wake() }
  }

  /// Gives those that are up to date a recorder, together.
  mutating func open(withMembership: Bool) {
    var fresh: ChangeRecorder?
    func open(_ consumer: QueryConsumer) {
      guard consumer.recorder == nil else { return }
      let recorder = fresh ?? ChangeRecorder()
      fresh = recorder
      recorder.users += 1
      consumer.recorder = recorder
    }
    for observer in observers { open(observer) }
    if withMembership { open(membership) }
    if let fresh { recorders.append(fresh) }
  }

  /// Something that decides about the row of an object changed elsewhere.
  mutating func noteModified(_ object: Object) {
    open(withMembership: false)
    for recorder in recorders { recorder.noteModified(object) }
  }

  /// Properties of an object were written that had these values.
  mutating func noteModified(_ object: Object, _ old: [(offset: Int, value: Any)]) {
    open(withMembership: false)
    for recorder in recorders { recorder.noteModified(object, old) }
  }

  /// Adds an observer that has seen what an open transaction has written so far.
  mutating func add(_ observer: QueryConsumer, since log: TransactionLog) {
    add(observer)
    let recorder = ChangeRecorder()
    for record in log.records {
      if case .property(let offset, _) = record.change,
        let property = unsafe record.object.extent?.schema.property(at: offset)
      {
        recorder.noteModified(record.object, [(offset, property.value(in: record.object))])
      }
    }
    recorder.users = 1
    observer.recorder = recorder
    recorders.append(recorder)
  }

  /// What a consumer has not seen, which counts as seen from now on.
  mutating func takeRecorder(of consumer: QueryConsumer) -> ChangeRecorder? {
    guard let recorder = consumer.recorder.take() else { return nil }
    recorder.users -= 1
    if recorder.users == 0 { recorders.removeAll { $0 === recorder } }
    return recorder
  }

  /// Counts what a consumer has not seen as seen, of an open batch too.
  mutating func skip(for consumer: QueryConsumer) {
    _ = takeRecorder(of: consumer)
    let recorder = ChangeRecorder()
    recorder.knowsElsewhere = true
    recorder.users = 1
    consumer.recorder = recorder
    recorders.append(recorder)
  }

  mutating func takeMembershipRecorder() -> ChangeRecorder? { takeRecorder(of: membership) }
}

extension Query {
  /// Registers a consumer, which has seen the present version.
  func add(_ consumer: QueryConsumer) {
    refresh()
    // What changed before is not news to it.
    if !consumers.areWaiting {
      reads.settle { _ in
      } refresh: {
      }
    }
    if let log = store.transaction?.log, !log.isEmpty {
      consumers.add(consumer, since: log)
    } else {
      consumers.add(consumer)
    }
  }

  func remove(_ consumer: QueryConsumer) {
    let unseen = consumers.remove(consumer)
    if !consumers.areWaiting {
      reads.settle { _ in
      } refresh: {
      }
    }
    withExtendedLifetime(unseen) {}
  }

  /// Counts what the consumer has not seen as seen.
  func skip(for consumer: QueryConsumer) {
    refresh()
    consumers.skip(for: consumer)
  }

  /// What changed since the consumer last looked; nil if nothing did.
  func takeChange(for consumer: QueryConsumer) -> CollectionChange<Object>? {
    refreshSettled()
    let change = consumers.takeRecorder(of: consumer)?.change(in: self)
    return change.flatMap { $0.isEmpty ? nil : $0 }
  }

  /// Whether membership or order changed since the last batch that was settled.
  func settle() -> Bool {
    refresh()
    return consumers.takeMembershipRecorder()?.changesOrder(in: self) ?? false
  }
}
