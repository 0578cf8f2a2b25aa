// Filling a new store with the objects that another format has.
//
// Order of events: all objects are made, and their fields are set by the caller; then their links
// and lists; then `finish` checks what holds between objects, and stores them. If something doesn't
// hold, the store is released with what it has.

/// A new store that is being filled.
package struct StoreFilling {
  /// The store, which nothing else uses before `finish`.
  private let store: Store
  /// The objects that were made, in their order.
  package private(set) var objects: ContiguousArray<Object> = []

  /// Begins with an empty store.
  package init(undoLimit: Int, coalescing: Coalescing) {
    store = Store(undoLimit: undoLimit, coalescing: coalescing)
  }

  package mutating func reserve(_ count: Int) { objects.reserveCapacity(count) }

  /// Makes the next object, whose fields have their initial values.
  ///
  /// No other one may have its id.
  package mutating func make(_ type: Object.Type, id: ObjectID, sequence: UInt64) -> Object {
    let object = type.init()
    object.objectID = id
    object.sequence = sequence
    store.sequence = max(store.sequence, sequence)
    ObjectID.skip(id)
    store.givenIDs = max(store.givenIDs, id.counterHere)
    objects.append(object)
    return object
  }

  /// Sets a link of an object that was made.
  ///
  /// - Throws: ``GraphDecodingError`` if the property can't refer to the target.
  package func setLink(
    _ property: LinkingField, of object: Object, to target: Object?
  ) throws(GraphDecodingError) {
    if let target { try property.check(target, in: object) }
    property.property.setReferences(.link(target), of: object)
  }

  /// Sets a list of an object that was made.
  ///
  /// - Throws: ``GraphDecodingError`` if the property can't refer to a target.
  package func setList(
    _ property: LinkingField, of object: Object, to targets: [Object]
  ) throws(GraphDecodingError) {
    for target in targets { try property.check(target, in: object) }
    property.property.setReferences(.list(Tree(targets)), of: object)
  }

  /// Stores the objects.
  ///
  /// - Throws: ``GraphDecodingError`` if two objects have one primary key, a key doesn't equal
  ///   itself, or an embedded object doesn't have exactly one owner, or is part of itself.
  /// - Complexity: O(objects).
  package func finish() throws(GraphDecodingError) -> Store {
    for object in objects {
      let table = store.table(of: type(of: object))
      if let (property, index) = table.primaryKey {
        try check(object, property, index)
      }
      store.attachUnlinked(object, sequence: object.sequence, in: table)
    }
    for object in objects { store.attachLinks(of: object) }
    var verified: Set<Object> = []
    for object in objects where object.isEmbedded { try checkOwner(of: object, &verified) }
    store.givenIDs = max(store.givenIDs, ObjectID.newest.counterHere)
    return store
  }

  private func check(
    _ object: Object, _ property: Property, _ index: PropertyIndex
  ) throws(GraphDecodingError) {
    let key = "\(property.value(in: object))"
    if !index.canHoldKey(of: object, at: property.offset) {
      throw failure(object, property, .malformed("\(key) is not equal to itself"))
    }
    if index.hasKey(of: object, at: property.offset) {
      throw failure(object, property, .duplicateKey(key))
    }
  }

  /// - Parameter verified: The embedded objects that are known to be part of one that isn't.
  private func checkOwner(
    of object: Object, _ verified: inout Set<Object>
  ) throws(GraphDecodingError) {
    let owners = object.backlinks?.entries ?? []
    if owners.isEmpty {
      throw failure(object, nil, .brokenOwnership("it is embedded and has no owner"))
    }
    if owners.count > 1 || owners[0].multiplicity > 1 {
      throw failure(object, nil, .brokenOwnership("it is embedded and has several owners"))
    }
    var path: Set<Object> = []
    var current = object
    while current.isEmbedded, !verified.contains(current), let owner = current.ownership?.source {
      guard path.insert(current).inserted else {
        throw failure(object, nil, .brokenOwnership("it is embedded in itself"))
      }
      current = owner
    }
    verified.formUnion(path)
  }

  private func failure(
    _ object: Object, _ property: Property?, _ reason: GraphDecodingError.Reason
  ) -> GraphDecodingError {
    GraphDecodingError(
      className: String(describing: type(of: object)), property: property?.name, codingPath: [],
      reason: reason)
  }
}

/// A link or list of a class, with the class that it can refer to.
package struct LinkingField {
  package let property: Property
  private let target: Object.Type

  package init(_ property: Property) {
    self.property = property
    target = property.targetType
  }

  fileprivate func check(_ object: Object, in source: Object) throws(GraphDecodingError) {
    let type = type(of: object)
    if type == target || type.isSubclass(of: target) { return }
    throw GraphDecodingError(
      className: String(describing: Swift.type(of: source)), property: property.name,
      codingPath: [], reason: .wrongClass(String(describing: type)))
  }
}
