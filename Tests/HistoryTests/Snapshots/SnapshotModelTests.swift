import Signals
import SignalsTesting
import TestSupport
import Testing

/// Random histories: each snapshot has what the store had, for ever.
@Suite struct `Snapshots, random histories` {
  @Test(arguments: seeds(10))
  func `snapshots agree with the naive model`(seed: UInt64) throws {
    // The store grows, and each check reads all of it, so a longer history begins again: with a
    // seed that has the same remainders, which decide who observes the store.
    var done = 0
    while done < snapshotSteps {
      let worldSeed = seed &+ UInt64(done) &* 30
      let history = SnapshotHistory(seed: worldSeed)
      let length = min(300, snapshotSteps - done)
      for step in 0..<length {
        history.step()
        guard history.isSound("seed \(worldSeed), step \(step)") else { return }
        if step % 50 == 49 { try history.check(worldSeed) }
      }
      try history.check(worldSeed)
      history.end()
      done += length
    }
  }
}

private let snapshotSteps = runLength(usually: 200)

/// A store under random edits, with snapshots at random points.
private final class SnapshotHistory {
  struct Point {
    let snapshot: Snapshot
    let state: [ObjectID: String]
    let order: [ObjectID]
    /// What led here from the point before.
    let log: [ChangeSet]
  }

  let store: Store
  var random: SeededRandom
  var points: [Point] = []
  var log: [ChangeSet] = []
  var token: (any Cancellable)?
  var history: UndoHistory?
  var nextKey = 0
  /// Objects that may be added again.
  var gone: [Object] = []

  init(seed: UInt64) {
    random = SeededRandom(seed: seed)
    store = Store(undoLimit: seed % 2 == 0 ? 20 : 0)
    store.onRefusal = { _ in }
    if seed % 3 != 0 { observe() }
    if seed % 5 == 0 { history = UndoHistory(store, origins: ["mine"]) }
  }

  func observe() { token = store.commits.sink { [unowned self] in log.append($0) } }

  func number(_ limit: Int) -> Int { Int.random(in: 0..<limit, using: &random) }

  func end() {
    token?.cancel()
    for case let thing as Thing in gone where thing.store == nil {
      thing.link = nil
      thing.list = []
    }
  }

  func step() {
    switch number(10) {
    case 0, 1, 2: take()
    case 3 where store.canUndo: _ = try? store.undo()
    case 4 where store.canRedo: _ = try? store.redo()
    case 6 where history?.canUndo == true: _ = try? history?.undo()
    case 5: edit()
    default:
      try? store.write(origin: number(2) == 0 ? "mine" : nil) {
        for _ in 0..<(1 + number(5)) {
          if number(4) == 0 {
            try? store.write {
              edit()
              edit()
              if number(2) == 0 { throw Refusal() }
            }
          } else {
            edit()
          }
        }
        if number(6) == 0 { throw Refusal() }
      }
    }
  }

  /// Whether nothing that was noted is broken; what would crash later is told here.
  func isSound(_ place: String) -> Bool {
    let broken = store.brokenInvariants() + (points.last?.snapshot.brokenInvariants() ?? [])
    #expect(broken == [], "\(place)")
    return broken.isEmpty
  }

  private func take() {
    let everything = store.everything
    let snapshot = store.snapshot()
    points.append(
      Point(
        snapshot: snapshot, state: describe(everything),
        order: store.results(Thing.self).map(\.objectID), log: log))
    log = []
  }

  private func edit() {
    let things = Array(store.results(Thing.self))
    let machines = Array(store.results(Machine.self))
    guard let thing = things.randomElement(using: &random), number(5) > 0 else { return add() }
    switch number(16) {
    case 14:
      let draft = store.draft(of: thing)
      draft.name = "drafted \(number(9))"
      draft.list.append(thing)
      _ = try? draft.commit()
    case 15:
      guard let machine = machines.randomElement(using: &random) else { return }
      let draft = store.draft(of: machine)
      draft.parts.append(makePart(1))
      if number(2) == 0 { draft.part = nil }
      _ = try? draft.commit()
    case 0:
      try? store.delete(thing)
      gone.append(thing)
    case 1, 2: thing.name = "name number \(number(50)) of a thing"
    case 3: (thing as? SpecialThing)?.extra += 1
    case 4: thing.link = number(3) == 0 ? nil : things.randomElement(using: &random)
    case 5: thing.list.shuffle(using: &random)
    case 6: thing.list = []
    case 7:
      // An upsert, with a new object among its links.
      let other = Thing()
      other.key = thing.key
      other.name = "upserted \(number(3))"
      other.list = List(things.prefix(2))
      _ = try? store.add(other, onConflict: number(4) == 0 ? .mine : .theirs)
    case 8:
      guard let machine = machines.randomElement(using: &random) else { return }
      machine.part = makePart(number(3))
    case 9:
      guard let machine = machines.randomElement(using: &random) else { return }
      machine.parts.append(makePart(number(2)))
      if machine.parts.count > 4 { machine.parts.remove(at: number(4)) }
    case 10:
      guard let part = store.results(Part.self).randomElement(using: &random) else { return }
      part.name = "p\(number(9))"
      if number(2) == 0 { part.part = number(2) == 0 ? nil : makePart(0) }
    case 11:
      guard let machine = machines.randomElement(using: &random) else { return }
      try? store.delete(machine)
    case 12:
      // Something of the past, as a change set.
      guard let point = points.randomElement(using: &random) else { return }
      guard let change = point.log.randomElement(using: &random) else { return }
      _ = try? store.apply(change.inverted(), onConflict: .theirs)
    default:
      thing.list.insert(things[number(things.count)], at: number(thing.list.count + 1))
    }
  }

  private func makePart(_ depth: Int) -> Part {
    let part = Part()
    part.name = "p\(number(9))"
    if depth > 0 { part.part = makePart(depth - 1) }
    if depth > 1 { part.parts = [makePart(0), makePart(0)] }
    return part
  }

  private func add() {
    nextKey += 1
    if number(4) == 0 {
      let machine = Machine()
      machine.part = makePart(number(2))
      _ = try? store.add(machine)
      return
    }
    if number(3) == 0, let old = gone.randomElement(using: &random) {
      _ = try? store.add(old)
      return
    }
    let thing = number(2) == 0 ? Thing() : SpecialThing()
    thing.key = nextKey
    thing.list = List(store.results(Thing.self).prefix(number(40)))
    thing.link = store.results(Thing.self).first
    _ = try? store.add(thing)
  }

  /// Checks all points again, since nothing may have touched them.
  func check(_ seed: UInt64) throws {
    var wrong = store.brokenInvariants()
    for (index, point) in points.enumerated() {
      let place = "seed \(seed), point \(index)"
      let read = point.snapshot.withObjects { describe($0.objects(Object.self)) }
      if read != point.state { wrong.append("\(place): read") }
      let restored = Store(point.snapshot)
      wrong += restored.brokenInvariants()
      if describe(restored.everything) != point.state { wrong.append("\(place): restored") }
      if restored.results(Thing.self).map(\.objectID) != point.order {
        wrong.append("\(place): order")
      }
      if restored.snapshot() != point.snapshot { wrong.append("\(place): equality") }
      guard index > 0 else { continue }
      let before = points[index - 1]
      if (before.snapshot == point.snapshot) != (before.state == point.state) {
        wrong.append("\(place): equality with the one before")
      }
      let changes = before.snapshot.changes(to: point.snapshot)
      let other = Store(before.snapshot)
      let report = try other.apply(changes)
      if !report.isClean || other.snapshot() != point.snapshot { wrong.append("\(place): changes") }
      guard token != nil else { continue }
      let replica = Store(before.snapshot)
      for change in point.log { _ = try replica.apply(change) }
      if replica.snapshot() != point.snapshot { wrong.append("\(place): replay") }
      let merged = point.log.reduce(ChangeSet()) { $0.merging($1) }
      if !replica.brokenInvariants().isEmpty || merged.changes.count != changes.changes.count {
        wrong.append("\(place): merged log has \(merged.changes.count) of \(changes.changes.count)")
      }
    }
    if let last = points.last {
      let coded = try last.snapshot.coded()
      if coded != last.snapshot { wrong.append("coded") }
      if try coded.encoded() != last.snapshot.encoded() { wrong.append("bytes") }
    }
    #expect(wrong == [])
    points = points.suffix(3)
  }
}
