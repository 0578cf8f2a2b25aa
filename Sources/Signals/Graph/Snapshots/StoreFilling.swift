// Filling a new store with the objects that another format has.
//
// Order of events: all objects are made, and their fields are set by the caller; then their links
// and lists; a migration may change them, and `adopt` objects of its own; then `finish` stores them
// and checks their keys and owners. After an error, the store is released with its objects.

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

  /// Removes the object that was made last.
  package mutating func removeLast() { objects.removeLast() }

  /// Keeps only the objects at given positions, in that order.
  package mutating func keep(_ positions: [Int]) {
    objects = ContiguousArray(positions.map { objects[$0] })
  }

  /// Adds the objects to which those that were made now refer, and removes some.
  ///
  /// The parts of a removed object are removed with it, and links to it are dropped. An embedded
  /// object that has no owner now, for instance because another one has taken its place, is removed.
  ///
  /// - Parameters:
  ///   - added: Objects to add besides.
  ///   - removed: The objects to remove.
  /// - Throws: ``GraphDecodingError`` if a link leads to a stored object.
  /// - Complexity: O(objects and links).
  package mutating func adopt(
    _ added: [Object], removing removed: Set<Object>
  ) throws(GraphDecodingError) {
    let removed = withParts(of: removed)
    let former = Set(objects)
    var found: [Object] = []
    var seen: Set<Object> = []
    // Embedded objects are found by their owners.
    for object in objects.filter({ !$0.isEmbedded }) + added where !removed.contains(object) {
      if seen.insert(object).inserted { found.append(object) }
    }
    var next = 0
    while next < found.count {
      let object = found[next]
      next += 1
      if object.sequence == 0 {
        store.sequence += 1
        object.sequence = store.sequence
      }
      for property in store.table(of: type(of: object)).schema.linking {
        drop(removed, from: property, of: object)
        for target in property.references(in: object).targets {
          if target.table != nil { throw failure(object, property, .danglingLink) }
          if seen.insert(target).inserted { found.append(target) }
        }
      }
    }
    objects = objects.filter(seen.contains) + found.filter { !former.contains($0) }
  }

  private func withParts(of removed: Set<Object>) -> Set<Object> {
    var all = removed
    var rest = Array(removed)
    while let object = rest.popLast() {
      for property in store.table(of: type(of: object)).schema.linking {
        for part in property.references(in: object).targets
        where part.isEmbedded && all.insert(part).inserted { rest.append(part) }
      }
    }
    return all
  }

  private func drop(_ removed: Set<Object>, from property: Property, of object: Object) {
    if removed.isEmpty { return }
    switch property.references(in: object) {
    case .link(let target):
      if let target, removed.contains(target) {
        property.setReferences(.link(nil), of: object)
      }
    case .list(let members):
      let kept = members.filter { !removed.contains($0) }
      if kept.count < members.count {
        property.setReferences(.list(Tree(kept)), of: object)
      }
    }
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
    let runs = runs()
    var counts: [ObjectIdentifier: Int] = [:]
    for run in runs { counts[ObjectIdentifier(run.table), default: 0] += run.objects.count }
    for table in store.tables.values { table.reserve(counts[ObjectIdentifier(table)] ?? 0) }
    for run in runs {
      for position in run.objects {
        let object = objects[position]
        store.attachUnlinked(object, sequence: object.sequence, in: run.table)
      }
    }
    try checkKeys(runs)
    for run in runs where !run.table.schema.linking.isEmpty {
      for object in objects[run.objects] { store.attachLinks(of: object) }
    }
    var verified: Set<Object> = []
    for run in runs where run.table.schema.type is EmbeddedObject.Type {
      for object in objects[run.objects] { try checkOwner(of: object, &verified) }
    }
    store.givenIDs = max(store.givenIDs, ObjectID.newest.counterHere)
    return store
  }

  /// Objects of one class that follow each other.
  private typealias Run = (table: ObjectTable, objects: Range<Int>)

  private func runs() -> [Run] {
    var runs: [Run] = []
    var (start, current) = (0, nil as Object.Type?)
    for position in objects.indices where type(of: objects[position]) != current {
      if let current { runs.append((store.table(of: current), start..<position)) }
      (start, current) = (position, type(of: objects[position]))
    }
    if let current { runs.append((store.table(of: current), start..<objects.count)) }
    return runs
  }

  /// Checks that each stored object is found by its primary key.
  private func checkKeys(_ runs: [Run]) throws(GraphDecodingError) {
    var counts: [ObjectIdentifier: (index: PropertyIndex, count: Int)] = [:]
    for run in runs {
      guard let index = run.table.primaryKey?.index else { continue }
      counts[ObjectIdentifier(index), default: (index, 0)].count += run.objects.count
    }
    if counts.values.allSatisfy({ $0.index.keyCount == $0.count }) { return }
    for run in runs {
      guard let (property, index) = run.table.primaryKey else { continue }
      for object in objects[run.objects] { try check(object, property, index) }
    }
  }

  private func check(
    _ object: Object, _ property: Property, _ index: PropertyIndex
  ) throws(GraphDecodingError) {
    if !index.canHoldKey(of: object, at: property.offset) {
      let key = "\(property.value(in: object))"
      throw failure(object, property, .malformed("\(key) is not equal to itself"))
    }
    if index.holder(ofKeyOf: object, at: property.offset) !== object {
      throw failure(object, property, .duplicateKey("\(property.value(in: object))"))
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
