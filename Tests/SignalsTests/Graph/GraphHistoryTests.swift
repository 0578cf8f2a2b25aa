import Foundation
import Signals
import Testing

/// Random histories of a store, checked against a naive model after each step.
@Suite struct `Graph, random histories` {
  @Test(arguments: [1, 2, 3, 4])
  func `a store agrees with the naive model at each step`(seed: UInt64) throws {
    let history = GraphHistory(seed: seed)
    for step in 0..<graphSteps {
      history.step()
      guard history.check("seed \(seed), step \(step)") else { return }
    }
  }
}

private let graphSteps =
  ProcessInfo.processInfo.environment["SIGNALS_STEPS"].flatMap { Int($0) } ?? 150

/// A store and its model, under random edits.
private final class GraphHistory {
  let store = Store(undoLimit: 30)
  var model = GraphModel()
  /// The model that is told nothing but the change sets.
  var shadow = GraphModel()
  var disagreements: [String] = []
  /// The model before each commit that can be undone.
  var past: [GraphModel] = []
  /// Every object that ever was; the deleted ones are added again now and then.
  var things: [Thing] = []
  var seen: [ObjectID: GraphModel.State] = [:]
  var random: SeededGenerator
  var nextKey = 0
  var token: (any Cancellable)?
  var effects: [Effect] = []

  init(seed: UInt64) {
    random = SeededGenerator(seed: seed)
    store.onRefusal = { [unowned self] in disagreements.append("refused: \($0)") }
    token = store.commits.sink { [unowned self] change in
      if !shadow.agrees(withOldOf: change) { disagreements.append("old values of \(change)") }
      shadow.apply(change)
    }
  }

  var stored: [Thing] { things.filter { $0.store === store } }

  func number(_ limit: Int) -> Int { Int.random(in: 0..<limit, using: &random) }

  func step() {
    switch number(12) {
    case 0: undo()
    case 1...4: attempt(isUndoable: true) { self.edit() }
    default:
      attempt(isUndoable: number(10) > 0) { for _ in 0..<(1 + self.number(6)) { try self.nest(0) } }
    }
  }

  private func attempt(isUndoable: Bool, _ body: () throws -> Void) {
    let before = model
    do {
      try store.write(undoable: isUndoable) {
        try body()
        if number(5) == 0 { throw Refusal() }
      }
      if model == before { return }
      if isUndoable {
        past.append(before)
        if past.count > 30 { past.removeFirst() }
      } else {
        // The model of undo is naive: it knows whole states only.
        past = []
        while store.canUndo, (try? store.undo()) != nil {}
        model = shadow
      }
    } catch is Refusal {
      model = before
    } catch {
      disagreements.append("unexpected: \(error)")
    }
  }

  private func nest(_ depth: Int) throws {
    guard depth < 3, number(3) == 0 else { return edit() }
    let before = model
    do {
      try store.write {
        for _ in 0..<(1 + number(3)) { try nest(depth + 1) }
        if number(2) == 0 { throw Refusal() }
      }
    } catch is Refusal {
      model = before
    }
  }

  private func undo() {
    if past.isEmpty {
      if store.canUndo { disagreements.append("there is more to undo than was done") }
      return
    }
    do {
      try store.undo()
      model = past.removeLast()
    } catch {
      disagreements.append("undo: \(error)")
    }
  }

  private func add() {
    let gone = things.filter { $0.isDeleted }
    let thing: Thing
    if !gone.isEmpty, number(3) == 0 {
      thing = gone[number(gone.count)]
      thing.link = nil
      thing.list = []
    } else {
      thing = number(3) == 0 ? SpecialThing() : Thing()
      thing.key = nextKey
      nextKey += 1
      things.append(thing)
    }
    if number(3) == 0, let other = stored.randomElement(using: &random) { thing.link = other }
    if number(3) == 0 { thing.list = List(stored.prefix(number(4)) + [thing]) }
    if number(2) == 0 { thing.name = "n\(number(5))" }
    do { try store.add(thing) } catch { disagreements.append("add: \(error)") }
    model.objects[thing.objectID] = thing.state
    watch(thing)
  }

  private func watch(_ thing: Thing) {
    guard number(3) == 0 else { return }
    effects.append(
      Effect { [unowned self] in
        let state = thing.state
        _ = (thing.linking.count, thing.listing.count)
        seen[thing.objectID] = thing.isDeleted ? nil : state
      })
  }

  private func edit() {
    guard let thing = stored.randomElement(using: &random), number(6) > 0 else { return add() }
    let id = thing.objectID
    switch number(9) {
    case 0:
      do { try store.delete(thing) } catch { disagreements.append("delete: \(error)") }
      model.delete(id)
      if number(3) == 0 { thing.name = "local" }
    case 1, 2:
      thing.name = "n\(number(5))"
      model.objects[id]?.name = thing.name
    case 3, 4:
      thing.link = number(4) == 0 ? nil : stored.randomElement(using: &random)
      model.objects[id]?.link = thing.link?.objectID
    default: editList(of: thing)
    }
  }

  private func editList(of thing: Thing) {
    let others = stored
    var expected = model.objects[thing.objectID]?.list ?? []
    switch number(6) {
    case 0 where !expected.isEmpty:
      let index = number(expected.count)
      thing.list.remove(at: index)
      expected.remove(at: index)
    case 1 where expected.count > 1:
      let (i, j) = (number(expected.count), number(expected.count))
      thing.list.swapAt(i, j)
      expected.swapAt(i, j)
    case 2:
      thing.list.sort { $0.objectID < $1.objectID }
      expected.sort()
    case 3 where !expected.isEmpty:
      let range = number(expected.count)..<expected.count
      thing.list.replaceSubrange(range, with: others.prefix(2))
      expected.replaceSubrange(range, with: others.prefix(2).map(\.objectID))
    default:
      let other = others[number(others.count)]
      let index = number(expected.count + 1)
      thing.list.insert(other, at: index)
      expected.insert(other.objectID, at: index)
    }
    model.objects[thing.objectID]?.list = expected
  }

  /// Compares everything that can be read with the model.
  func check(_ place: String) -> Bool {
    var wrong = disagreements
    let present = stored
    let states = Dictionary(uniqueKeysWithValues: present.map { ($0.objectID, $0.state) })
    if states != model.objects { wrong.append("fields or links") }
    if shadow.objects != model.objects { wrong.append("change sets") }
    for thing in present {
      let id = thing.objectID
      let sources = present.filter { $0.link === thing }
      if Set(thing.linking) != Set(sources) { wrong.append("inverse of a link") }
      let owners = present.filter { $0.list.contains(thing) }
      if Set(thing.listing) != Set(owners) { wrong.append("inverse of a list") }
      for owner in owners
      where thing.listing.multiplicity(of: owner) != owner.list.count(where: { $0 === thing }) {
        wrong.append("multiplicity")
      }
      if store.object(Thing.self, primaryKey: thing.key) !== thing { wrong.append("key of \(id)") }
      if thing.list.contains(where: { $0.store !== store }) { wrong.append("a member is gone") }
    }
    for (id, state) in seen where model.objects[id] != nil && model.objects[id] != state {
      wrong.append("an effect saw \(state)")
    }
    for thing in things
    where thing.isDeleted && store.object(Thing.self, primaryKey: thing.key) === thing {
      wrong.append("a deleted object has a key")
    }
    wrong += store.brokenInvariants()
    #expect(wrong == [], "\(place)")
    return wrong.isEmpty
  }
}
