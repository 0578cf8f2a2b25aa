import Signals
import TestSupport

/// A store under random edits, which tells what was done in it.
///
/// State: `pending` is what was done here and not told yet; `seen`, how much of the hub's log is known
/// here. `last` collects the commits since it was emptied.
final class ExchangeSide {
  let store = Store()
  private let other = Store()
  let table = ObjectTable()
  var choice: ModelChoice
  var pending: [ChangeSet] = []
  var seen = 0
  var last: [ChangeSet] = []
  private var token: (any Cancellable)?

  init(seed: UInt64) throws {
    choice = ModelChoice(seed: seed, after: 1 << 40)
    try table.nameForeigners(in: other)
    store.onRefusal = { _ in }
    token = store.commits.sink { [unowned self] in last.append($0) }
  }

  var everything: [Object] {
    Array(store.results(Being.self)) as [Object] + Array(store.results(Limb.self))
  }

  /// What is stored, by the parts of ids that tell objects of one process apart.
  var model: StoreModel {
    var model = StoreModel()
    for object in everything {
      model.insert(number(object), StoreModel.Node(object, number))
    }
    return model
  }

  private func number(_ object: Object) -> Int { Int(object.objectID.counter) }

  /// Makes some commits.
  func edit() {
    last = []
    if choice.number(3) == 0 {
      // Each is chosen for what the commit before it left: embedded objects without an owner are gone then.
      for _ in 0..<(1 + choice.number(4)) {
        _ = try? table.make(choice.operation(named()), in: store)
      }
    } else {
      _ = try? table.make(
        .savepoint(choice.operations(named(), atMost: 4), fails: false), in: store)
    }
    pending += last
  }

  /// What is stored, where each object has its number.
  private func named() -> StoreModel {
    for object in everything { table.name(object, number(object)) }
    return model
  }

  /// Makes changes of others, or its own again; the answer is what conflicted.
  func apply(
    _ changes: [ChangeSet], _ policy: ConflictPolicy = .fail
  ) throws -> [ChangeConflict] {
    try changes.flatMap { try store.apply($0, onConflict: policy).conflicts }
  }

  func end() {
    token?.cancel()
    for object in table.made where object.store == nil {
      for slot in object is Being ? Slot.ofBeing : Slot.ofLimb { object.set(slot, []) }
    }
  }
}

extension StoreModel.Node {
  /// Reads an object.
  init(_ object: Object, _ number: (Object) -> Int) {
    self.init(object is Limb ? .limb : object is SpecialBeing ? .special : .being)
    if let being = object as? Being {
      (key, tag, text) = (being.key, being.tag, being.text)
    } else if let limb = object as? Limb {
      (key, tag, text) = (limb.key, limb.tag, limb.text)
    }
    for slot in slots { self[slot] = object.targets(slot).map(number) }
  }
}
