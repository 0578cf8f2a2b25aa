// Adding objects, with all objects that they reach. Upsert.swift handles keys that are taken.

extension Store {
  /// Adds an object, and every unstored object that it reaches through links and lists.
  ///
  /// Adding an object that this store already has does nothing. A deleted object is added again as
  /// the same instance. Outside of a transaction this is one commit. If one object can't be added,
  /// none is.
  ///
  /// If a primary key is taken, `policy` decides the outcome, for the object and for each one that
  /// it reaches:
  ///
  /// - `.fail` throws, and adds nothing.
  /// - `.theirs` gives the stored object all values of the new one, including the defaults of
  ///   properties that were never set. Only values that differ are written and reported, at any
  ///   depth. Links lead to the stored objects, and objects without a primary key are added. A
  ///   linked ``EmbeddedObject`` updates the one in its place, position by position in a list.
  ///   Embedded objects without a counterpart are added or deleted.
  /// - `.mine` leaves the stored object unchanged, and does not follow the links of the new one.
  ///
  /// With `.theirs` and `.mine`, two new objects may have the same key: the first is added, and the
  /// second updates it or is ignored.
  ///
  /// ```swift
  /// let stored = try store.add(downloaded, onConflict: .theirs, keeping: [\.history])
  /// ```
  ///
  /// - Parameters:
  ///   - object: The object to add.
  ///   - policy: What happens if a primary key is taken.
  ///   - kept: The properties that `.theirs` leaves unchanged, such as those that a service doesn't
  ///     know. This applies to every object of `Element` that is updated. An object that is added
  ///     has the values of the new one. Traps if a key path isn't a stored property, or is the
  ///     primary key.
  /// - Returns: The stored object: the given one, or the one that has its key.
  /// - Throws: ``StoreError/alreadyOwned(_:)`` for an object of another store;
  ///   ``StoreError/embeddedWithoutOwner(_:)`` for an embedded object that no given object links
  ///   to; ``StoreError/duplicateKey(_:key:)`` if a primary key is taken (with `.theirs` and
  ///   `.mine`: by an object of another class that isn't a subclass);
  ///   ``StoreError/unusableKey(_:key:)`` if a primary key is NaN; and
  ///   ``StoreError/deletedObject(_:target:)`` or ``StoreError/foreignObject(_:target:)`` if the
  ///   object links to one that can't be added.
  /// - Complexity: O(objects added).
  @discardableResult
  public func add<Element: Object>(
    _ object: Element, onConflict policy: ConflictPolicy = .fail,
    keeping kept: [PartialKeyPath<Element>] = []
  ) throws -> Element {
    if let owner = object.table?.store {
      guard owner === self else { throw StoreError.alreadyOwned(StoreError.Subject(object)) }
      return object
    }
    if policy != .fail { return try merge([object], onConflict: policy, keeping: kept)[0] }
    try mutateThrowing { transaction in try insert([object], transaction) }
    return object
  }

  /// Adds several objects, and every unstored object that they reach.
  ///
  /// The rules are those for a single object. If one object can't be added, none is.
  ///
  /// - Parameters:
  ///   - objects: The objects to add.
  ///   - policy: What happens if a primary key is taken.
  ///   - kept: The properties that keep their stored values where an object is updated.
  /// - Returns: The stored objects, in the order of the given ones.
  /// - Throws: The errors of the method for a single object.
  @discardableResult
  public func add<Element: Object>(
    _ objects: some Sequence<Element>, onConflict policy: ConflictPolicy = .fail,
    keeping kept: [PartialKeyPath<Element>] = []
  ) throws -> [Element] {
    let all = Array(objects)
    let new = all.filter { $0.table?.store !== self }
    for object in new where object.table != nil {
      throw StoreError.alreadyOwned(StoreError.Subject(object))
    }
    if policy != .fail { return try merge(all, onConflict: policy, keeping: kept) }
    try mutateThrowing { transaction in try insert(new, transaction) }
    return all
  }

  /// Adds the objects that a link or list of a stored object refers to after a change.
  ///
  /// - Complexity: O(changed).
  func admit(_ change: ReferenceChange, from source: Object, at offset: Int) throws {
    var arriving: [Object] = []
    var embeds = false
    try change.forEachArrival { target in
      try checkTarget(target, from: source, at: offset)
      if target.isEmbedded { embeds = true }
      if target.table == nil { arriving.append(target) }
    }
    guard let transaction else { return }
    let start = transaction.journal.entries.count
    if !arriving.isEmpty { try insert(arriving, transaction, areLinked: true) }
    guard embeds else { return }
    // Checked after the insertion, because an inserted object may own another target of this
    // change.
    do { try checkOwnership(change, from: source, at: offset) } catch {
      revertEntries(transaction, to: start, revert)
      throw error
    }
  }

  /// Throws if a key that the store has hashed for an object's new link has deleted the object.
  func checkStored(_ object: Object, in table: ObjectTable) throws {
    if object.table !== table { throw StoreError.notInStore(StoreError.Subject(object)) }
  }

  func checkTarget(_ target: Object, from source: Object, at offset: Int) throws {
    if let table = target.table {
      if table.store === self { return }
      throw StoreError.foreignObject(
        subject(of: source, at: offset), target: StoreError.Subject(target))
    }
    if target.isGone {
      throw StoreError.deletedObject(
        subject(of: source, at: offset), target: StoreError.Subject(target))
    }
  }

  /// Inserts unstored objects and the objects they reach, or none if one can't be inserted.
  ///
  /// - Parameter areLinked: Whether the caller will link to the roots from a property, so that
  ///   embedded ones may have no owner yet.
  private func insert(
    _ roots: [Object], _ transaction: Transaction, areLinked: Bool = false
  ) throws {
    // Another store may revert its deletion of a root until its own transaction ends.
    try checkNotForeign(roots, in: transaction)
    let found = try reach(of: roots)
    try checkIdentities(found)
    let start = transaction.journal.entries.count
    for object in found where object.table == nil {
      let table = table(of: type(of: object))
      if let refusal = keyRefusal(of: object, in: table) {
        revertEntries(transaction, to: start, revertUnlinked)
        throw refusal
      }
      insertUnlinked(object, into: table, transaction)
    }
    let touched = transaction.embedded.count
    for object in found { attachLinks(of: object) }
    do {
      if !areLinked {
        for root in roots where root.isEmbedded && root.ownership == nil {
          throw StoreError.embeddedWithoutOwner(StoreError.Subject(root))
        }
      }
      try checkOwnership(transaction.embedded[touched...])
    } catch {
      revertEntries(transaction, to: start, revert)
      throw error
    }
  }

  func checkNotForeign(_ roots: [Object], in transaction: Transaction) throws {
    for root in roots where transaction.journal.isForeign(root) {
      throw StoreError.alreadyOwned(StoreError.Subject(root))
    }
  }

  /// Makes an object a stored one.
  ///
  /// Its back-links are added later.
  func insertUnlinked(_ object: Object, into table: ObjectTable, _ transaction: Transaction) {
    let (wasGone, place) = (object.isGone, object.sequence)
    // Deleted in this transaction, so it returns to its previous place in the order.
    let returns = wasGone && object.lastEntry >= 0
    if !returns { sequence += 1 }
    transaction.journal.append(.inserted(wasGone: wasGone, sequence: place), of: object)
    attachUnlinked(object, sequence: returns ? place : sequence, in: table)
  }

  /// The given unstored objects and all unstored objects that they reach; iterative.
  private func reach(of roots: [Object]) throws -> [Object] {
    // Without links there is nothing to follow. Objects given twice are skipped later.
    roots.forEach { $0.refuseIfAnyIsChanging() }
    if roots.allSatisfy({ table(of: type(of: $0)).schema.linking.isEmpty }) { return roots }
    var found: [Object] = []
    var seen: Set<Object> = []
    for root in roots where seen.insert(root).inserted { found.append(root) }
    var next = 0
    while next < found.count {
      let object = found[next]
      next += 1
      object.refuseIfAnyIsChanging()
      try object.forEachTarget(in: table(of: type(of: object)).schema) { target, property in
        try checkNew(target, from: object, at: property.offset, adding: seen)
        if target.table == nil, seen.insert(target).inserted { found.append(target) }
      }
    }
    return found
  }

  /// Checks the target of a link.
  ///
  /// A deleted object may be linked to if it is being added too.
  func checkNew(
    _ target: Object, from source: Object, at offset: Int, adding: Set<Object>
  ) throws {
    if target.table == nil, adding.contains(target) { return }
    try checkTarget(target, from: source, at: offset)
  }

  /// The error if the primary key of an unstored object can't be stored; nil if it can, or has
  /// none.
  func keyRefusal(of object: Object, in table: ObjectTable) -> StoreError? {
    guard let (property, index) = table.primaryKey else { return nil }
    if index.hasKey(of: object, at: property.offset) { return duplicate(property, of: object) }
    if index.canHoldKey(of: object, at: property.offset) { return nil }
    return .unusableKey(
      subject(of: object, at: property.offset), key: "\(property.value(in: object))")
  }

  func duplicate(_ property: Property, of object: Object) -> StoreError {
    .duplicateKey(subject(of: object, at: property.offset), key: "\(property.value(in: object))")
  }

  /// The name of an object's property for an error.
  func subject(of object: Object, at offset: Int) -> StoreError.Subject {
    StoreError.Subject(object, property: object.schema.property(at: offset)?.name)
  }
}
