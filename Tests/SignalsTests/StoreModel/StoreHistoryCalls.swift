import Signals

// Doing in a store what an operation says.

extension StoreHistory {
  func call(_ operation: ModelOperation) throws {
    switch operation {
    case .add(let drafts, let roots, let policy):
      make(drafts)
      let found = try add(roots.compactMap { objects[$0] }, policy).map(\.modelNumber)
      if found != model.answers { fail("\(found) instead of \(model.answers)") }
    case .delete(let number): if let object = objects[number] { try store.delete(object) }
    case .setTag(let number, let tag):
      (objects[number] as? Being)?.tag = tag
      (objects[number] as? Limb)?.tag = tag
    case .setText(let number, let text), .scribble(let number, let text):
      if case .scribble = operation { written.insert(number) }
      (objects[number] as? Being)?.text = text
      (objects[number] as? Limb)?.text = text
    case .setKey(let number, let key):
      (objects[number] as? Being)?.key = key
      (objects[number] as? Limb)?.key = key
    case .link(let number, let slot, let target, let drafts):
      make(drafts)
      objects[number]?.set(slot, target.flatMap { objects[$0] }.map { [$0] } ?? [])
    case .edit(let number, let slot, let edit, let drafts):
      make(drafts)
      objects[number]?.edit(slot, edit) { objects[$0] }
    case .savepoint: break
    }
  }

  private func add(_ roots: [Object], _ policy: ConflictPolicy) throws -> [Object] {
    if let root = roots.first, roots.count == 1 {
      return [try store.add(root, onConflict: policy)]
    }
    return try store.add(roots, onConflict: policy)
  }

  /// Makes unstored objects, or gives deleted ones what is to come back with them.
  private func make(_ drafts: StoreModel.Drafts) {
    for (number, node) in drafts {
      let object: Object
      if let gone = objects[number], gone.isDeleted {
        object = gone
        written.insert(number)
      } else {
        object = create(node.kind)
        name(object, number)
      }
      if let being = object as? Being {
        (being.key, being.tag, being.text) = (node.key, node.tag, node.text)
      } else if let limb = object as? Limb {
        (limb.key, limb.tag, limb.text) = (node.key, node.tag, node.text)
      }
      for slot in node.slots { object.set(slot, []) }
    }
    for (number, node) in drafts {
      for slot in node.slots where !node[slot].isEmpty {
        objects[number]?.set(slot, node[slot].compactMap { objects[$0] })
      }
    }
  }

  private func create(_ kind: StoreModel.Kind) -> Object {
    census.count += 1
    let object: Object
    switch kind {
    case .being, .special:
      let being = kind == .being ? Being() : SpecialBeing()
      being.census = census
      object = being
    case .limb:
      let limb = Limb()
      limb.census = census
      object = limb
    }
    made.append(object)
    return object
  }
}
