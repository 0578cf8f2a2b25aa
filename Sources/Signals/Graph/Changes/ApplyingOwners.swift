// Embedded objects after a change set was made where something else had happened: each has one owner, or
// goes. If nothing else had happened there is nothing to do here.
//
// Order of events: those with several owners lose all but one; rings are opened; what is left without an
// owner is deleted, with what it embeds and without a look at the rules of its links.

extension ChangeApplication {
  /// Settles who owns the embedded objects whose owners have changed.
  mutating func settleOwners(since start: Int) {
    // What is taken from an owner is noted again, at the end.
    var next = start
    while next < transaction.embedded.count {
      let object = transaction.embedded[next]
      next += 1
      while unsafe object.extent != nil, let (loser, winner) = contest(over: object) {
        take(object, from: loser, for: winner)
      }
    }
    // Now each has one owner at most.
    for object in transaction.embedded[start...] where unsafe object.extent != nil {
      guard let part = linkedPart(ofRingWith: object), let owner = part.ownership else { continue }
      take(part, from: owner, for: (part, owner.offset))
    }
    store.remove(withoutOwner(since: start), transaction)
  }

  /// One of several owners of an object that has to give it up, and one that keeps it.
  private func contest(over object: Object) -> (loser: Owner, winner: Owner)? {
    guard let entries = unsafe object.backlinks?.entries, entries.count > 1 else { return nil }
    let owners = entries.map { unsafe ($0.source, $0.offset) }
    // `.theirs` believes the change set.
    let loser = owners.lastIndex { isWritten($0) == (policy != .theirs) } ?? owners.count - 1
    return (owners[loser], owners[loser == 0 ? 1 : 0])
  }

  private typealias Owner = (source: Object, offset: Int)

  private func isWritten(_ owner: Owner) -> Bool {
    written[PropertyKey(owner.source, owner.offset)] != nil
  }

  /// An object of a ring of owners, if the given one is in a ring: one that the change set has linked.
  private func linkedPart(ofRingWith object: Object) -> Object? {
    var seen: Set<Object> = []
    var ring: [Object] = []
    var current = object
    while current.isEmbedded, let owner = current.ownership {
      if !seen.insert(current).inserted { break }
      ring.append(current)
      current = owner.source
    }
    guard let first = ring.firstIndex(of: current) else { return nil }
    return ring[first...].first { $0.ownership.map(isWritten) ?? false } ?? current
  }

  /// Takes an object from one of its owners, and tells.
  private mutating func take(_ object: Object, from loser: Owner, for winner: Owner) {
    guard let property = loser.source.schema.property(at: loser.offset) else { return }
    let ours = isWritten(loser) ? loser : winner
    if let (change, property) = written[PropertyKey(ours.source, ours.offset)] {
      let other = isWritten(loser) ? winner : loser
      let (part, owner) = (StoreError.Subject(object), StoreError.Subject(other.source))
      note(.owned(part, by: owner), change, change[property.name])
    }
    store.rewrite(
      property, of: loser.source, to: property.value(in: loser.source, without: object),
      transaction)
  }

  /// What nobody owns, with what it embeds.
  private func withoutOwner(since start: Int) -> [Object] {
    var lost: [Object] = []
    var seen: Set<Object> = []
    for object in transaction.embedded[start...]
    where unsafe object.extent != nil && object.ownership == nil && seen.insert(object).inserted {
      lost.append(object)
    }
    var next = 0
    while next < lost.count {
      for property in lost[next].schema.embedding {
        for part in property.targets(in: lost[next])
        where part.isEmbedded && seen.insert(part).inserted { lost.append(part) }
      }
      next += 1
    }
    return lost
  }
}
