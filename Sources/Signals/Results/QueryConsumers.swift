// The consumers of the changes of a query.
//
// State: `observers`, in the order of registration; `membership`, a consumer on behalf of the
// settling source, which needs only membership and order; `recorders`, each shared by the
// consumers that last looked at the same time, whose changes it collects. A consumer that is up to
// date has no recorder.

/// A consumer of exact changes.
final class QueryConsumer {
  /// The changes since the consumer last looked; nil if there are none.
  fileprivate(set) var recorder: ChangeRecorder?
  private let askForTurn: () -> Void
  /// Finds the commits that wake the consumer but aren't reported.
  private let skipped: OriginFilter?

  init(skipping skipped: OriginFilter? = nil, wake: @escaping () -> Void) {
    self.skipped = skipped
    askForTurn = wake
  }

  /// Notes that a dependency of the consumer may have changed.
  func wake() {
    askForTurn()
    if let skipped {
      skipped.wake()
      recorder?.ignoresExternalChanges = false
    }
  }
}

/// The consumers of one query.
struct QueryConsumers {
  private var observers: [QueryConsumer] = []
  private let membership = QueryConsumer(wake: {})
  private(set) var recorders: [ChangeRecorder] = []

  /// Whether a consumer needs to know which objects were modified.
  var areWaiting: Bool { !observers.isEmpty }

  /// Whether a consumer will ask for the change from an earlier version.
  var areFollowing: Bool { !observers.isEmpty || !recorders.isEmpty }

  mutating func add(_ observer: QueryConsumer) { observers.append(observer) }

  /// Removes an observer and returns the changes that it hasn't seen, which may own user values.
  mutating func remove(_ observer: QueryConsumer) -> ChangeRecorder? {
    observers.removeAll { $0 === observer }
    return takeRecorder(of: observer)
  }

  func wake() {
    for observer in observers { observer.wake() }
  }

  /// Gives all consumers that are up to date one shared recorder.
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

  /// Notes that an external dependency of an object's row has changed.
  mutating func noteModified(_ object: Object) {
    open(withMembership: false)
    for recorder in recorders { recorder.noteModified(object) }
  }

  /// Notes that properties of an object were written, with their old values.
  mutating func noteModified(_ object: Object, from old: [(offset: Int, value: Any)]) {
    open(withMembership: false)
    for recorder in recorders { recorder.noteModified(object, from: old) }
  }

  /// Adds an observer that has seen all writes of the open transaction so far.
  mutating func add(_ observer: QueryConsumer, since journal: Journal) {
    add(observer)
    let recorder = ChangeRecorder()
    for entry in journal.entries {
      if case .property(let offset, _) = entry.change,
        let property = entry.object.table?.schema.property(at: offset)
      {
        recorder.noteModified(
          entry.object, from: [(offset, property.value(in: entry.object))])
      }
    }
    give(recorder, to: observer)
  }

  private mutating func give(_ recorder: ChangeRecorder, to consumer: QueryConsumer) {
    recorder.users = 1
    consumer.recorder = recorder
    recorders.append(recorder)
  }

  /// Returns the changes that a consumer hasn't seen, and counts them as seen.
  mutating func takeRecorder(of consumer: QueryConsumer) -> ChangeRecorder? {
    guard let recorder = consumer.recorder.take() else { return nil }
    recorder.users -= 1
    if recorder.users == 0 { recorders.removeAll { $0 === recorder } }
    return recorder
  }

  /// Counts the unseen changes of a consumer as seen, including those of an open batch.
  mutating func skip(for consumer: QueryConsumer) {
    _ = takeRecorder(of: consumer)
    let recorder = ChangeRecorder()
    recorder.ignoresExternalChanges = true
    give(recorder, to: consumer)
  }

  mutating func takeMembershipRecorder() -> ChangeRecorder? { takeRecorder(of: membership) }
}

extension Query {
  /// Registers a consumer, which has seen the current version.
  func add(_ consumer: QueryConsumer) {
    refresh()
    // The consumer isn't notified of earlier changes.
    if !consumers.areWaiting { dependencies.settle() }
    if let journal = store.transaction?.journal, !journal.isEmpty {
      consumers.add(consumer, since: journal)
    } else {
      consumers.add(consumer)
    }
  }

  func remove(_ consumer: QueryConsumer) {
    let unseen = consumers.remove(consumer)
    if !consumers.areWaiting { dependencies.settle() }
    withExtendedLifetime(unseen) {}
  }

  /// Counts the unseen changes of a consumer as seen.
  func skip(for consumer: QueryConsumer) {
    refresh()
    consumers.skip(for: consumer)
  }

  /// The changes since the consumer last looked; nil if there are none.
  func takeChange(for consumer: QueryConsumer) -> CollectionChange<Object>? {
    refreshSettled()
    let change = consumers.takeRecorder(of: consumer)?.change(in: self)
    return change.flatMap { $0.isEmpty ? nil : $0 }
  }

  /// Whether membership or order has changed since the last settled batch.
  func takeOrderChange() -> Bool {
    consumers.takeMembershipRecorder()?.changesOrder(in: self) ?? false
  }
}
