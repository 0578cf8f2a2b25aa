// Writing what other replicas have changed. `SignalsSync` decides what the graph becomes, and this
// file makes it so: in one transaction that no rule may refuse, because the change was accepted
// elsewhere, and that is reported like any other.
//
// Order of events: the transaction opens; the closure creates, writes and removes objects; embedded
// objects are left as the closure has put them; the journal is sealed and delivered. Rules given to
// `beforeCommit` and delete rules aren't followed. A merge can't fail, and so is never rolled back.

extension Store {
  /// Whether no transaction is open and no callback is running, so that a merge can begin.
  package var canMerge: Bool { transaction == nil && !ImplicitTransaction.isUnderWay }

  /// Runs `body` as a transaction that carries in the changes of other replicas.
  ///
  /// The transaction can't be undone, and intervenes in the undo history like any other. No code of
  /// the app runs before it is sealed, apart from the `init` of new objects, and the comparing and
  /// decoding of values.
  ///
  /// - Parameters:
  ///   - origin: The origin that observers receive.
  ///   - author: The receiver of captured commits that merges, and isn't passed this one; others
  ///     are.
  ///   - body: The changes. It must leave each embedded object with one owner.
  /// - Returns: The result of `body`; nil, and nothing is done, if a transaction is open already.
  package func merge<Result>(
    origin: Origin? = nil, by author: (any CommitCapture)?, _ body: (StoreMerge) -> Result
  ) throws -> Result? {
    Node.checkMayWrite("a store")
    if !canMerge { return nil }
    let isUnobserved =
      fullWriteReasons == 0 && (undoLimit == 0 || history.hasNoSteps)
      && captures.allSatisfy { $0 === author }
    let scheduler = Scheduler.current
    scheduler.pointee.reportsTo += 1
    defer { scheduler.pointee.reportsTo -= 1 }
    let transaction = begin()
    transaction.origin = origin
    transaction.author = author.map { ObjectIdentifier($0) }
    let result = try runTransaction {
      let result = body(
        StoreMerge(store: self, transaction: transaction, isUnobserved: isUnobserved))
      transaction.notUndoable = transaction.journal.entries.count
      transaction.retainUntilEnd(transaction.embedded)
      transaction.embedded.removeAll()
      return result
    } prepare: {
    } seal: {
      seal()
    } rollBack: {
      abandon()
    } end: {
      end(transaction)
    }
    try scheduler.pointee.throwEndlessChain()
    return result
  }
}

/// The changes of a running merge to the store.
package struct StoreMerge {
  package let store: Store
  let transaction: Transaction
  /// Whether no query, observer, other receiver, snapshot or undo step can see the changes.
  ///
  /// Then an object without readers can be written in place.
  package let isUnobserved: Bool

  /// Creates an unstored object with an id, and with no links, whatever its `init` sets.
  package func make(_ type: Object.Type, id: ObjectID, links: [Property]) -> Object {
    let object = type.init()
    object.give(id)
    for link in links { _ = link.takeReferences(from: object) }
    return object
  }

  /// Whether a primary key of the object's class is held by another stored object.
  package func holder(ofKeyOf object: Object) -> Object? {
    let table = store.table(of: type(of: object))
    guard let (property, index) = table.primaryKey else { return nil }
    return index.holder(ofKeyOf: object, at: property.offset)
  }

  /// Adds a new object, whose key is free and which has no links.
  package func insert(_ object: Object) {
    let table = store.table(of: type(of: object))
    guard isUnobserved, !object.isGone else {
      return store.insertUnlinked(object, into: table, transaction)
    }
    store.sequence += 1
    store.attachUnlinked(object, sequence: store.sequence, in: table)
  }

  /// Deletes objects, and removes them from all links and lists.
  package func remove(_ objects: [Object]) {
    let stored = objects.filter { $0.table?.store === store }
    store.remove(stored, in: transaction) { _ in false }
  }

  /// Writes a field, unless it has the value already.
  package func write(_ value: Any, to property: Property, of object: Object) {
    if property.isSame(value, in: object) { return }
    store.rewrite(property, of: object, to: value, in: transaction)
  }

  /// Makes a link refer to an object, or a list to several; those of another class are left out.
  ///
  /// - Complexity: O(n) for a list of n members.
  package func setTargets(_ targets: [Object], of property: Property, in object: Object) {
    guard let type = property.type as? any LinkingProperty.Type else { return }
    write(type.value(of: targets.filter { type.holds($0) }), to: property, of: object)
  }
}

extension Property {
  /// Whether the property refers to other objects.
  package var isLinking: Bool { role == .link || role == .links }

  /// Whether the property can refer to embedded objects, which it then owns.
  package var embeds: Bool {
    guard let target = (type as? any LinkingProperty.Type)?.targetType else { return false }
    return target.isSubclass(of: EmbeddedObject.self) || target == Object.self
  }
}

extension Property {
  /// Whether the property can refer to objects of a class.
  package func holds(_ type: Object.Type) -> Bool {
    guard let target = (self.type as? any LinkingProperty.Type)?.targetType else { return false }
    return type.isSubclass(of: target)
  }

  /// The value in an object.
  package func currentValue(in object: Object) -> Any { value(in: object) }

  /// Returns whether an object has a value already.
  package func hasValue(_ value: Any, in object: Object) -> Bool { isSame(value, in: object) }

  /// Stores a value in an object that isn't stored.
  package func put(_ value: Any, in object: Object) { put(value, into: object) }
}

extension Object {
  /// The value of a field whose type is known, which is neither tracked nor recorded.
  ///
  /// Every wrapper begins with its value. `Value` is the type of the property at the offset, which
  /// the caller knows from its ``Property``.
  @inlinable
  package final subscript<Value>(field offset: Int) -> Value {
    @inline(__always) get {
      unsafe Unmanaged.passUnretained(self).toOpaque()
        .advanced(by: offset).assumingMemoryBound(to: Value.self).pointee
    }
    @inline(__always) set {
      unsafe Unmanaged.passUnretained(self).toOpaque()
        .advanced(by: offset).assumingMemoryBound(to: Value.self).pointee = newValue
    }
  }
}

extension Schema {
  /// Describes the wrapped properties of a class, as a store's tables do.
  package static func shared(_ type: Object.Type, in store: Store) -> Schema {
    store.table(of: type).schema
  }
}

extension Object {
  /// Whether a reader of one of the properties has to be told when it changes.
  @inlinable package final var hasReaders: Bool { propertyNodes != nil }

  /// The properties of stored objects that refer to the object, with their offsets.
  package final var referrers: [(source: Object, offset: Int)] {
    backlinks?.entries.map { ($0.source, $0.offset) } ?? []
  }
}
