// A live query: which objects of a class satisfy its filters, in which order, kept up to date.
//
// Mutable state, and who may touch it:
// - `tree`: the rows in order, a persistent version that iterators and frames copy in O(1);
// - `tables`: for each class, the key of the row of each slot, so that a row can be found again;
// - `dirty`: the objects to re-test, each with the key its row had; filled by the extents' calls and by
//   the row nodes (RowReads.swift), emptied by `refresh`;
// - `isBuilt`, `mustRebuild`: nothing is kept before the first read;
// - `consumers`: who wants exact changes, each with what it has not seen (ChangeRecorder.swift).
//
// Order of events: a write tells the extents, which fill `dirty` and mark the trigger and consumers.
// The first read after it, or the end of the batch, re-tests what is dirty; consumers are given the
// change when their turn comes.

/// A consumer of exact changes: the trigger of membership and order, an observer.
final class QueryConsumer {
  /// What happened since the consumer last looked; nil if nothing did.
  var recorder: ChangeRecorder?
  /// Asks for a turn.
  let wake: () -> Void

  init(wake: @escaping () -> Void) { self.wake = wake }
}

/// A live query, whatever the type of its elements.
final class Query: ExtentObserver {
  let store: Store
  let type: Object.Type
  let filters: [(Object) -> Bool]
  let order: RowOrder
  /// The sorted query that this one narrows, from which it can be built without sorting.
  private let base: Query?

  private var extents: [Extent] = []
  private(set) var tree = Tree<QueryRow>()
  private var tables: [ObjectIdentifier: SlotTable] = [:]
  private var dirty: [Object: SortKey?] = [:]
  private var isBuilt = false
  private var mustRebuild = false
  private var consumers: [QueryConsumer] = []
  private lazy var reads = RowReads(self)
  private lazy var membership = QueryConsumer(wake: {})
  private lazy var trigger = Trigger(describe: { [unowned self] in description }) {
    [unowned self] in settle()
  }

  var description: String { "the results of \(type)" }

  init(
    _ store: Store, _ type: Object.Type, filters: [(Object) -> Bool] = [],
    descriptors: [SortDescriptor] = [], base: Query? = nil
  ) {
    self.store = store
    self.type = type
    self.filters = filters
    self.base = base
    order = RowOrder(descriptors: descriptors)
  }

  deinit {
    for extent in extents { extent.remove(self) }
  }

  // MARK: - Reading

  /// The rows as they are now; the read is a dependency on membership and order.
  func rows() -> Tree<QueryRow> {
    refresh()
    if unsafe Node.reader != nil { trigger.track() }
    return tree
  }

  /// The position of an object, or nil if it is no member. O(log n).
  func position(of object: Object) -> Int? {
    guard let extent = unsafe object.extent,
      let key = unsafe tables[ObjectIdentifier(extent)]?[object.slot] ?? nil
    else { return nil }
    return position(of: QueryRow(object, key))
  }

  private func position(of row: QueryRow) -> Int { tree.lowerBound { order.isBefore($0, row) } }

  // MARK: - What the extents tell

  func didInsert(_ object: Object, in extent: Extent) { enqueue(object, key: nil) }

  func didRemove(_ object: Object, from extent: Extent) {
    let key = unsafe tables[ObjectIdentifier(extent)]?.take(object.slot) ?? nil
    if let known = dirty[object] {
      // Its slot says nothing any more; what the row had is in the queue already.
      dirty[object] = .some(known)
    } else if key != nil {
      enqueue(object, key: key)
    }
    reads.forget(object)
  }

  func didChange(_ object: Object, at offset: Int, in extent: Extent) {
    guard isBuilt, reads.offsets.contains(offset) else { return }
    unsafe enqueue(object, key: tables[ObjectIdentifier(extent)]?[object.slot] ?? nil)
  }

  func didModify(_ object: Object, in extent: Extent) {
    guard !consumers.isEmpty else { return }
    for recorder in recorders() { recorder.noteModified(object) }
    wakeConsumers()
  }

  func didAppear(_ extent: Extent) { extents.append(extent) }

  /// A row's predicate or key read something elsewhere that may have changed.
  func didChangeElsewhere(_ object: Object) {
    guard let extent = unsafe object.extent else { return }
    unsafe enqueue(object, key: tables[ObjectIdentifier(extent)]?[object.slot] ?? nil)
  }

  /// Something that many rows read may have changed.
  func didChangeEverywhere() {
    mustRebuild = true
    announce()
  }

  private func enqueue(_ object: Object, key: SortKey?) {
    guard isBuilt else { return }
    if dirty[object] == nil { dirty[object] = .some(key) }
    announce()
  }

  private func announce() {
    trigger.mark()
    wakeConsumers()
  }

  // MARK: - Consumers

  func add(_ consumer: QueryConsumer) {
    refresh()
    consumers.append(consumer)
  }

  func remove(_ consumer: QueryConsumer) { consumers.removeAll { $0 === consumer } }

  private func wakeConsumers() {
    for consumer in consumers { consumer.wake() }
  }

  /// The recorders of all consumers, the new ones among them sharing one.
  private func recorders() -> [ChangeRecorder] {
    var distinct: [ChangeRecorder] = []
    var fresh: ChangeRecorder?
    for consumer in trigger.isObserved ? consumers + [membership] : consumers {
      if let recorder = consumer.recorder {
        if !distinct.contains(where: { $0 === recorder }) { distinct.append(recorder) }
      } else {
        let recorder = fresh ?? ChangeRecorder()
        fresh = recorder
        consumer.recorder = recorder
      }
    }
    return distinct + (fresh.map { [$0] } ?? [])
  }

  /// What changed since the consumer last looked.
  func takeChange(for consumer: QueryConsumer) -> CollectionChange<Object>? {
    refresh()
    guard let recorder = consumer.recorder else { return nil }
    consumer.recorder = nil
    let change = recorder.change(present: position(of:))
    return change.isEmpty ? nil : change
  }

  /// Whether membership or order changed since the last batch that was settled.
  private func settle() -> Bool {
    refresh()
    guard let recorder = membership.recorder else { return false }
    membership.recorder = nil
    return recorder.changesOrder(present: position(of:))
  }

  // MARK: - Keeping up

  /// Brings the rows up to date. O(log n) for each object to re-test, O(n) for the first read.
  func refresh() {
    guard isBuilt else { return build() }
    if mustRebuild {
      mustRebuild = false
      if reads.haveChangedEverywhere() { enqueueAll() }
    }
    guard !dirty.isEmpty else { return }
    let retested = dirty
    dirty = [:]
    note(retested)
    var updates: [(object: Object, old: SortKey?, new: SortKey?)] = []
    updates.reserveCapacity(retested.count)
    for (object, old) in retested { updates.append((object, old, test(object))) }
    let recorders = recorders()
    for object in reads.takeModified() {
      for recorder in recorders { recorder.noteModified(object) }
    }
    if updates.count > 64, updates.count > tree.count / 8 {
      replaceMany(updates)
    } else {
      for update in updates { replace(update) }
    }
  }

  private func enqueueAll() {
    for extent in extents {
      for case let object? in extent.objects where dirty[object] == nil {
        let key = unsafe tables[ObjectIdentifier(extent)]?[object.slot] ?? nil
        dirty[object] = .some(key)
        if key != nil { reads.noteModified(object) }
      }
    }
  }

  /// Tells the recorders where the rows about to be re-tested stand.
  private func note(_ retested: [Object: SortKey?]) {
    let recorders = recorders()
    guard !recorders.isEmpty else { return }
    let rows = retested.map { object, key in
      (object: object, position: key.map { position(of: QueryRow(object, $0)) })
    }
    for recorder in recorders { recorder.note(rows, present: position(of:)) }
  }

  /// The key of an object that belongs into the result, else nil.
  private func test(_ object: Object) -> SortKey? {
    guard unsafe object.extent != nil else { return nil }
    return reads.evaluate(object) {
      filters.allSatisfy { $0(object) } ? order.key(of: object) : nil
    }
  }

  private func replace(_ update: (object: Object, old: SortKey?, new: SortKey?)) {
    let object = update.object
    if let old = update.old, let new = update.new, order.compare(old, new) == 0 {
      setKey(new, of: object)
      return
    }
    if let old = update.old { tree.remove(at: position(of: QueryRow(object, old))) }
    setKey(update.new, of: object)
    if let new = update.new {
      let row = QueryRow(object, new)
      tree.insert(row, at: position(of: row))
    }
  }

  /// Replaces so many rows that merging them costs less than finding each.
  private func replaceMany(_ updates: [(object: Object, old: SortKey?, new: SortKey?)]) {
    let changed = Set(updates.lazy.map(\.object))
    var added = updates.compactMap { update in
      update.new.map { QueryRow(update.object, $0) }
    }
    added.sort(by: order.isBefore)
    for update in updates { setKey(update.new, of: update.object) }
    var merged: [QueryRow] = []
    merged.reserveCapacity(tree.count + added.count)
    var next = 0
    for row in tree where !changed.contains(row.object) {
      while next < added.count, order.isBefore(added[next], row) {
        merged.append(added[next])
        next += 1
      }
      merged.append(row)
    }
    merged += added[next...]
    tree = Tree(merged)
  }

  private func setKey(_ key: SortKey?, of object: Object) {
    guard let extent = unsafe object.extent else { return }
    unsafe tables[ObjectIdentifier(extent), default: SlotTable()][object.slot] = key
  }

  // MARK: - The first read

  private func build() {
    extents = store.extents(covering: type)
    for extent in extents { extent.add(self) }
    isBuilt = true
    var rows: [QueryRow] = []
    if let base, base.canLendRows {
      reads.adopt(base.reads)
      for row in base.rows() {
        let object = row.object
        let passes = reads.evaluate(object) { filters.last.map { $0(object) } ?? true }
        if passes { rows.append(row) }
      }
    } else {
      for extent in extents {
        for case let object? in extent.objects {
          if let key = test(object) { rows.append(QueryRow(object, key)) }
        }
      }
      rows.sort(by: order.isBefore)
    }
    for row in rows { setKey(row.key, of: row.object) }
    tree = Tree(rows)
  }

  /// Whether a narrower query can start from these rows: what decided about them is known by offsets.
  private var canLendRows: Bool {
    refresh()
    return reads.areAllOwn
  }

  // MARK: - Narrower queries

  func filtered(by filter: @escaping (Object) -> Bool) -> Query {
    Query(store, type, filters: filters + [filter], descriptors: order.descriptors, base: self)
  }

  func sorted(by descriptor: SortDescriptor) -> Query {
    Query(store, type, filters: filters, descriptors: order.descriptors + [descriptor])
  }
}

/// The keys of the rows of one class, by slot.
struct SlotTable {
  private var keys: ContiguousArray<SortKey?> = []

  subscript(slot: Int32) -> SortKey? {
    get { slot >= 0 && Int(slot) < keys.count ? keys[Int(slot)] : nil }
    set {
      let missing = Int(slot) + 1 - keys.count
      if missing > 0 {
        if newValue == nil { return }
        keys.append(contentsOf: repeatElement(nil, count: missing))
      }
      keys[Int(slot)] = newValue
    }
  }

  mutating func take(_ slot: Int32) -> SortKey? {
    defer { self[slot] = nil }
    return self[slot]
  }
}
