// Adding objects, with all that they reach.

extension Store {
  /// Adds an object, and every unstored object that it reaches through links and lists.
  ///
  /// Adding what this store already has does nothing; a deleted object is added again as the same
  /// instance. Outside of a transaction this is one commit. All or nothing; O(objects added).
  ///
  /// Throws ``StoreError/alreadyOwned(_:)`` for an object of another store,
  /// ``StoreError/duplicateKey(_:key:)`` if a primary key is taken, and
  /// ``StoreError/deletedObject(_:target:)`` or ``StoreError/foreignObject(_:target:)`` if the object
  /// links to one that can't be added.
  public func add(_ object: Object) throws {
    if let owner = unsafe object.extent?.store {
      guard owner === self else { throw StoreError.alreadyOwned(StoreError.Subject(object)) }
      return
    }
    try mutateThrowing { transaction in try insert([object], transaction) }
  }

  /// Adds several objects likewise; none is added if one can't be.
  public func add(_ objects: some Sequence<Object>) throws {
    let new = objects.filter { unsafe $0.extent?.store !== self }
    for object in new where unsafe object.extent != nil {
      throw StoreError.alreadyOwned(StoreError.Subject(object))
    }
    try mutateThrowing { transaction in try insert(new, transaction) }
  }

  /// Adds what a link or list of a stored object refers to from now on.
  ///
  /// O(changed).
  func admit(_ new: References, over old: References, from source: Object, _ offset: Int) throws {
    var arriving: [Object] = []
    try old.forEachArrival(in: new) { target in
      try checkTarget(target, from: source, offset)
      if unsafe target.extent == nil { arriving.append(target) }
    }
    if !arriving.isEmpty, let transaction = transaction { try insert(arriving, transaction) }
  }

  private func checkTarget(_ target: Object, from source: Object, _ offset: Int) throws {
    if let extent = unsafe target.extent {
      if extent.store === self { return }
      throw StoreError.foreignObject(subject(source, offset), target: target.objectID)
    }
    if unsafe target.isGone {
      throw StoreError.deletedObject(subject(source, offset), target: target.objectID)
    }
  }

  /// Inserts unstored objects and what they reach, or nothing if one can't be.
  private func insert(_ roots: [Object], _ transaction: Transaction) throws {
    // Until its own transaction ends, another store may take back what it deleted.
    for root in roots where transaction.log.isForeign(root) {
      throw StoreError.alreadyOwned(StoreError.Subject(root))
    }
    let found = try reach(of: roots)
    try checkIdentities(found)
    let start = transaction.log.records.count
    for object in found where unsafe object.extent == nil {
      let extent = extent(of: type(of: object))
      if let (property, index) = extent.primaryKey, index.hasKey(of: object, at: property.offset) {
        while transaction.log.records.count > start { revertUnlinked(transaction.log.removeLast()) }
        throw duplicate(object, property)
      }
      let (wasGone, place) = unsafe (object.isGone, object.sequence)
      // Deleted in this transaction, and so back where it was.
      let returns = unsafe wasGone && object.lastRecord >= 0
      if !returns { sequence += 1 }
      unsafe transaction.log.append(object, .inserted(wasGone: wasGone, sequence: place))
      attachUnlinked(object, sequence: returns ? place : sequence, extent)
    }
    for object in found { attachLinks(of: object) }
  }

  /// Unstored objects and all the unstored ones that they lead to, each once.
  ///
  /// Iterative.
  private func reach(of roots: [Object]) throws -> [Object] {
    // Without links there is nothing to follow, and who comes twice is found out later.
    if roots.allSatisfy({ extent(of: type(of: $0)).schema.linking.isEmpty }) { return roots }
    var found: [Object] = []
    var seen: Set<Object> = []
    for root in roots where seen.insert(root).inserted { found.append(root) }
    var next = 0
    while next < found.count {
      let object = found[next]
      next += 1
      try object.forEachTarget(extent(of: type(of: object)).schema) { target, property in
        try checkNew(target, from: object, property.offset, seen)
        if unsafe target.extent == nil, seen.insert(target).inserted { found.append(target) }
      }
    }
    return found
  }

  /// An object that is added itself may be linked to, though it was deleted before.
  private func checkNew(
    _ target: Object, from source: Object, _ offset: Int, _ adding: Set<Object>
  ) throws {
    if unsafe target.extent == nil, adding.contains(target) { return }
    try checkTarget(target, from: source, offset)
  }

  func duplicate(_ object: Object, _ property: Property) -> StoreError {
    .duplicateKey(subject(object, property.offset), key: "\(property.value(in: object))")
  }

  /// How an error names a property of an object.
  func subject(_ object: Object, _ offset: Int) -> StoreError.Subject {
    let schema = unsafe object.extent?.schema ?? Schema(of: type(of: object))
    return StoreError.Subject(object, schema.property(at: offset)?.name)
  }
}
