import Signals
import TestSupport

/// The instances that the numbers of a model stand for, and what is done with them.
final class ObjectTable {
  var objects: [Int: Object] = [:]
  /// Everything that was ever made or written here while it was not stored.
  var made: [Object] = []
  private(set) var numbers: [ObjectID: Int] = [:]
  /// Deleted objects that were written.
  var written: Set<Int> = []
  let headcount = Headcount()

  subscript(number: Int) -> Object? { objects[number] }

  func name(_ object: Object, _ number: Int) {
    (object as? Being)?.number = number
    (object as? Limb)?.number = number
    objects[number] = object
    numbers[object.objectID] = number
  }

  /// Names two objects of another store, to which nothing here may lead.
  func nameForeigners(in other: Store) throws {
    let (foreigner, limb) = (Being(), Limb())
    foreigner.limb = limb
    try other.add(foreigner)
    name(foreigner, StoreModel.foreigner)
    name(limb, StoreModel.foreignLimb)
  }

  /// Does in a store what an operation says; the answer is what `add` gave.
  @discardableResult
  func make(_ operation: ModelOperation, in store: Store) throws -> [Object] {
    switch operation {
    case .add(let drafts, let roots, let policy):
      make(drafts)
      return try add(roots.compactMap { objects[$0] }, policy, store)
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
    case .savepoint(let operations, let fails):
      try store.write {
        for operation in operations { _ = try? make(operation, in: store) }
        if fails { throw Refusal() }
      }
    }
    return []
  }

  private func add(
    _ roots: [Object], _ policy: ConflictPolicy, _ store: Store
  ) throws -> [Object] {
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
        made.append(gone)
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
    headcount.count += 1
    let object: Object
    switch kind {
    case .being, .special:
      let being = kind == .being ? Being() : SpecialBeing()
      being.headcount = headcount
      object = being
    case .limb:
      let limb = Limb()
      limb.headcount = headcount
      object = limb
    }
    made.append(object)
    return object
  }
}
