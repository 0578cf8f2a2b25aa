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

  /// Adds what a link or list of a stored object is about to refer to.
  func admit(_ references: References, from source: Object, _ offset: Int) throws {
    var new: [Object] = []
    try references.forEach { target in
      try checkTarget(target, from: source, offset)
      if unsafe target.extent == nil { new.append(target) }
    }
    if !new.isEmpty, let transaction { try insert(new, transaction) }
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

  /// Inserts unstored objects and what they reach, after checking all of them.
  private func insert(_ roots: [Object], _ transaction: Transaction) throws {
    var found: [Object] = []
    var seen: Set<Object> = []
    var keys: [ObjectIdentifier: Set<AnyHashable>] = [:]
    for root in roots where seen.insert(root).inserted { found.append(root) }
    var next = 0
    while next < found.count {
      let object = found[next]
      next += 1
      let extent = extent(of: type(of: object))
      try checkKey(of: object, extent, &keys, isAlone: roots.count == 1 && found.count == 1)
      try object.forEachTarget(extent.schema) { target, property in
        if seen.contains(target) { return }
        try checkTarget(target, from: object, property.offset)
        if unsafe target.extent == nil, seen.insert(target).inserted { found.append(target) }
      }
    }
    for object in found {
      let wasGone = unsafe object.isGone
      sequence += 1
      attachUnlinked(object, sequence: sequence)
      transaction.log.append(object, .inserted(wasGone: wasGone))
    }
    for object in found { attachLinks(of: object) }
  }

  private func checkKey(
    of object: Object, _ extent: Extent, _ keys: inout [ObjectIdentifier: Set<AnyHashable>],
    isAlone: Bool
  ) throws {
    guard let (property, index) = extent.primaryKey else { return }
    let value = property.value(in: object)
    let isTaken = index.holder(ofValueIn: object, at: property.offset) != nil
    var isRepeated = false
    if !isAlone, let key = value as? AnyHashable {
      isRepeated = !keys[ObjectIdentifier(index), default: []].insert(key).inserted
    }
    if isTaken || isRepeated {
      throw StoreError.duplicateKey(subject(object, property.offset), key: "\(value)")
    }
  }

  /// How an error names a property of an object.
  func subject(_ object: Object, _ offset: Int) -> StoreError.Subject {
    let schema = unsafe object.extent?.schema ?? Schema(of: type(of: object))
    return StoreError.Subject(object, schema.property(at: offset)?.name)
  }
}
