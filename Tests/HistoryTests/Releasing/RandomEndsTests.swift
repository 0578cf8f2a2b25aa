import Foundation
import Signals
import SignalsTesting
import TestSupport
import Testing

/// Histories in which every stored value, token and closure does something when it ends.
///
/// `SIGNALS_STEPS` sets the number of steps. There is no model of what it leads to, only what must hold whatever it
/// is: the invariants of the store, and that a replica which was told of every commit has the same objects.
@Suite struct `Release of what the graph drops, at random` {
  @Test func `ends that write, delete, undo, add and unsubscribe leave every structure whole`()
    throws
  {
    var steps = 0
    var seed = firstSeed
    while steps < endsSteps {
      let ends = RandomEnds(seed: seed)
      for step in 0..<100 {
        try #require(ends.step() == [], "seed \(seed), step \(step): \(ends.done.suffix(60))")
      }
      ends.end()
      steps += 100
      seed += 1
    }
  }
}

/// A store, and what is done to it.
///
/// State: `pool` is what operations are about, whether it is stored or not; `histories` and `tokens` come and go;
/// `depth` says how many operations are under way, `left` how many ends may still do something in this step; `log`
/// has commits, to be applied again. What is taken out of these is released when they are whole.
final class RandomEnds {
  private let store: Store
  private let replica = Store()
  private var pool: [Bead] = []
  private var histories: [UndoHistory] = []
  private var tokens: [any Cancellable] = []
  private var signal = Signal(Charge(0))
  private var follower: (any Cancellable)?
  private var log: [Data] = []
  private var wrong: [String] = []
  private var random: SeededRandom
  private var depth = 0
  private var left = 0
  private var isOver = false
  private(set) var done: [String] = []

  init(seed: UInt64) {
    random = SeededRandom(seed: seed)
    let kinds: [Coalescing] = [.never, .never, .property, .typing]
    store = Store(
      undoLimit: Int.random(in: 0...5, using: &random),
      coalescing: kinds[Int.random(in: 0..<4, using: &random)])
    store.onRefusal = { _ in }
    for _ in 0..<8 { pool.append(makeBead()) }
    follower = store.commits.sink { [unowned self] change in
      do {
        let data = try JSONEncoder().encode(change)
        log.append(data)
        if log.count > 8 { log.removeFirst() }
        try replica.apply(JSONDecoder().decode(ChangeSet.self, from: data))
      } catch { wrong.append("replica: \(error)") }
    }
  }

  /// Lets go of everything.
  func end() {
    isOver = true
    follower?.cancel()
    for token in tokens { token.cancel() }
    for bead in pool where bead.store == nil { clear(bead) }
  }

  /// Does something; the answer is what is wrong then.
  func step() -> [String] {
    left = 12
    done.append("step")
    act()
    if store.isWriting { return ["a transaction is left open"] }
    // With a value that only the last snapshot had something may end.
    if number(2) == 0 { _ = store.snapshot() }
    if store.isWriting { return ["a transaction is left open by a snapshot"] }
    wrong += store.brokenInvariants()
    left = 0
    let (mine, theirs) = (store.snapshot(), replica.snapshot())
    if mine != theirs { wrong.append("the replica differs by \(mine.changes(to: theirs))") }
    return wrong
  }

  /// Something ends.
  private func ended() {
    if isOver || left == 0 || depth > 3 || number(3) == 0 { return }
    left -= 1
    done.append("<end")
    act()
    done.append("end>")
  }

  // MARK: - Operations

  private func act() {
    depth += 1
    defer { depth -= 1 }
    do { try operate(number(24)) } catch { done.append("\(type(of: error))") }
  }

  private func operate(_ kind: Int) throws {
    let bead = any()
    done.append("\(kind)")
    switch kind {
    case 0, 1: bead.charge = charge()
    case 2: bead.pair = ChargePair(one: charge(), other: charge())
    case 3: bead.tag = charge()
    case 4: bead.text += ["a", "b", " "][number(3)]
    case 5: bead.next = number(3) == 0 ? nil : any()
    case 6: bead.ward = number(2) == 0 ? nil : any()
    case 7: bead.list = List((0..<number(4)).map { _ in any() })
    case 8: bead.part = number(3) == 0 ? nil : makePart()
    case 9, 10: try store.delete(bead)
    case 11: try store.undo(onConflict: .theirs)
    case 12: _ = try number(2) == 0 ? store.redo(onConflict: .mine) : store.undo(onConflict: .mine)
    case 13: try store.add(bead, onConflict: [.fail, .theirs, .mine][number(3)])
    case 14, 15: renew()
    case 16, 17: try transact()
    case 18: subscribe()
    case 19: unsubscribe()
    case 20: try useHistory()
    case 21: try applySomething()
    case 22: try useDraft(of: bead)
    default:
      signal.value = charge()
      if number(2) == 0 { batch { act() } }
    }
  }

  /// Some operations as one transaction, with or without an origin, which may fail.
  private func transact() throws {
    let origins: [Origin?] = [nil, "a", "b"]
    try store.write(origin: origins[number(3)], undoable: number(4) > 0) {
      for _ in 0..<(1 + number(4)) { act() }
      if number(3) == 0 { throw Refusal() }
    }
  }

  private func useHistory() throws {
    guard let history = histories.randomElement(using: &random), number(4) > 0 else {
      let kinds: [Coalescing] = [.never, .property, .typing]
      let origins: [Set<Origin>?] = [nil, ["a"], ["a", "b"]]
      let made = UndoHistory(
        store, limit: 1 + number(5), origins: origins[number(3)], coalescing: kinds[number(3)])
      histories.append(made)
      if histories.count > 3 { _ = histories.removeFirst() }
      return
    }
    switch number(7) {
    case 0, 1: try history.undo()
    case 2: try history.redo()
    case 3:
      history.group {
        act()
        act()
      }
    case 4: history.coalescing("key") { act() }
    case 5: history.removeAll()
    default: _ = (history.canUndo, history.canRedo)
    }
  }

  private func applySomething() throws {
    guard let data = log.randomElement(using: &random) else { return }
    let change = try JSONDecoder().decode(ChangeSet.self, from: data)
    try store.apply(
      number(2) == 0 ? change : change.inverted(), undoable: number(3) > 0,
      onConflict: [.mine, .theirs, .fail][number(3)])
  }

  private func useDraft(of bead: Bead) throws {
    guard bead.store === store else { return }
    let draft = store.draft(of: bead)
    draft.object.ending = ending()
    draft.charge = charge()
    draft.part = makePart()
    if number(3) == 0 { draft.discard() }
    draft.text += "d"
    try draft.commit { _ in .mine }
  }

  // MARK: - Subscriptions

  private func subscribe() {
    let (bead, end) = (any(), ending())
    let act: () -> Void = { [unowned self] in if number(3) == 0, depth < 3 { self.act() } }
    let token: any Cancellable
    switch number(8) {
    case 0:
      token = Effect { [signal] in
        _ = (bead.charge, signal.value)
        withExtendedLifetime(end) {}
      }
    case 1:
      token = bead.observe(\.charge) { _, _ in
        withExtendedLifetime(end) {}
        act()
      }
    case 2: token = bead.observe(skipping: ["a"]) { _ in withExtendedLifetime(end, act) }
    case 3: token = store.commits.sink { _ in withExtendedLifetime(end) {} }
    case 4:
      token = store.results(Bead.self).where { $0.charge.number < 5 }.sorted(by: \.text).observe {
        _ in
        withExtendedLifetime(end, act)
      }
    case 5:
      token = store.results(Bead.self).where(\.tag, equals: charge()).observe { _ in
        withExtendedLifetime(end) {}
      }
    case 6:
      token = store.results(Bead.self).sectioned(by: \.charge.number).observe { _ in
        withExtendedLifetime(end) {}
      }
    default: token = signal.publisher.sink { _ in withExtendedLifetime(end) {} }
    }
    tokens.append(token)
    if tokens.count > 8 { _ = tokens.removeFirst() }
  }

  private func unsubscribe() {
    guard !tokens.isEmpty else { return }
    let token = tokens.remove(at: number(tokens.count))
    if number(2) == 0 { token.cancel() }
  }

  // MARK: - Choices

  private func number(_ limit: Int) -> Int { Int.random(in: 0..<limit, using: &random) }

  private func any() -> Bead { pool[number(pool.count)] }

  private func ending() -> Ending { Ending { [weak self] in self?.ended() } }

  private func charge() -> Charge { Charge(number(6), ending()) }

  private func makePart() -> BeadPart {
    let part = BeadPart()
    part.charge = charge()
    part.ending = ending()
    return part
  }

  private func makeBead() -> Bead {
    let bead = number(3) == 0 ? KeyedBead() : Bead()
    (bead as? KeyedBead)?.key = charge()
    bead.charge = charge()
    bead.tag = charge()
    bead.ending = ending()
    return bead
  }

  /// Puts another object in a place of the pool; the one before may end.
  private func renew() {
    var bead = makeBead()
    let place = number(pool.count)
    swap(&pool[place], &bead)
    if bead.store == nil { clear(bead) }
    _ = try? store.add(pool[place])
  }

  /// Takes links out of an object that is not stored, which would keep a ring alive.
  private func clear(_ bead: Bead) {
    bead.next = nil
    bead.ward = nil
    bead.list = []
  }
}

private let endsSteps = runLength(usually: 3000)
