// Reversing a step in one transaction.
//
// Order of events. First the objects that the step added are compared with the values that it left: those that
// later commits have written to are conflicts, and stay unless the policy is `.mine`
// (StepReversal+Additions.swift). Then, for each part of the step, the latest first: entries are put back from the last
// to the first. Properties that later commits have written are set aside (`contestedProperties`)
// and settled after the rest of the part: lists and sums merge, and the policy decides about
// everything else.

/// The reversal of one step, with the conflicts it meets.
struct StepReversal {
  /// A property that a later commit has written.
  struct ContestedProperty {
    let object: Object
    let property: Property
    /// The value that the step left.
    let left: Any
    /// The value before the step.
    var before: Any
  }

  let store: Store
  let transaction: Transaction
  let policy: ConflictPolicy
  private let step: UndoStep
  /// The conflicts in the order in which they were met.
  private var conflicts: [ChangeConflict] = []
  /// The values that the current part left in properties that later commits may have written.
  private var after: [PropertyKey: Any] = [:]
  /// For each property of `after`, whether it still had that value before any of the part was put
  /// back.
  private var isLeft: [PropertyKey: Bool] = [:]
  /// The properties that hadn't, each with its value before the part; the oldest entry counts.
  private var contestedProperties: [ContestedProperty] = []
  /// The indices of `contestedProperties`.
  private var places: [PropertyKey: Int] = [:]
  /// The properties that rules wrote again in later parts of the step.
  ///
  /// What another commit wrote between two parts is put back there, and is no conflict: the user
  /// didn't ask for either value.
  private var writtenByRules: Set<PropertyKey> = []
  /// The links that were put back without the objects that are gone.
  private var dangling: [PropertyKey: (contested: ContestedProperty, targets: [Object])] = [:]
  private var missing: Set<Object> = []
  /// The objects that the step added.
  lazy var added = Set(
    step.entries.compactMap { if case .inserted = $0.change { $0.object } else { nil } })
  /// The objects that the step added and later commits have written to, with these properties and
  /// the values that the step left.
  var edited: [Object: [(property: Property, left: Any)]] = [:]
  /// The objects that the step added and that stay.
  var kept: Set<Object> = []

  init(
    of step: UndoStep, in store: Store, _ transaction: Transaction,
    onConflict policy: ConflictPolicy
  ) {
    self.step = step
    self.store = store
    self.transaction = transaction
    self.policy = policy
  }

  /// Reverses the step.
  ///
  /// - Returns: The places where the store isn't as the step left it, in the order of the step.
  mutating func run() throws -> [ChangeConflict] {
    var parts: [CompositeStep.Part] = []
    if case .composite(let step) = step {
      parts = step.partsFromLast
      findEditedAdditions(parts)
    }
    try store.checkKeys(of: step, keeping: kept)
    // Deletions are announced before anything is unlinked. An object is linked after it was added,
    // so putting back the entries unlinks it before it is removed.
    switch step {
    case .one(let entry):
      store.announceDeletion(by: entry)
      try putBack(entry)
    case .many(let entries):
      for entry in entries { store.announceDeletion(by: entry) }
      for entry in entries.reversed() { try putBack(entry) }
    case .composite(let step):
      for part in step.parts {
        for entry in part.entries where !kept.contains(entry.object) {
          store.announceDeletion(by: entry)
        }
      }
      for part in parts { try putBack(part) }
    }
    noteDangling()
    return conflicts.reversed()
  }

  private mutating func putBack(_ part: CompositeStep.Part) throws {
    after = part.after
    if !after.isEmpty { compare(part.entries) }
    for entry in part.entries.reversed() { try putBack(entry) }
    for contested in contestedProperties where contested.object.table?.store === store {
      settle(contested)
    }
    writtenByRules.formUnion(part.byRules)
    isLeft = [:]
    contestedProperties = []
    places = [:]
  }

  private mutating func putBack(_ entry: Journal.Entry) throws {
    let object = entry.object
    switch entry.change {
    case .property(let offset, let before):
      guard let table = object.table, table.store === store else {
        return noteMissing(object)
      }
      guard let property = table.schema.property(at: offset) else { return }
      if !kept.isEmpty, kept.contains(object) || keepsMembers(of: property, in: object, before) {
        return
      }
      if !after.isEmpty, isDisputed(property, of: object, before: before) { return }
      write(before, to: property, of: object)
    case .inserted(_, _, let wasDerived):
      if !edited.isEmpty { noteEdits(of: object) }
      guard object.table?.store === store else { return }
      if kept.contains(object) { return }
      store.removeAnnounced([object], in: transaction) { _ in wasDerived }
    case .deleted(let values, let sequence, let isDerived):
      guard let owner = object.table?.store else {
        return try store.revive(
          object, values, sequence, wasDerived: isDerived, in: transaction)
      }
      guard owner === store else { throw StoreError.alreadyOwned(StoreError.Subject(object)) }
      settleReturn(of: object, values)
    }
  }

  /// Whether a property was set aside.
  func isSetAside(_ property: Property, of object: Object) -> Bool {
    places[PropertyKey(object, at: property.offset)] != nil
  }

  /// Sets a property aside, to be settled when the rest of the part is put back.
  ///
  /// Of several entries, the oldest has the value before the part.
  mutating func setAside(_ property: Property, of object: Object, before: Any) {
    let key = PropertyKey(object, at: property.offset)
    if let place = places[key] {
      contestedProperties[place].before = before
      return
    }
    places[key] = contestedProperties.count
    contestedProperties.append(
      ContestedProperty(
        object: object, property: property, left: after[key] ?? property.value(in: object),
        before: before))
  }

  /// Finds the properties that later commits have written.
  ///
  /// This happens before any entry is put back, because adding and removing objects also links and
  /// unlinks other objects.
  private mutating func compare(_ entries: UndoStep.Entries) {
    for entry in entries {
      guard let key = entry.key, isLeft[key] == nil, let left = after[key],
        entry.object.table?.store === store, let property = entry.property
      else { continue }
      isLeft[key] = property.isSame(left, in: entry.object)
    }
  }

  /// Sets a property aside if a later commit has written it.
  ///
  /// - Returns: Whether the property is set aside.
  private mutating func isDisputed(
    _ property: Property, of object: Object, before: Any
  ) -> Bool {
    let key = PropertyKey(object, at: property.offset)
    guard places[key] != nil || isLeft[key] == false else { return false }
    setAside(property, of: object, before: before)
    return true
  }

  // MARK: - Deciding

  private mutating func settle(_ contested: ContestedProperty) {
    let (object, property) = (contested.object, contested.property)
    if property.role == .links { return mergeList(contested) }
    let present = property.value(in: object)
    switch property.merging(from: contested.left, to: contested.before, into: present) {
    case .merged(let value): return store.rewrite(property, of: object, to: value, in: transaction)
    case .outOfRange: note(.outOfRange, for: contested)
    case .noRule:
      if property.isSame(contested.before, present) { return }
      let key = PropertyKey(object, at: property.offset)
      if !writtenByRules.contains(key) { note(.changed, for: contested) }
    }
    if policy == .mine { write(contested.before, to: property, of: object) }
  }

  /// Settles the values of an object that the step deleted and a later commit has added again.
  private mutating func settleReturn(of object: Object, _ values: [(offset: Int, value: Any)]) {
    let schema = store.table(of: type(of: object)).schema
    let differing = values.compactMap { offset, value -> (property: Property, value: Any)? in
      guard let property = schema.property(at: offset), !property.isSame(value, in: object) else {
        return nil
      }
      return (property, value)
    }
    guard let (property, value) = differing.first else { return }
    let change = ObjectChange.Property(
      name: property.name, old: nil, new: property.encodedValue(of: value))
    note(
      .alreadyThere, object, change, present: property.encodedValue(of: property.value(in: object)))
    guard policy == .mine else { return }
    for (property, value) in differing where property.role != .primaryKey {
      store.rewrite(property, of: object, to: value, in: transaction)
    }
  }

  // MARK: - Writing and noting

  /// Writes an old value, without objects that are no longer in the store.
  mutating func write(_ before: Any, to property: Property, of object: Object) {
    guard property.role == .link || property.role == .links else {
      return store.rewrite(property, of: object, to: before, in: transaction)
    }
    var lost: [Object] = []
    let value = property.droppingUnstored(from: before, store) { lost.append($0) }
    let key = PropertyKey(object, at: property.offset)
    if lost.isEmpty {
      // The older value counts.
      if !dangling.isEmpty { dangling[key] = nil }
    } else {
      let left = dangling[key]?.contested.left ?? after[key] ?? property.value(in: object)
      dangling[key] = (
        ContestedProperty(object: object, property: property, left: left, before: before), lost
      )
    }
    store.rewrite(property, of: object, to: value, in: transaction)
  }

  /// Notes the objects that couldn't be put back into a link or list.
  private mutating func noteDangling() {
    for (contested, targets) in dangling.values.sorted(by: {
      ($0.contested.object.objectID, $0.contested.property.offset)
        < ($1.contested.object.objectID, $1.contested.property.offset)
    }) {
      guard contested.object.table?.store === store else { continue }
      for target in Set(targets).sorted(by: { $0.objectID < $1.objectID }) {
        note(.danglingLink(to: StoreError.Subject(target)), for: contested)
      }
    }
  }

  private mutating func noteMissing(_ object: Object) {
    guard !added.contains(object), missing.insert(object).inserted else { return }
    note(.missing, object, nil, present: nil)
  }

  mutating func note(_ reason: ChangeConflict.Reason, for contested: ContestedProperty) {
    let property = contested.property
    let change = ObjectChange.Property(
      name: property.name, old: property.encodedValue(of: contested.left),
      new: property.encodedValue(of: contested.before))
    note(
      reason, contested.object, change,
      present: property.encodedValue(of: property.value(in: contested.object)))
  }

  mutating func note(
    _ reason: ChangeConflict.Reason, _ object: Object, _ change: ObjectChange.Property?,
    present: (any FieldValue)?
  ) {
    conflicts.append(
      ChangeConflict(
        subject: StoreError.Subject(object, property: change?.name), property: change,
        present: present,
        reason: reason))
  }
}
