// Reversing the edits of a step in a list that later commits have changed.

extension StepReversal {
  /// Removes the members that the step added to a list, inserts those it removed, and moves back
  /// those it moved.
  ///
  /// A member that a later commit has removed isn't moved back. Members that are no longer in the
  /// store are left out and noted as conflicts.
  mutating func mergeList(_ contested: ContestedProperty) {
    let (property, object) = (contested.property, contested.object)
    let before = property.targets(of: contested.before)
    let left = property.targets(of: contested.left)
    var members = property.targets(in: object)
    // A change set may have inserted a deleted object again as another instance, so members are
    // matched by id.
    let all = Dictionary((members + before).map { ($0.objectID, $0) }) { first, _ in first }
    let edits = CollectionChange(from: left.map(\.objectID), to: before.map(\.objectID))
    var arriving = zip(edits.insertions, edits.inserted).map { (position: $0, id: $1) }
    for position in edits.deletions {
      if kept.contains(left[position]) { continue }
      if let place = members.firstIndex(where: { $0.objectID == left[position].objectID }) {
        members.remove(at: place)
      }
    }
    for move in edits.moves {
      let id = left[move.old].objectID
      guard let place = members.firstIndex(where: { $0.objectID == id }) else { continue }
      members.remove(at: place)
      arriving.append((move.new, id))
    }
    for arrival in arriving.sorted(by: { $0.position < $1.position }) {
      guard let member = all[arrival.id], member.table?.store === store else {
        let target =
          all[arrival.id].map { StoreError.Subject($0) }
          ?? StoreError.Subject(arrival.id, className: property.targetName)
        note(.danglingLink(to: target), for: contested)
        continue
      }
      // After the member that preceded it, or else at the same position.
      let previous = arrival.position > 0 ? before[arrival.position - 1] : nil
      let place = previous.flatMap { previous in
        members.firstIndex { $0.objectID == previous.objectID }
      }
      members.insert(member, at: place.map { $0 + 1 } ?? min(arrival.position, members.count))
    }
    let value = property.value(
      decoding: members.map(\.objectID), find: { all[$0] }, missing: { _ in })
    if let value { store.rewrite(property, of: object, to: value, in: transaction) }
  }
}

extension Property {
  /// An old link or list without the objects that are no longer in the store, for each of which
  /// `dropped` is called.
  func droppingUnstored(from old: Any, _ store: Store, dropped: (Object) -> Void) -> Any {
    editing(old) { references in
      for target in references.targets where target.table?.store !== store {
        dropped(target)
        references.remove(target)
      }
    }
  }
}
