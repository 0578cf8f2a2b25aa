// Settling the ownership of embedded objects after a change set was applied to a store that has
// other changes: each one has exactly one owner or is deleted. Without other changes there is
// nothing to settle.
//
// Order of events: an object with several owners is removed from all but one; ownership cycles are
// broken; objects left without an owner are deleted with the objects they embed, and the delete
// rules of their links aren't followed.

extension ChangeApplication {
  /// Settles the owners of the embedded objects whose ownership has changed.
  mutating func settleOwners(since start: Int) {
    // An object that is taken from an owner is appended to `embedded` again.
    var next = start
    while next < transaction.embedded.count {
      let object = transaction.embedded[next]
      next += 1
      while object.table != nil, let (loser, winner) = contest(over: object) {
        take(object, from: loser, for: winner)
      }
    }
    // Now each object has at most one owner.
    for object in transaction.embedded[start...] where object.table != nil {
      guard let part = linkedPart(ofRingWith: object), let owner = part.ownership else { continue }
      take(part, from: owner, for: (part, owner.offset))
    }
    store.remove(withoutOwner(since: start), in: transaction) { _ in true }
  }

  /// An owner that must release the object, and one that keeps it, if the object has several
  /// owners.
  private func contest(over object: Object) -> (loser: Owner, winner: Owner)? {
    guard let entries = object.backlinks?.entries, entries.count > 1 else { return nil }
    let owners = entries.map { ($0.source, $0.offset) }
    // `.theirs` prefers the change set.
    let loser =
      owners.lastIndex { isWritten($0, with: object) == (policy != .theirs) } ?? owners.count - 1
    return (owners[loser], owners[loser == 0 ? 1 : 0])
  }

  private typealias Owner = (source: Object, offset: Int)

  /// Whether the change set has made an object the owner of another one, or left it so.
  private func isWritten(_ owner: Owner, with object: Object) -> Bool {
    guard let (change, property) = written[PropertyKey(owner.source, at: owner.offset)] else {
      return false
    }
    let ids = change[property.name]?.new as? [ObjectID]
    return ids.map { $0.contains(object.objectID) } ?? true
  }

  /// If the object is in an ownership cycle, a member of the cycle, preferably one that the change
  /// set linked.
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
    return ring[first...].first { part in
      part.ownership.map { isWritten($0, with: part) } ?? false
    } ?? current
  }

  /// Removes an object from one of its owners, and notes the conflict.
  private mutating func take(_ object: Object, from loser: Owner, for winner: Owner) {
    guard let property = loser.source.schema.property(at: loser.offset) else { return }
    let ours = isWritten(loser, with: object) ? loser : winner
    if let (change, property) = written[PropertyKey(ours.source, at: ours.offset)] {
      let other = isWritten(loser, with: object) ? winner : loser
      let (part, owner) = (StoreError.Subject(object), StoreError.Subject(other.source))
      note(.owned(part, by: owner), change, change[property.name])
    }
    store.rewrite(
      property, of: loser.source, to: property.value(in: loser.source, without: object),
      in: transaction)
  }

  /// The objects without an owner, with the objects they embed.
  private func withoutOwner(since start: Int) -> [Object] {
    var lost: [Object] = []
    var seen: Set<Object> = []
    for object in transaction.embedded[start...]
    where object.table != nil && object.ownership == nil && seen.insert(object).inserted {
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
