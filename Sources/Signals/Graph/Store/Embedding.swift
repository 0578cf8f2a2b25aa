// Ownership of embedded objects: a forest, always when a transaction ends.
//
// A back-link of an embedded object is its ownership. In a transaction it may have none for a while, so
// that it can be moved; undo and upsert pass through states with two. State: `Transaction.embedded`
// collects every embedded object whose back-links changed; at the end those without an owner are
// deleted, and those with two, or in a ring, refuse the transaction. A write by the user is refused
// before it happens.

extension Store {
  /// Notes that the back-links of an embedded object are about to change.
  func willChangeOwner(of object: Object) {
    transaction?.embedded.append(object)
    object.markReaders(of: Object.ownerOffset, old: OwnerBefore(object.ownership?.source))
  }

  /// Checks a link or list that the user wants to write.
  func checkOwnership(_ change: ReferenceChange, from source: Object, _ offset: Int) throws {
    var violation: StoreError?
    change.forEachDifference { target, count, _ in
      guard count > 0, target.isEmbedded, violation == nil else { return }
      if let owner = target.ownership {
        violation = alreadyEmbedded(target, source, offset, owner)
      } else if count > 1 {
        violation = alreadyEmbedded(target, source, offset, (source, offset))
      } else if isPart(source, of: target) {
        violation = .embeddedInItself(subject(source, offset), target: StoreError.Subject(target))
      }
    }
    if let violation { throw violation }
  }

  /// Checks that stored embedded objects have no more than one owner, and are in no ring.
  func checkOwnership(_ objects: ArraySlice<Object>) throws {
    var verified: Set<Object> = []
    for object in objects where unsafe object.extent != nil {
      guard let entries = unsafe object.backlinks?.entries else { continue }
      let last = entries[entries.count - 1]
      if entries.count > 1 || last.multiplicity > 1 {
        let owner = unsafe (entries[0].source, entries[0].offset)
        throw unsafe alreadyEmbedded(object, last.source, last.offset, owner)
      }
      try checkNoRing(object, &verified)
    }
  }

  private func checkNoRing(_ object: Object, _ verified: inout Set<Object>) throws {
    var walked: Set<Object> = []
    var current = object
    while let (owner, offset) = current.ownership, owner.isEmbedded, !verified.contains(owner) {
      guard walked.insert(owner).inserted else {
        throw StoreError.embeddedInItself(
          subject(owner, offset), target: StoreError.Subject(current))
      }
      current = owner
    }
    verified.formUnion(walked)
  }

  /// Deletes the embedded objects that have lost their owner, and refuses what is no forest.
  ///
  /// They go together: what one of them denies the deletion of may go with another.
  func settleOwnership(_ transaction: Transaction) throws {
    var owned: [Object] = []
    while !transaction.embedded.isEmpty {
      var lost: [Object] = []
      while let object = transaction.embedded.popLast() {
        guard unsafe object.extent != nil else { continue }
        if object.ownership == nil { lost.append(object) } else { owned.append(object) }
      }
      if !lost.isEmpty { remove(try doomed(with: lost), transaction) }
    }
    try checkOwnership(owned[...])
  }

  /// Whether an embedded object is another one, or belongs to it; O(depth).
  private func isPart(_ object: Object, of whole: Object) -> Bool {
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
      subject(source, offset), target: StoreError.Subject(target),
      owner: subject(owner.source, owner.offset))
  }
}

/// The object that an embedded one belonged to.
private struct OwnerBefore: PropertyBefore {
  private let owner: Object?

  init(_ owner: Object?) { self.owner = owner }

  func isSame(_ object: Object, at offset: Int) -> Bool { object.ownership?.source === owner }
}
