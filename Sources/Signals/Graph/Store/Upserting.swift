// Adding objects whose keys may be taken: an upsert.
//
// State: `counterparts` maps each object that comes to the stored one that stands for it; `pairs` are
// those whose counterpart is to be updated, `inserted` those that are stored themselves now. All is in
// place before the first link is followed back, and the first value written after that.
//
// Order of events: every object that comes finds its counterpart or is inserted; links of the inserted
// lead to counterparts; they are attached; counterparts get what differs.

extension Store {
  /// Adds objects; those whose keys are taken update the stored ones, or are ignored.
  ///
  /// The answer is the stored objects that stand for the given ones.
  func merge<Element: Object>(
    _ objects: [Element], updates: Bool, keeping paths: [PartialKeyPath<Element>]
  ) throws -> [Element] {
    let kept = objects.first.map { KeptProperties(paths, in: $0) }
    return try write {
      guard let transaction = transaction else { return objects }
      for root in objects where unsafe root.isEmbedded && root.extent == nil {
        throw StoreError.embeddedWithoutOwner(StoreError.Subject(root))
      }
      var merge = Upsert(self, transaction, updates ? .theirs : .mine, keeping: kept)
      try merge.run(objects)
      // Moves of embedded objects are whole by now: what has two owners is refused here.
      try checkOwnership(transaction.embedded[...])
      return objects.map { List<Element>.typed(merge.counterparts[$0] ?? $0) }
    }
  }
}

/// The properties that an update leaves as they are.
struct KeptProperties {
  private let type: Object.Type
  private let offsets: Set<Int>

  init<Root: Object>(_ paths: [PartialKeyPath<Root>], in object: Root) {
    type = Root.self
    offsets = Set(
      paths.map { path in
        guard let property = PropertyPaths.property(of: path, in: object) else {
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

/// Stored objects and those that come.
struct Upsert {
  private let store: Store
  private let transaction: Transaction
  private let policy: ConflictPolicy
  private let kept: KeptProperties?
  private(set) var counterparts: [Object: Object] = [:]
  private var pairs: [(new: Object, stored: Object)] = []
  private var inserted: [Object] = []
  private let known: Set<Object>

  /// Some counterparts may be known before; they are not updated.
  init(
    _ store: Store, _ transaction: Transaction, _ policy: ConflictPolicy,
    counterparts: [Object: Object] = [:], keeping kept: KeptProperties? = nil
  ) {
    self.kept = kept
    self.store = store
    self.transaction = transaction
    self.policy = policy
    self.counterparts = counterparts
    known = Set(counterparts.keys)
  }

  /// Merges the unstored ones among some objects, with what they reach.
  mutating func run(_ objects: [Object]) throws {
    let roots = objects.filter { unsafe $0.extent == nil }
    try store.checkNotForeign(roots, transaction)
    let start = transaction.log.records.count
    do { try place(roots) } catch {
      store.takeBack(transaction, to: start, store.revertUnlinked)
      throw error
    }
    for object in inserted { relink(object) }
    for object in inserted { store.attachLinks(of: object) }
    for (new, stored) in pairs { update(stored, from: new) }
  }

  /// Finds counterparts for objects and what they reach, or inserts them; iterative.
  private mutating func place(_ roots: [Object]) throws {
    var waiting: [Object] = []
    var seen: Set<Object> = []
    for root in roots where seen.insert(root).inserted { waiting.append(root) }
    var next = 0
    while next < waiting.count {
      let object = waiting[next]
      next += 1
      let extent = store.extent(of: type(of: object))
      guard try place(object, extent) else { continue }
      if let stored = counterparts[object] {
        pairEmbedded(of: object, with: stored, extent.schema)
      }
      let isUpdate = counterparts[object] != nil
      try object.forEachTarget(extent.schema) { target, property in
        if isUpdate, keeps(property, of: object) { return }
        let target = known.contains(target) ? counterparts[target] ?? target : target
        try store.checkNew(target, from: object, property.offset, seen)
        if unsafe target.extent == nil, seen.insert(target).inserted { waiting.append(target) }
      }
    }
  }

  /// Finds the counterpart of an object, or inserts it; the answer is whether its links are followed.
  private mutating func place(_ object: Object, _ extent: Extent) throws -> Bool {
    if counterparts[object] != nil { return true }
    guard let (property, index) = extent.primaryKey,
      let holder = index.holder(ofKeyOf: object, at: property.offset)
    else {
      try store.checkIdentities([object])
      if let refusal = store.keyRefusal(of: object, extent) { throw refusal }
      store.insertUnlinked(object, extent, transaction)
      inserted.append(object)
      return true
    }
    guard policy != .fail, type(of: holder).isSubclass(of: extent.schema.type) else {
      throw store.duplicate(object, property)
    }
    counterparts[object] = holder
    if policy == .theirs { pairs.append((object, holder)) }
    return policy == .theirs
  }

  private func keeps(_ property: Property, of object: Object) -> Bool {
    kept?.has(property, of: object) ?? false
  }

  /// Lets the embedded objects of a stored object be updated by those in the same places of the new one.
  private mutating func pairEmbedded(of new: Object, with stored: Object, _ schema: Schema) {
    for property in schema.embedding where !keeps(property, of: new) {
      for (part, present) in zip(
        property.targets(in: new), property.targets(in: stored)
      ) where part.isEmbedded && present.isEmbedded && type(of: part) == type(of: present) {
        guard unsafe part.extent == nil, counterparts[part] == nil else { continue }
        counterparts[part] = present
        pairs.append((part, present))
      }
    }
  }

  /// Lets the links of an inserted object lead to the counterparts, before they are attached.
  private func relink(_ object: Object) {
    guard !counterparts.isEmpty, let extent = unsafe object.extent else { return }
    for property in extent.schema.linking {
      let new = property.value(in: object, replacing: counterparts)
      if property.isSame(new, in: object) { continue }
      transaction.log.save(object, property.offset, property.value(in: object))
      property.put(new, into: object)
    }
  }

  /// Gives a stored object the values of its counterpart that differ.
  private func update(_ stored: Object, from new: Object) {
    for property in store.extent(of: type(of: new)).schema.properties
    where property.role != .primaryKey && property.role != .inverse && !keeps(property, of: new) {
      let value = property.value(in: new, replacing: counterparts)
      if property.isSame(value, in: stored) { continue }
      store.rewrite(property, of: stored, to: value, transaction)
    }
  }
}
