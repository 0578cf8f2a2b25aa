// Adding objects whose primary keys may be taken: an upsert.
//
// Order of events:
// 1. Every new object finds its counterpart or is inserted.
// 2. Links of the inserted objects are redirected to counterparts.
// 3. Back-links of the inserted objects are added.
// 4. Counterparts get the values that differ.
//
// `counterparts`, `pairs` and `inserted` are complete after the first step.

extension Store {
  /// Adds objects.
  ///
  /// An object whose key is taken updates the stored one, or is ignored.
  ///
  /// - Returns: The stored object for each given one.
  func merge<Element: Object>(
    _ objects: [Element], onConflict policy: ConflictPolicy,
    keeping paths: [PartialKeyPath<Element>]
  ) throws -> [Element] {
    let kept = objects.first.map { KeptProperties(paths, in: $0) }
    return try write {
      guard let transaction else { return objects }
      for root in objects where root.isEmbedded && root.table == nil {
        throw StoreError.embeddedWithoutOwner(StoreError.Subject(root))
      }
      var merge = Upsert(self, transaction, onConflict: policy, keeping: kept)
      try merge.run(objects)
      // Moves of embedded objects are complete now, so an object with two owners is refused here.
      try checkOwnership(transaction.embedded[...])
      return objects.map { List<Element>.typed(merge.counterparts[$0] ?? $0) }
    }
  }
}

/// The properties that an update leaves unchanged.
struct KeptProperties {
  private let type: Object.Type
  private let offsets: Set<Int>

  init<Root: Object>(_ paths: [PartialKeyPath<Root>], in object: Root) {
    type = Root.self
    offsets = Set(
      paths.map { path in
        guard
          let property = PropertyResolver.current.property(
            of: path, in: Swift.type(of: object), object)
        else {
          trap("\(Root.self) can't keep \(path), which is none of its stored properties")
        }
        if property.role == .primaryKey { trap("\(property.name) of \(Root.self) is kept anyway") }
        return property.offset
      })
  }

  func has(_ property: Property, of object: Object) -> Bool {
    !offsets.isEmpty && offsets.contains(property.offset)
      && Swift.type(of: object).isSubclass(of: type)
  }
}

/// Matches new objects with stored ones, and merges them.
struct Upsert {
  private let store: Store
  private let transaction: Transaction
  private let policy: ConflictPolicy
  private let kept: KeptProperties?
  /// The stored object that each new object matches.
  private(set) var counterparts: [Object: Object] = [:]
  /// The new objects whose counterparts are to be updated.
  private var pairs: [(new: Object, stored: Object)] = []
  /// The new objects that are now stored themselves.
  private var inserted: [Object] = []
  private let known: Set<Object>

  /// Creates an upsert.
  ///
  /// - Parameter counterparts: The counterparts that are already known; they aren't updated.
  init(
    _ store: Store, _ transaction: Transaction, onConflict policy: ConflictPolicy,
    counterparts: [Object: Object] = [:], keeping kept: KeptProperties? = nil
  ) {
    self.kept = kept
    self.store = store
    self.transaction = transaction
    self.policy = policy
    self.counterparts = counterparts
    known = Set(counterparts.keys)
  }

  /// Merges the unstored objects among `objects`, and the objects they reach.
  mutating func run(_ objects: [Object]) throws {
    let roots = objects.filter { $0.table == nil }
    try store.checkNotForeign(roots, in: transaction)
    let start = transaction.journal.entries.count
    do { try place(roots) } catch {
      store.revertEntries(transaction, to: start, store.revertUnlinked)
      throw error
    }
    for object in inserted { relink(object) }
    for object in inserted { store.attachLinks(of: object) }
    for (new, stored) in pairs { update(stored, from: new) }
  }

  /// Finds the counterparts of objects and of those they reach, or inserts them; iterative.
  private mutating func place(_ roots: [Object]) throws {
    var waiting: [Object] = []
    var seen: Set<Object> = []
    for root in roots where seen.insert(root).inserted { waiting.append(root) }
    var next = 0
    while next < waiting.count {
      let object = waiting[next]
      next += 1
      let table = store.table(of: type(of: object))
      guard try place(object, in: table) else { continue }
      if let stored = counterparts[object] {
        pairEmbedded(of: object, with: stored, table.schema)
      }
      let isUpdate = counterparts[object] != nil
      try object.forEachTarget(in: table.schema) { target, property in
        if isUpdate, keeps(property, of: object) { return }
        let target = known.contains(target) ? counterparts[target] ?? target : target
        try store.checkNew(target, from: object, at: property.offset, adding: seen)
        if target.table == nil, seen.insert(target).inserted { waiting.append(target) }
      }
    }
  }

  /// Finds the counterpart of an object, or inserts the object.
  ///
  /// - Returns: Whether its links have to be followed.
  private mutating func place(_ object: Object, in table: ObjectTable) throws -> Bool {
    if counterparts[object] != nil { return true }
    guard let (property, index) = table.primaryKey,
      let holder = index.holder(ofKeyOf: object, at: property.offset)
    else {
      try store.checkIdentities([object])
      if let refusal = store.keyRefusal(of: object, in: table) { throw refusal }
      store.insertUnlinked(object, into: table, transaction)
      inserted.append(object)
      return true
    }
    guard policy != .fail, type(of: holder).isSubclass(of: table.schema.type) else {
      throw store.duplicate(property, of: object)
    }
    counterparts[object] = holder
    if policy == .theirs { pairs.append((object, holder)) }
    return policy == .theirs
  }

  private func keeps(_ property: Property, of object: Object) -> Bool {
    kept?.has(property, of: object) ?? false
  }

  /// Pairs the embedded objects of a new object with those in the same places of the stored one,
  /// which they will update.
  private mutating func pairEmbedded(of new: Object, with stored: Object, _ schema: Schema) {
    for property in schema.embedding where !keeps(property, of: new) {
      let (parts, others) = (property.targets(in: new), property.targets(in: stored))
      // Two new objects with one key may share parts, which keep their identity.
      let shared = Set(parts).intersection(others)
      for (part, present) in zip(parts, others)
      where part.isEmbedded && present.isEmbedded && type(of: part) == type(of: present) {
        guard part.table == nil, counterparts[part] == nil, !shared.contains(part),
          !shared.contains(present)
        else { continue }
        counterparts[part] = present
        pairs.append((part, present))
      }
    }
  }

  /// Redirects the links of an inserted object to the counterparts, before back-links are added.
  private func relink(_ object: Object) {
    guard !counterparts.isEmpty, let table = object.table else { return }
    for property in table.schema.linking {
      let new = property.value(in: object, replacing: counterparts)
      if property.isSame(new, in: object) { continue }
      transaction.journal.save(object, at: property.offset, old: property.value(in: object))
      property.put(new, into: object)
    }
  }

  /// Writes the values that differ from a new object to its counterpart.
  private func update(_ stored: Object, from new: Object) {
    for property in store.table(of: type(of: new)).schema.properties
    where property.role != .primaryKey && property.role != .inverse && !keeps(property, of: new) {
      let value = property.value(in: new, replacing: counterparts)
      if property.isSame(value, in: stored) { continue }
      store.rewrite(property, of: stored, to: value, in: transaction)
    }
  }
}
