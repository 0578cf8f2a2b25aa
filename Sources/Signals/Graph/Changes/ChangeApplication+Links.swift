// Writing the links and lists of a change set, when their targets are here.
//
// The edits of a list are made in the present one. Targets that the store doesn't have are waited for
// (Store/WaitingLinks.swift).

extension ChangeApplication {
  /// Writes a field, link or list of a change.
  mutating func write(
    _ encoded: any FieldValue, to property: Property, of object: Object, _ change: ObjectChange
  ) {
    let store = store
    // The members that the change doesn't add may have been deleted here.
    let isEdit = change.kind == .modified && property.role == .links
    let former = isEdit ? change[property.name]?.old as? [ObjectID] ?? [] : []
    var missing: [ObjectID] = []
    var lookup = MemberLookup(in: isEdit ? property.targets(in: object) : [], of: store)
    var value = property.value(
      decoding: encoded, find: { lookup.find($0) }, missing: { missing.append($0) })
    if !missing.isEmpty, !former.isEmpty, let new = encoded as? [ObjectID] {
      // They were deleted here, unless they haven't arrived yet and are to be moved.
      let moves = CollectionChange(from: former, to: new).moves
      let staying = Set(former).subtracting(moves.map { former[$0.old] })
      missing.removeAll { staying.contains($0) }
    }
    for target in missing where isReported {
      let target = StoreError.Subject(target, className: property.targetName)
      note(.danglingLink(to: target), change, change[property.name])
    }
    if isEdit, let new = value {
      value = merge(former, into: new, at: property, of: lookup.members, change)
    }
    guard let value else { return }
    if !property.isSame(value, in: object) {
      // Few links own their targets.
      if object.table?.schema.embedding.contains(where: { $0.offset == property.offset }) == true {
        written[PropertyKey(object, at: property.offset)] = (change, property)
      }
      store.rewrite(property, of: object, to: value, in: transaction)
    }
    if !missing.isEmpty || !store.waitingLinks.isEmpty {
      wait(for: missing, of: encoded, at: property, of: object, former: Set(former))
    }
  }

  /// Returns the list with the edits of the change set and those of this store.
  ///
  /// - Parameter members: The present members.
  private mutating func merge(
    _ old: [ObjectID], into new: Any, at property: Property, of members: [Object],
    _ change: ObjectChange
  ) -> Any? {
    let store = store
    let present = members.map(\.objectID)
    let old = old == present ? old : old.filter { store.storedObject($0) != nil }
    if old == present { return new }
    let changed = property.targets(of: new).map(\.objectID)
    if changed == present { return new }
    let merge =
      policy == .mine
      ? ListEdits(from: old, to: present).applied(to: changed)
      : ListEdits(from: old, to: changed).applied(to: present)
    if !merge.lost.isEmpty {
      note(.changed, change, change[property.name], present: present)
    }
    var lookup = MemberLookup(in: members, of: store)
    return property.value(
      decoding: merge.members, find: { lookup.find($0) }, missing: { _ in })
  }

  /// Lets a link or list wait for the objects that the store doesn't have.
  ///
  /// A list goes on waiting for the members that the change doesn't remove.
  private func wait(
    for missing: [ObjectID], of encoded: any FieldValue, at property: Property, of object: Object,
    former: Set<ObjectID>
  ) {
    guard property.role == .link || property.role == .links else { return }
    var absent = Set(missing.filter { store.storedObject($0) == nil })
    let ids = encoded as? [ObjectID] ?? Array(absent)
    let place = WaitingLinks.Place(source: object.objectID, offset: property.offset)
    let waiting = property.role == .links ? store.waitingLinks.targets(at: place) : []
    let new = Set(ids)
    let present = waiting.isEmpty ? [] : Set(property.targets(in: object).map(\.objectID))
    absent.formUnion(
      waiting.lazy.map(\.id).filter { new.contains($0) && !present.contains($0) })
    let kept = waiting.filter { !new.contains($0.id) && !former.contains($0.id) }
    let targets = ids.indices.compactMap { position -> WaitingLinks.Target? in
      guard absent.contains(ids[position]) else { return nil }
      return WaitingLinks.Target(
        id: ids[position], position: position,
        previous: position > 0 ? ids[position - 1] : nil)
    }
    store.wait(for: kept + targets, at: property, of: object)
  }
}

/// Finds objects by ids that are mostly in the order of a list, whose members need no lookup.
private struct MemberLookup {
  let members: [Object]
  private let store: Store
  /// The place behind the member that was found last.
  private var next = 0

  init(in members: [Object], of store: Store) { (self.members, self.store) = (members, store) }

  /// Returns the stored object with an id.
  mutating func find(_ id: ObjectID) -> Object? {
    // Few members were removed side by side.
    for place in next..<min(next + 4, members.count) where members[place].objectID == id {
      next = place + 1
      return members[place]
    }
    return store.storedObject(id)
  }
}
