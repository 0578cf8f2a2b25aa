// Committing a draft: finding the changes of both sides, and the values to write.
//
// Order of events, all in one transaction: every property is compared three-way, and conflicts are
// resolved; new objects are inserted; the values are written. Ownership and the object's validity
// are checked after all writes, because embedded objects may have moved, and other code may have
// written properties that the draft hasn't changed. Then the draft is loaded again, before anything
// that depends on the store or the draft runs: it would find a draft that still has its changes.

extension DraftCore {
  /// A value to be written to a stored object.
  private struct Write {
    let object: Object
    let property: Property
    var value: Any
  }

  func commit(_ resolve: (DraftConflict) throws -> ConflictPolicy) throws -> Object {
    checkIsDetached()
    try checkIsValid()
    return try Scheduler.throwingEndlessChain {
      try batch { try original.map { try commit($0, resolve) } ?? commitNew() }
    }
  }

  private func commit(
    _ original: Object, _ resolve: (DraftConflict) throws -> ConflictPolicy
  ) throws -> Object {
    guard original.table?.store === store else {
      let subject = StoreError.Subject(original)
      throw original.isGone ? StoreError.draftOfDeleted(subject) : .notInStore(subject)
    }
    var reused = copies
    try store.write {
      let writes = try untracked { try compare(resolve) }
      guard let transaction = store.transaction, !writes.isEmpty else { return }
      // The counterpart of each copy in the store: its original, or a new copy if the original is
      // gone.
      var counterparts = originals.filter { $1.table?.store === store }
      reused = reused.filter { original, _ in original.table?.store === store }
      for part in untracked({ parts(of: root) }) where counterparts[part.copy] == nil {
        for (copy, new) in DetachedCopy(of: part.copy).copies where counterparts[copy] == nil {
          counterparts[copy] = new
          reused[new] = copy
        }
      }
      try write(writes, counterparts: counterparts, in: transaction)
      try checkStored(original)
    }
    loadCommitted(original, reusing: reused)
    return original
  }

  private func commitNew() throws -> Object {
    if let refusal = store.keyRefusal(of: root, in: store.table(of: type(of: root))) {
      throw refusal
    }
    let made = DetachedCopy(of: root)
    do {
      try store.write {
        guard let transaction = store.transaction else { return }
        var upsert = Upsert(store, transaction, onConflict: .fail, counterparts: made.copies)
        try upsert.run([made.root])
        try store.checkOwnership(transaction.embedded[...])
      }
    } catch {
      DraftCore.breakCycles(made.copies.values)
      throw error
    }
    loadCommitted(
      made.root, reusing: Dictionary(uniqueKeysWithValues: made.copies.map { ($1, $0) }))
    return made.root
  }

  private func write(
    _ writes: [Write], counterparts: [Object: Object], in transaction: Transaction
  ) throws {
    var new: [Object] = []
    // Values refer to originals. An original that is gone is replaced by the counterpart of its
    // copy.
    var gone: [Object: Object] = [:]
    for (copy, original) in originals where original.table?.store !== store {
      gone[original] = counterparts[copy]
    }
    let mapped = try writes.map { write in
      var write = write
      write.value = write.property.value(write.value, replacing: gone)
      for target in write.property.targets(of: write.value) {
        try store.checkTarget(target, from: write.object, at: write.property.offset)
        if target.table == nil { new.append(target) }
      }
      return write
    }
    var upsert = Upsert(store, transaction, onConflict: .fail, counterparts: counterparts)
    try upsert.run(new)
    for write in mapped {
      store.rewrite(write.property, of: write.object, to: write.value, in: transaction)
    }
    // An object that the draft left without an owner may still own an object that the draft has
    // moved. It is deleted before ownership is checked.
    let state = originals.values.filter { $0.isEmbedded && $0.ownership == nil }
    for object in state.sorted(by: { $0.objectID < $1.objectID }) {
      guard object.table?.store === store else { continue }
      store.remove(try store.deletionClosure(of: [object]), in: transaction) { _ in true }
    }
    try store.checkOwnership(transaction.embedded[...])
  }

  /// Compares every property, and returns the values to write.
  private func compare(
    _ resolve: (DraftConflict) throws -> ConflictPolicy
  ) throws -> [Write] {
    var writes: [Write] = []
    for part in parts(of: root) where part.original.table?.store === store {
      for property in part.schema.properties where property.role != .inverse {
        guard let value = try compare(property, of: part, resolve) else { continue }
        writes.append(Write(object: part.original, property: property, value: value))
      }
    }
    return writes
  }

  /// The conflicts that a commit would have to resolve.
  var conflicts: [DraftConflict] {
    trackLoads()
    guard let original, !original.isDeleted, original.table?.store === store else {
      return []
    }
    var conflicts: [DraftConflict] = []
    for part in parts(of: root) where part.original.table?.store === store {
      for property in part.schema.properties
      where property.role != .inverse && property.role != .primaryKey {
        part.original.track(property.offset)
        _ = try? compare(property, of: part) {
          conflicts.append($0)
          return .theirs
        }
      }
    }
    return conflicts
  }

  /// Returns the value to write to a property, or nil if there is nothing to write.
  private func compare(
    _ property: Property, of part: Part, _ resolve: (DraftConflict) throws -> ConflictPolicy
  ) throws -> Any? {
    let (base, mine) = (base(property, of: part), mine(property, of: part))
    let theirs = property.value(in: part.original)
    let holdsLost = holdsLost(property, of: part)
    if property.isSame(base, mine), !holdsLost || property.isSame(base, theirs) { return nil }
    if property.mergeRule != .adding, property.isSame(mine, theirs) { return nil }
    if property.role == .primaryKey {
      throw StoreError.primaryKeyIsFixed(
        StoreError.Subject(part.original, property: property.name), key: "\(mine)")
    }
    if property.isSame(base, theirs) { return mine }
    if case .merged(let value) = property.merging(from: base, to: mine, into: theirs) {
      return value
    }
    if !holdsLost, let merged = property.merging(mine, and: theirs, over: base) { return merged }
    // The link is empty because its target was deleted, not because it was set to nil.
    if !holdsLost, property.role == .link, property.targets(of: theirs).isEmpty,
      property.targets(of: base).contains(where: \.isDeleted)
    {
      return mine
    }
    let conflict = DraftConflict(
      id: part.original.objectID, property: part.path + property.name,
      base: property.encodedValue(of: base), mine: property.encodedValue(of: mine),
      theirs: property.encodedValue(of: theirs))
    switch try resolve(conflict) {
    case .mine: return mine
    case .theirs: return nil
    case .fail:
      throw StoreError.draftConflict(
        StoreError.Subject(part.original, property: property.name),
        mine: conflict.mine.map(ObjectChange.Property.show) ?? "",
        theirs: conflict.theirs.map(ObjectChange.Property.show) ?? "")
    }
  }

  /// Whether a property of the draft holds a changed copy of an embedded object that is gone from
  /// the store.
  private func holdsLost(_ property: Property, of part: Part) -> Bool {
    guard property.role == .link || property.role == .links else { return false }
    return property.targets(in: part.copy).contains { copy in
      guard copy.isEmbedded, let original = originals[copy] else { return false }
      return original.table?.store !== store && isChanged(copy)
    }
  }
}

extension Property {
  /// Merges the edits of two versions of a list; nil if one has moved a member that the other has
  /// removed.
  fileprivate func merging(_ mine: Any, and theirs: Any, over base: Any) -> Any? {
    guard role == .links else { return nil }
    let merge = ListEdits(from: targets(of: base), to: targets(of: mine))
      .applied(to: targets(of: theirs))
    return merge.lost.isEmpty ? editing(theirs) { $0 = .list(Tree(merge.members)) } : nil
  }
}
