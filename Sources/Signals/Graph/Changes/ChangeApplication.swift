// Applying the changes of another store.
//
// Order of events, in one transaction:
// 1. The old values in the change set are compared with the values in this store.
// 2. The objects that the change set deletes are deleted, which removes them from links and lists.
// 3. Primary keys change, all in one step. The losers of keys are deleted.
// 4. New objects are created and added with their fields; they may use keys that step 3 freed. An
//    object that the transaction has deleted returns as the same instance.
// 5. Fields are written, and then links, once every target exists.
// 6. Links that waited for a new object are set (WaitingLinks.swift).
// 7. The ownership of embedded objects is settled (ChangeApplication+Owners.swift).
//
// Links and lists are written in ChangeApplication+Links.swift.

extension Store {
  /// Applies the changes of a change set in one transaction with its origin.
  ///
  /// - Objects are found by their ids. A new object gets the id it has in its original store.
  /// - A property that already has its new value isn't a conflict. A ``Counter`` changes by the
  ///   difference that the change set made.
  /// - The edits of a list are made in the list of this store. A member is inserted beside its
  ///   neighbors in the change set, and of two members that are inserted at one place both live.
  /// - Only the objects that the change set deletes are deleted: the delete rules of links aren't
  ///   followed again. An inserted object is a new instance, even if this store has deleted one
  ///   with the same id, unless the open transaction has.
  /// - A link that is set to an object that isn't here is a conflict. The link waits: it is set when
  ///   an object with the id is inserted, by another change set or an undo. It stops waiting when the
  ///   link is written or its object is deleted, which an undo doesn't take back. A ``Snapshot``
  ///   doesn't contain what links wait for.
  /// - An embedded object that has no owner here at the end is deleted, with the objects it embeds.
  ///
  /// Two stores that were equal and that apply each other's changes, one with `.mine` and the other
  /// with `.theirs`, are equal again, apart from the order of their objects:
  ///
  /// | change | other change | result |
  /// |---|---|---|
  /// | of a property | of the same property | the value of the policy |
  /// | of a list | of the same list | both; a member that one has removed stays removed |
  /// | of a counter | of the same counter | the sum |
  /// | of an object | its deletion | the deletion |
  /// | of a primary key, or an insertion | the same with an equal key | the object of the policy; the other one is deleted |
  ///
  /// ```swift
  /// let report = try store.apply(change, onConflict: .theirs)
  /// for conflict in report.conflicts { print(conflict) }
  /// ```
  ///
  /// - Parameters:
  ///   - change: The changes to apply.
  ///   - undoable: Whether the transaction can be undone.
  ///   - policy: The side to keep where this store differs from what the change set expects.
  /// - Returns: A report that names each of these differences.
  /// - Throws: ``ChangeConflictError`` if the policy is `.fail` and there are conflicts, or an
  ///   error of `beforeCommit`. The store is then unchanged.
  /// - Complexity: O(changes), plus O(n log n) for each changed list of n members. The first call
  ///   also builds an index of ids in O(objects), which is then kept up to date.
  @discardableResult
  public func apply(
    _ change: ChangeSet, undoable: Bool = true,
    onConflict policy: ConflictPolicy = .fail
  ) throws -> ConflictReport {
    try apply(change, undoable: undoable, onConflict: policy, keys: policy)
  }

  /// Applies a change set with another policy for primary keys.
  ///
  /// - Parameters:
  ///   - change: The changes to apply.
  ///   - arriving: The objects that the changes insert, in their places among the changes, or nothing.
  ///     Such an insertion needs no properties.
  ///   - undoable: Whether the transaction can be undone.
  ///   - policy: The side to keep where this store differs from what the change set expects.
  ///   - keyPolicy: The side to keep if a primary key is taken.
  ///   - former: Deleted objects of this store, as which inserted objects return.
  ///   - isReported: Whether conflicts are reported. Their texts are made when they are found.
  @discardableResult
  package func apply(
    _ change: ChangeSet, arriving: [ArrivingObject?] = [], undoable: Bool,
    onConflict policy: ConflictPolicy, keys keyPolicy: ConflictPolicy,
    returning former: [ObjectID: Object] = [:], isReported: Bool = true
  ) throws -> ConflictReport {
    Node.checkMayWrite("a store")
    return try write(origin: change.origin, undoable: undoable) {
      guard let transaction else { return .init(conflicts: []) }
      var application = ChangeApplication(
        to: self, transaction, onConflict: policy, keys: keyPolicy, isReported: isReported)
      application.run(change, arriving: arriving, returning: former)
      let conflicts = application.conflicts
      if policy == .fail, !conflicts.isEmpty { throw ChangeConflictError(conflicts: conflicts) }
      return ConflictReport(conflicts: conflicts)
    }
  }

  /// Throws if an unstored object that was created by a change set has the id of a stored object.
  func checkIdentities(_ objects: [Object]) throws {
    if identities == nil,
      !objects.contains(where: { $0.table == nil && mayBeTwice($0) })
    {
      return
    }
    if identities == nil, let first = objects.first { _ = storedObject(first.objectID) }
    guard let identities else { return }
    for object in objects where object.table == nil {
      if let other = identities[object.objectID], other !== object {
        throw StoreError.duplicateID(StoreError.Subject(object))
      }
    }
  }
}

extension Store {
  /// The objects that the open transaction has deleted, or the one whose commit is being observed, by
  /// their ids.
  package var objectsDeletedInTransaction: [ObjectID: Object] {
    var objects: [ObjectID: Object] = [:]
    guard let journal = (transaction ?? sealedTransaction)?.journal, journal.hasDeletions else {
      return objects
    }
    for entry in journal.entries where !entry.isOfProperty {
      if case .deleted = entry.change, entry.object.table == nil {
        objects[entry.object.objectID] = entry.object
      }
    }
    return objects
  }

  /// Whether another instance may have the object's id, because the id was assigned to the object
  /// or appears in a restored snapshot.
  func mayBeTwice(_ object: Object) -> Bool {
    object.hasGivenID || object.objectID.counter <= givenIDs
  }
}

/// One application of a change set to a store.
struct ChangeApplication {
  let store: Store
  let transaction: Transaction
  let policy: ConflictPolicy
  private let keyPolicy: ConflictPolicy
  /// Whether conflicts are reported, whose texts take time.
  let isReported: Bool
  private(set) var conflicts: [ChangeConflict] = []
  /// The values to write, field by field and link by link.
  private(set) var updates: [Update] = []
  /// The objects that the change set has inserted.
  private var inserted: Set<Object> = []
  /// The written properties that can own objects, each with its change.
  var written: [PropertyKey: (change: ObjectChange, property: Property)] = [:]

  typealias Update = (
    object: Object, change: ObjectChange, properties: [(Property, any FieldValue)]
  )

  init(
    to store: Store, _ transaction: Transaction, onConflict policy: ConflictPolicy,
    keys keyPolicy: ConflictPolicy, isReported: Bool
  ) {
    self.store = store
    self.transaction = transaction
    self.policy = policy
    self.keyPolicy = keyPolicy
    self.isReported = isReported
  }

  mutating func run(
    _ set: ChangeSet, arriving: [ArrivingObject?], returning former: [ObjectID: Object]
  ) {
    let touched = transaction.embedded.count
    var doomed: [Object] = []
    var isDerived: [Bool] = []
    var insertions: [Int] = []
    for (place, change) in set.changes.enumerated() {
      switch (change.kind, store.storedObject(change.id)) {
      case (.inserted, nil): insertions.append(place)
      case (.inserted, let object?):
        let made = arriving.isEmpty ? nil : arriving[place]
        plan(made?.change ?? change, on: object, isNew: true)
      case (_, nil): note(.missing, change)
      case (.modified, let object?): plan(change, on: object, isNew: false)
      case (.deleted, let object?):
        if expectDeletion(of: object, by: change) {
          doomed.append(object)
          isDerived.append(change.isDerived)
        }
      }
    }
    store.remove(doomed, in: transaction) { isDerived[$0] }
    changeKeys()
    reserve(for: insertions.lazy.map { set.changes[$0].type }, count: insertions.count)
    let deleted = insertions.isEmpty ? [:] : store.objectsDeletedInTransaction
    for place in insertions {
      let change = set.changes[place]
      if !arriving.isEmpty, let made = arriving[place] {
        insert(made.object, change, made.links)
      } else {
        insert(change, as: deleted[change.id] ?? former[change.id])
      }
    }
    for (object, change, properties) in updates where object.table != nil {
      for (property, value) in properties where property.role != .primaryKey {
        write(value, to: property, of: object, change)
      }
    }
    if !store.waitingLinks.isEmpty { store.setWaitingLinks(in: transaction) }
    settleOwners(since: touched)
  }

  /// Reserves memory for many objects, which are found one by one otherwise.
  private func reserve(for types: some Sequence<Object.Type>, count: Int) {
    if count < 64 { return }
    store.identities?.reserveCapacity((store.identities?.count ?? 0) + count)
    var counts: [ObjectIdentifier: (type: Object.Type, count: Int)] = [:]
    for type in types { counts[ObjectIdentifier(type), default: (type, 0)].count += 1 }
    for (type, count) in counts.values { store.table(of: type).reserveIndexes(adding: count) }
  }

  mutating func note(
    _ reason: ChangeConflict.Reason, _ change: ObjectChange,
    _ property: ObjectChange.Property? = nil, present: (any FieldValue)? = nil
  ) {
    if !isReported { return }
    conflicts.append(
      ChangeConflict(
        subject: subject(of: change, property?.name), property: property, present: present,
        reason: reason))
  }

  private mutating func refuseKey(
    _ key: ObjectChange.Property?, of change: ObjectChange, heldBy holder: Object
  ) {
    if isReported { note(.keyTaken(by: StoreError.Subject(holder)), change, key) }
  }

  /// Names the object of a change, with its current class and key if it is in this store.
  private func subject(of change: ObjectChange, _ property: String?) -> StoreError.Subject {
    store.storedObject(change.id).map { StoreError.Subject($0, property: property) }
      ?? StoreError.Subject(change.id, className: change.className, property: property)
  }

  private func schema(of object: Object) -> Schema { store.table(of: type(of: object)).schema }

  /// Plans the writes to an object that exists here.
  private mutating func plan(_ change: ObjectChange, on object: Object, isNew: Bool) {
    guard type(of: object) == change.type else {
      return note(.otherClass(String(describing: type(of: object))), change)
    }
    if isNew {
      note(.alreadyThere, change)
      if policy == .mine { return }
    }
    let schema = schema(of: object)
    let properties = change.properties.compactMap { edit -> (Property, any FieldValue)? in
      guard let property = schema.carriedProperty(named: edit.name), let new = edit.new else {
        return nil
      }
      // Lists are edited when the objects that they refer to are here.
      if !isNew, property.role == .links { return (property, new) }
      let value = property.value(in: object)
      let present = property.encodedValue(of: value)
      if isNew { return ObjectChange.Property.isSame(present, new) ? nil : (property, new) }
      if ObjectChange.Property.isSame(present, edit.old) { return (property, new) }
      switch edit.old.map({ property.merging(from: $0, to: new, into: value) }) ?? .noRule {
      case .merged(let sum): return property.encodedValue(of: sum).map { (property, $0) }
      case .outOfRange: note(.outOfRange, change, edit, present: present)
      case .noRule:
        if ObjectChange.Property.isSame(present, new) { return nil }
        note(.changed, change, edit, present: present)
      }
      return policy == .mine ? nil : (property, new)
    }
    updates.append((object, change, properties))
  }

  /// Notes the values of an object that aren't as a deletion expects.
  ///
  /// - Returns: Whether the object can be deleted, which it can't be if it is of another class.
  private mutating func expectDeletion(of object: Object, by change: ObjectChange) -> Bool {
    guard type(of: object) == change.type else {
      note(.otherClass(String(describing: type(of: object))), change)
      return false
    }
    let schema = schema(of: object)
    for edit in change.properties {
      guard let property = schema.carriedProperty(named: edit.name) else { continue }
      let present = property.encodedValue(of: property.value(in: object))
      if !ObjectChange.Property.isSame(present, edit.old) {
        note(.changed, change, edit, present: present)
      }
    }
    return true
  }

  /// Returns a closure that puts the present fields of a deleted object back, which is also called
  /// if the object is deleted again by a rollback.
  private func fields(of object: Object, _ schema: Schema) -> () -> Void {
    let values = schema.properties.filter { $0.isEncoded && $0.role != .link && $0.role != .links }
      .map { (property: $0, value: $0.value(in: object)) }
    let putBack = { for (property, value) in values { property.put(value, into: object) } }
    transaction.ifRolledBack { if object.table == nil { putBack() } }
    return putBack
  }

  /// Adds an object with the values of a change, which is new unless the transaction has deleted it.
  private mutating func insert(_ change: ObjectChange, as former: Object?) {
    let former = former.flatMap { type(of: $0) == change.type && $0.table == nil ? $0 : nil }
    let object = former ?? change.type.init()
    let schema = schema(of: object)
    let putBack = former.map { fields(of: $0, schema) }
    if former == nil { object.give(change.id) }
    var links: [(Property, any FieldValue)] = []
    for property in schema.linking {
      // Its `init()` may have set links.
      if former != nil { transaction.retainUntilEnd(property.value(in: object)) }
      property.put(property.emptyValue(in: object), into: object)
    }
    for property in schema.properties where property.isEncoded {
      guard let value = change[property.name]?.new else { continue }
      if property.role == .link || property.role == .links {
        links.append((property, value))
      } else if let value = property.value(decoding: value, find: { _ in nil }, missing: { _ in }) {
        if former != nil { transaction.retainUntilEnd(property.value(in: object)) }
        property.put(value, into: object)
      }
    }
    insert(object, change, links, orElse: putBack)
  }

  /// Adds an object with the values of its fields; its links are set later.
  ///
  /// - Parameter putBack: Called if its primary key is taken.
  private mutating func insert(
    _ object: Object, _ change: ObjectChange, _ links: [(Property, any FieldValue)],
    orElse putBack: (() -> Void)? = nil
  ) {
    let table = store.table(of: change.type)
    if let (property, index) = table.primaryKey {
      if let holder = index.holder(ofKeyOf: object, at: property.offset) {
        let key = property.encodedValue(of: property.value(in: object))
        refuseKey(
          ObjectChange.Property(name: property.name, old: nil, new: key), of: change,
          heldBy: holder)
        if keyPolicy != .theirs || inserted.contains(holder) {
          transaction.retainUntilEnd(object)
          putBack?()
          return
        }
        store.remove([holder], in: transaction) { _ in false }
      }
      inserted.insert(object)
    }
    store.insertUnlinked(object, into: table, transaction)
    // If it has no owner at the end, it is deleted.
    if object.isEmbedded { transaction.embedded.append(object) }
    if !links.isEmpty { updates.append((object, change, links)) }
  }

  private typealias KeyChange = (
    object: Object, change: ObjectChange, property: Property, key: any FieldValue
  )

  /// Changes primary keys.
  ///
  /// A key that another object has here is available if that object also gets another key.
  private mutating func changeKeys() {
    var moving: [KeyChange] = []
    var first: [WantedKey: Object] = [:]
    for (object, change, properties) in updates {
      for (property, key) in properties where property.role == .primaryKey {
        let wanted = WantedKey(key, in: store.table(of: type(of: object)), at: property.offset)
        if let wanted, let other = first[wanted] {
          // A change set made by a store never does this: two objects want the same key. This one keeps
          // its own, which a third may want.
          refuseKey(change[property.name], of: change, heldBy: other)
          continue
        }
        if let wanted { first[wanted] = object }
        moving.append((object, change, property, key))
      }
    }
    let leaving = Set(moving.map(\.object))
    for next in moving {
      guard let holder = holder(of: next), !leaving.contains(holder) else { continue }
      refuseKey(next.change[next.property.name], of: next.change, heldBy: holder)
      store.remove([keyPolicy == .theirs ? holder : next.object], in: transaction) { _ in false }
    }
    for next in moving where next.object.table != nil {
      store.rewrite(next.property, of: next.object, to: next.key, in: transaction)
    }
  }

  private func holder(of next: KeyChange) -> Object? {
    let index = store.table(of: type(of: next.object)).index(at: next.property.offset)
    guard let holder = index?.holder(ofKey: next.key), holder !== next.object else { return nil }
    return holder
  }
}

/// A primary key that an object is to have.
private struct WantedKey: Hashable {
  private let index: ObjectIdentifier
  private let key: AnyHashable

  /// Fails if the property has no index, or the key is of a type that can't be one.
  init?(_ key: any FieldValue, in table: ObjectTable, at offset: Int) {
    guard let index = table.index(at: offset), let key = key as? any Hashable else { return nil }
    (self.index, self.key) = (ObjectIdentifier(index), AnyHashable(key))
  }
}
