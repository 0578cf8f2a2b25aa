// Ownership of embedded objects. At the end of every transaction it is a forest.
//
// The back-link of an embedded object represents its ownership. During a transaction the object may
// have none for a while, so that it can be moved. Undo and upsert pass through states with two.
//
// State: `Transaction.embedded`, every embedded object whose back-links changed. At the end those
// without an owner are deleted. If one has two owners, or is in a cycle, the transaction is
// refused. A write by user code is refused before it is made.

extension Store {
  /// Called before the back-links of an embedded object change: notes it for the end of the
  /// transaction, and marks the readers of its owner.
  func willChangeOwner(of object: Object) {
    transaction?.embedded.append(object)
    object.markReaders(of: Object.ownerOffset, old: OwnerBefore(object.ownership?.source))
  }

  /// Checks a change of a link or list that user code wants to write.
  func checkOwnership(_ change: ReferenceChange, from source: Object, at offset: Int) throws {
    var violation: StoreError?
    change.forEachDifference { target, count, _ in
      guard count > 0, target.isEmbedded, violation == nil else { return }
      if let owner = target.ownership {
        violation = alreadyEmbedded(target, source, offset, owner)
      } else if count > 1 {
        violation = alreadyEmbedded(target, source, offset, (source, offset))
      } else if isPart(source, of: target) {
        violation = .embeddedInItself(
          subject(of: source, at: offset), target: StoreError.Subject(target))
      }
    }
    if let violation { throw violation }
  }

  /// Checks that stored embedded objects have at most one owner and are not in a cycle.
  func checkOwnership(_ objects: ArraySlice<Object>) throws {
    var verified: Set<Object> = []
    for object in objects where object.table != nil {
      guard let entries = object.backlinks?.entries else { continue }
      let last = entries[entries.count - 1]
      if entries.count > 1 || last.multiplicity > 1 {
        let owner = (entries[0].source, entries[0].offset)
        throw alreadyEmbedded(object, last.source, last.offset, owner)
      }
      try checkNoRing(object, verified: &verified)
    }
  }

  private func checkNoRing(_ object: Object, verified: inout Set<Object>) throws {
    var walked: Set<Object> = []
    var current = object
    while let (owner, offset) = current.ownership, owner.isEmbedded, !verified.contains(owner) {
      guard walked.insert(owner).inserted else {
        throw StoreError.embeddedInItself(
          subject(of: owner, at: offset), target: StoreError.Subject(current))
      }
      current = owner
    }
    verified.formUnion(walked)
  }

  /// Deletes the embedded objects that have lost their owner, and throws if the others aren't a
  /// forest.
  ///
  /// They are deleted together, because the target of a `.deny` link of one may be deleted with
  /// another.
  func settleOwnership(_ transaction: Transaction) throws {
    var owned: [Object] = []
    while !transaction.embedded.isEmpty {
      var lost: [Object] = []
      while let object = transaction.embedded.popLast() {
        guard object.table != nil else { continue }
        if object.ownership == nil { lost.append(object) } else { owned.append(object) }
      }
      if !lost.isEmpty {
        remove(try deletionClosure(of: lost), in: transaction) { _ in true }
      }
    }
    try checkOwnership(owned[...])
  }

  /// Whether an object is `whole`, or is embedded in it at any depth.
  ///
  /// - Complexity: O(depth).
  func isPart(_ object: Object, of whole: Object) -> Bool {
    var current = object
    while current !== whole {
      guard current.isEmbedded, let owner = current.ownership?.source else { return false }
      current = owner
    }
    return true
  }

  private func alreadyEmbedded(
    _ target: Object, _ source: Object, _ offset: Int, _ owner: (source: Object, offset: Int)
  ) -> StoreError {
    .alreadyEmbedded(
      subject(of: source, at: offset), target: StoreError.Subject(target),
      owner: subject(of: owner.source, at: owner.offset))
  }
}

/// The owner of an embedded object before a change.
private struct OwnerBefore: PreviousValue {
  private let owner: Object?

  init(_ owner: Object?) { self.owner = owner }

  func isSame(_ object: Object, at offset: Int) -> Bool { object.ownership?.source === owner }
}
