// Reversing the edits of a step in a list that later commits have changed.

extension StepReversal {
  /// Makes the later edits of a list in the version before the step.
  ///
  /// Members that are no longer in the store are left out and noted as conflicts.
  mutating func mergeList(_ contested: ContestedProperty) {
    let (property, object) = (contested.property, contested.object)
    let before = property.targets(of: contested.before)
    let left = property.targets(of: contested.left).filter { !kept.contains($0) }
    let present = property.targets(in: object)
    // A change set may have inserted a deleted object again as another instance, so members are
    // matched by id.
    let all = Dictionary((present + before).map { ($0.objectID, $0) }) { first, _ in first }
    let leftIDs = left.map(\.objectID)
    let staying = Set(leftIDs)
    let returning = before.map(\.objectID).filter { id in
      if let member = all[id], member.table?.store === store { return true }
      if staying.contains(id) { return false }
      let target =
        all[id].map { StoreError.Subject($0) }
        ?? StoreError.Subject(id, className: property.targetName)
      note(.danglingLink(to: target), for: contested)
      return false
    }
    let edits = ListEdits(from: leftIDs, to: present.map(\.objectID))
    let members = edits.applied(to: returning).members
    let value = property.value(decoding: members, find: { all[$0] }, missing: { _ in })
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
