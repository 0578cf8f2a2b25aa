// Adding objects, with all that they reach. Upserting.swift has what happens when keys are taken.

extension Store {
  /// Adds an object, and every unstored object that it reaches through links and lists.
  ///
  /// Adding what this store already has does nothing; a deleted object is added again as the same
  /// instance. Outside of a transaction this is one commit. All or nothing; O(objects added).
  ///
  /// If a primary key is taken, `policy` decides, for the object and for each one that it reaches. The
  /// answer is the stored object: the given one, or the one that has its key.
  ///
  /// - `.fail` throws, and adds nothing.
  /// - `.theirs` gives the stored object the values of the new one: all of them, also the defaults of properties
  ///   that nothing has set. Only what differs is written and told, deep. Links lead to the stored objects; objects
  ///   without a primary key are added. A linked ``EmbeddedObject`` updates the one in its place,
  ///   position by position in a list; what has no counterpart is added, or deleted.
  /// - `.mine` leaves the stored object alone, and does not follow the links of the new one.
  /// - `keeping` are the properties that `.theirs` leaves as they are: what a service does not know. It holds
  ///   for every object of `Element` that is updated; one that is added has what the new one has. A key path
  ///   that is no stored property traps.
  /// - Of two new objects with one key the first is added; the second updates it, or is left out.
  ///
  /// Throws ``StoreError/alreadyOwned(_:)`` for an object of another store,
  /// ``StoreError/embeddedWithoutOwner(_:)`` for an embedded object that nothing given links to,
  /// ``StoreError/duplicateKey(_:key:)`` if a primary key is taken (with `.theirs` and `.mine`: by an
  /// object of another class, which is no subclass), ``StoreError/unusableKey(_:key:)`` if it is
  /// not-a-number, and ``StoreError/deletedObject(_:target:)`` or
  /// ``StoreError/foreignObject(_:target:)`` if the object links to one that can't be added.
  ///
  /// ```swift
  /// let stored = try store.add(downloaded, onConflict: .theirs, keeping: [\.history])
  /// ```
  @discardableResult
  public func add<Element: Object>(
    _ object: Element, onConflict policy: ConflictPolicy = .fail,
    keeping kept: [PartialKeyPath<Element>] = []
  ) throws -> Element {
    if let owner = unsafe object.extent?.store {
      guard owner === self else { throw StoreError.alreadyOwned(StoreError.Subject(object)) }
      return object
    }
    if policy != .fail { return try merge([object], updates: policy == .theirs, keeping: kept)[0] }
    try mutateThrowing { transaction in try insert([object], transaction) }
    return object
  }

  /// Adds several objects likewise; none is added if one can't be.
  @discardableResult
  public func add<Element: Object>(
    _ objects: some Sequence<Element>, onConflict policy: ConflictPolicy = .fail,
    keeping kept: [PartialKeyPath<Element>] = []
  ) throws -> [Element] {
    let all = Array(objects)
    let new = all.filter { unsafe $0.extent?.store !== self }
    for object in new where unsafe object.extent != nil {
      throw StoreError.alreadyOwned(StoreError.Subject(object))
    }
    if policy != .fail { return try merge(all, updates: policy == .theirs, keeping: kept) }
    try mutateThrowing { transaction in try insert(new, transaction) }
    return all
  }

  /// Adds what a link or list of a stored object refers to from now on.
  ///
  /// O(changed).
  func admit(_ change: ReferenceChange, from source: Object, _ offset: Int) throws {
    var arriving: [Object] = []
    var embeds = false
    try change.forEachArrival { target in
      try checkTarget(target, from: source, offset)
      if target.isEmbedded { embeds = true }
      if unsafe target.extent == nil { arriving.append(target) }
    }
    guard let transaction = transaction else { return }
    let start = transaction.log.records.count
    if !arriving.isEmpty { try insert(arriving, transaction, areLinked: true) }
    guard embeds else { return }
    // What arrives may own what is linked beside it.
    do { try checkOwnership(change, from: source, offset) } catch {
      takeBack(transaction, to: start, revert)
      throw error
    }
  }

  func checkTarget(_ target: Object, from source: Object, _ offset: Int) throws {
    if let extent = unsafe target.extent {
      if extent.store === self { return }
      throw StoreError.foreignObject(subject(source, offset), target: StoreError.Subject(target))
    }
    if unsafe target.isGone {
      throw StoreError.deletedObject(subject(source, offset), target: StoreError.Subject(target))
    }
  }

  /// Inserts unstored objects and what they reach, or nothing if one can't be.
  ///
  /// Those that arrive at a property are going to be linked from there, if that is allowed.
  private func insert(
    _ roots: [Object], _ transaction: Transaction, areLinked: Bool = false
  ) throws {
    // Until its own transaction ends, another store may take back what it deleted.
    try checkNotForeign(roots, transaction)
    let found = try reach(of: roots)
    try checkIdentities(found)
    let start = transaction.log.records.count
    for object in found where unsafe object.extent == nil {
      let extent = extent(of: type(of: object))
      if let refusal = keyRefusal(of: object, extent) {
        takeBack(transaction, to: start, revertUnlinked)
        throw refusal
      }
      insertUnlinked(object, extent, transaction)
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
      takeBack(transaction, to: start, revert)
      throw error
    }
  }

  func checkNotForeign(_ roots: [Object], _ transaction: Transaction) throws {
    for root in roots where transaction.log.isForeign(root) {
      throw StoreError.alreadyOwned(StoreError.Subject(root))
    }
  }

  /// Makes an object a stored one whose links are attached later.
  func insertUnlinked(_ object: Object, _ extent: Extent, _ transaction: Transaction) {
    let (wasGone, place) = unsafe (object.isGone, object.sequence)
    // Deleted in this transaction, and so back where it was.
    let returns = unsafe wasGone && object.lastRecord >= 0
    if !returns { sequence += 1 }
    unsafe transaction.log.append(object, .inserted(wasGone: wasGone, sequence: place))
    attachUnlinked(object, sequence: returns ? place : sequence, extent)
  }

  /// Unstored objects and all the unstored ones that they lead to, each once.
  ///
  /// Iterative.
  private func reach(of roots: [Object]) throws -> [Object] {
    // Without links there is nothing to follow, and who comes twice is found out later.
    roots.forEach { $0.refuseIfAnyIsChanging() }
    if roots.allSatisfy({ extent(of: type(of: $0)).schema.linking.isEmpty }) { return roots }
    var found: [Object] = []
    var seen: Set<Object> = []
    for root in roots where seen.insert(root).inserted { found.append(root) }
    var next = 0
    while next < found.count {
      let object = found[next]
      next += 1
      object.refuseIfAnyIsChanging()
      try object.forEachTarget(extent(of: type(of: object)).schema) { target, property in
        try checkNew(target, from: object, property.offset, seen)
        if unsafe target.extent == nil, seen.insert(target).inserted { found.append(target) }
      }
    }
    return found
  }

  /// An object that is added itself may be linked to, though it was deleted before.
  func checkNew(
    _ target: Object, from source: Object, _ offset: Int, _ adding: Set<Object>
  ) throws {
    if unsafe target.extent == nil, adding.contains(target) { return }
    try checkTarget(target, from: source, offset)
  }

  /// Why the primary key of an unstored object, if it has one, can't be stored.
  func keyRefusal(of object: Object, _ extent: Extent) -> StoreError? {
    guard let (property, index) = extent.primaryKey else { return nil }
    if index.hasKey(of: object, at: property.offset) { return duplicate(object, property) }
    if index.canHoldKey(of: object, at: property.offset) { return nil }
    return .unusableKey(
      subject(object, property.offset), key: "\(property.value(in: object))")
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
