import Signals
import SignalsTesting
import TestSupport
import Testing

/// Two stores under writes that nobody has thought about.
///
/// Unstored and deleted objects, those of the other store, and change sets of another time are written, linked, added
/// and applied as they come. There is no model of what it leads to, only what must hold whatever it is.
@Suite struct `Store, whatever is done to it` {
  @Test func `what is refused or fails changes nothing, and every invariant holds`() throws {
    var steps = 0
    var seed = firstSeed
    while steps < wildSteps {
      let wild = Wild(seed: seed)
      for step in 0..<200 {
        try #require(wild.step() == [], "seed \(seed), step \(step): \(wild.done.suffix(12))")
      }
      wild.end()
      steps += 200
      seed += 1
    }
  }
}

/// State: `pool` is what all operations are about, whether it is stored or not; `log`, the commits of the first store,
/// which `replica` follows; `done` tells what was done.
private final class Wild {
  private let stores = [Store(), Store()]
  private let replica = Store()
  private var pool: [Object] = []
  private var log: [ChangeSet] = []
  private var follower: (any Cancellable)?
  private var wrong: [String] = []
  private var random: SeededRandom
  private(set) var done: [String] = []

  init(seed: UInt64) {
    random = SeededRandom(seed: seed)
    pool = (0..<24).map { $0 % 2 == 0 ? makeBeing($0) : Limb() }
    for store in stores { store.onRefusal = { _ in } }
    follower = stores[0].commits.sink { [unowned self] change in
      log.append(change)
      do { try replica.apply(change) } catch { wrong.append("replica: \(error)") }
    }
  }

  /// Lets go of rings of objects that are not stored.
  func end() {
    follower?.cancel()
    for object in pool where object.store == nil { clear(object) }
  }

  /// Does something; the answer is what is wrong then.
  func step() -> [String] {
    let store = stores[number(2)]
    // What a transaction writes to objects of another store is no part of it.
    let before = store.snapshot()
    do {
      if number(3) > 0 { try act(store) } else { try transact(store, 0) }
      done.append("done")
    } catch {
      done.append("failed: \(error)")
      if store.snapshot() != before { wrong.append("a failure has changed something") }
    }
    for (index, store) in stores.enumerated() {
      wrong += store.brokenInvariants().map { "store \(index): \($0)" }
    }
    if replica.snapshot() != stores[0].snapshot() { wrong.append("the replica differs") }
    renew()
    return wrong
  }

  /// Some operations as one transaction, which goes on after what was refused or fails.
  private func transact(_ store: Store, _ depth: Int) throws {
    try store.write {
      for _ in 0..<(1 + number(5)) {
        if depth < 2, number(6) == 0 {
          done.append("(")
          _ = try? transact(store, depth + 1)
          done.append(")")
        } else {
          _ = try? act(store)
        }
      }
      if number(4) == 0 { throw Refusal() }
    }
  }

  private func act(_ store: Store) throws {
    let object = any()
    let kind = number(20)
    done.append("\(kind) \(place(object)) in \(stores[0] === store ? 0 : 1)")
    switch kind {
    case 0, 1, 2: try store.add(object, onConflict: policy())
    case 3:
      try store.add((0..<(1 + number(3))).map { _ in any() }, onConflict: policy())
    case 4, 5: try store.delete(object)
    case 6: try store.undo()
    case 7: try store.redo()
    case 8: try applySomething(in: store)
    case 9:
      (object as? Being)?.key = number(12)
      (object as? Limb)?.key = number(12)
    case 10:
      (object as? Being)?.tag = number(5)
      (object as? Limb)?.tag = number(5)
    case 11, 12, 13, 14: edit(object)
    default:
      let slots = object is Being ? Slot.ofBeing : Slot.ofLimb
      let slot = slots[number(slots.count)]
      let count = slot.isList ? number(4) : number(2)
      object.set(slot, (0..<count).map { _ in target(of: slot) })
    }
  }

  private func edit(_ object: Object) {
    let slot: Slot = object is Limb ? .parts : number(2) == 0 ? .list : .limbs
    let count = object.targets(slot).count
    // What comes is chosen where it is asked for.
    func make() -> ListEdit {
      if count == 0 || number(3) == 0 { return .insert(0, at: number(count + 1)) }
      let start = number(count)
      switch number(9) {
      case 0: return .set(at: start, 0)
      case 1: return .remove(at: start)
      case 2: return .removeOffsets(object.targets(slot).indices.filter { _ in number(2) == 0 })
      case 3: return .move([start], to: number(count + 1))
      case 4: return .swap(start, number(count))
      case 5: return .reverse
      case 6: return .replace(start..<(start + 1), [0, 1])
      case 7: return .assign([0, 1, 2])
      default: return .duplicate(0..<start)
      }
    }
    object.edit(slot, make()) { _ in target(of: slot) }
  }

  /// What was done once is done here, or taken back: now, where nothing is as it was.
  private func applySomething(in store: Store) throws {
    guard let change = log.randomElement(using: &random) else { return }
    let policies: [ConflictPolicy] = [.mine, .theirs, .fail]
    try store.apply(
      number(2) == 0 ? change : change.inverted(), undoable: number(3) > 0,
      onConflict: policies[number(3)])
  }

  // MARK: - Choices

  private func number(_ limit: Int) -> Int { Int.random(in: 0..<limit, using: &random) }

  private func any() -> Object { pool[number(pool.count)] }

  private func place(_ object: Object) -> Int { pool.firstIndex { $0 === object } ?? -1 }

  private func target(of slot: Slot) -> Object {
    let place = number(pool.count / 2) * 2 + (slot.owns ? 1 : 0)
    done.append("\(slot) to \(place)")
    return pool[place]
  }

  private func policy() -> ConflictPolicy {
    let policies: [ConflictPolicy] = [.fail, .theirs, .mine]
    return policies[number(3)]
  }

  private func makeBeing(_ key: Int) -> Being {
    let being = number(4) == 0 ? SpecialBeing() : Being()
    being.key = key
    return being
  }

  /// Puts another object in a place of the pool: a new one, or a stored one that a change set has made.
  private func renew() {
    guard number(4) == 0 else { return }
    let place = number(pool.count)
    let old = pool[place]
    let store = stores[number(2)]
    let stored: [Object] =
      place % 2 == 0 ? Array(store.results(Being.self)) : Array(store.results(Limb.self))
    if number(2) == 0, let other = stored.randomElement(using: &random) {
      pool[place] = other
    } else if old.store == nil {
      pool[place] = place % 2 == 0 ? makeBeing(number(12)) : Limb()
    }
    if old.store == nil, !pool.contains(where: { $0 === old }) { clear(old) }
  }

  private func clear(_ object: Object) {
    for slot in object is Being ? Slot.ofBeing : Slot.ofLimb { object.set(slot, []) }
  }
}

private let wildSteps = runLength(usually: 4000)
