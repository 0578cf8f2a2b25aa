import Signals
import SignalsTesting
import TestSupport
import Testing

/// Random histories: the captured changes, made one after another in a plain dictionary, give the
/// graph.
@Suite struct `Graph, captured commits at random` {
  @Test(arguments: firstSeed..<firstSeed + 12)
  func `a dictionary that follows the captured changes has what the store has`(seed: UInt64) throws
  {
    let history = CaptureHistory(seed: seed)
    for step in 0..<runLength(usually: 300) {
      try history.step()
      guard history.isSound("seed \(seed), step \(step)") else { return }
    }
  }
}

/// The values of an object as texts, by offset.
private typealias Values = [Int: String]

/// A dictionary that follows captured changes.
private final class Follower: CommitCapture {
  fileprivate(set) var objects: [ObjectID: Values] = [:]
  fileprivate(set) var mistakes: [String] = []
  fileprivate var changes = 0
  private(set) var commits = 0

  func capture(of schema: Schema) -> (any ClassCapture)? {
    schema.type == Page.self ? nil : ClassFollower(schema, self)
  }

  func didCommit(origin: Origin?) {
    if changes == 0 { mistakes.append("an empty commit") }
    changes = 0
    commits += 1
  }

  /// Takes over what the store has now.
  func reload(_ store: Store) {
    objects = Dictionary(
      uniqueKeysWithValues: store.storedObjects.filter { !($0 is Page) }.map {
        ($0.objectID, values(of: $0))
      })
  }

  func values(of object: Object) -> Values {
    var values: Values = [:]
    for property in Schema(of: type(of: object)).properties where property.role != .inverse {
      values[property.offset] = text(property, property.value(in: object))
    }
    return values
  }

  func text(_ property: Property, _ value: Any) -> String {
    switch property.role {
    case .link: property.target(of: value).map { "\($0.objectID)" } ?? "nil"
    case .links: property.members(of: value).map { "\($0.objectID)" }.joined(separator: ",")
    default: "\(value)"
    }
  }
}

private final class ClassFollower: ClassCapture {
  private let schema: Schema
  private unowned let follower: Follower

  init(_ schema: Schema, _ follower: Follower) {
    self.schema = schema
    self.follower = follower
  }

  func didInsert(_ object: Object) {
    follower.changes += 1
    let old = follower.objects.updateValue(follower.values(of: object), forKey: object.objectID)
    if old != nil { follower.mistakes.append("\(object.objectID) was inserted twice") }
  }

  func didDelete(_ object: Object) {
    follower.changes += 1
    if follower.objects.removeValue(forKey: object.objectID) == nil {
      follower.mistakes.append("\(object.objectID) was deleted twice")
    }
  }

  func didWrite(_ object: Object, at offset: Int, old: Any) {
    follower.changes += 1
    guard let property = schema.property(at: offset) else { return }
    let new = follower.text(property, property.value(in: object))
    let known = follower.objects[object.objectID]?.updateValue(new, forKey: offset)
    if known != follower.text(property, old) || known == new {
      follower.mistakes.append("\(object.objectID).\(property.name): \(known ?? "-") to \(new)")
    }
  }
}

/// A store under random edits, followed by a dictionary.
private final class CaptureHistory {
  private let store: Store
  private let follower = Follower()
  private let observer = Follower()
  private var random: SeededRandom
  private var observers: [any Cancellable] = []

  init(seed: UInt64) {
    random = SeededRandom(seed: seed)
    store = Store(undoLimit: seed % 3 == 0 ? 0 : 20)
    store.onRefusal = { _ in }
    store.startCapture(follower)
    store.startCapture(observer)
    if seed % 2 == 0 { observers.append(store.commits.sink { _ in }) }
  }
  private func number(_ limit: Int) -> Int { Int.random(in: 0..<limit, using: &random) }

  private func some<Element: Object>(_ type: Element.Type) -> Element? {
    let all = store.storedObjects.compactMap { $0 as? Element }
      .sorted { $0.objectID < $1.objectID }
    return all.isEmpty ? nil : all[number(all.count)]
  }

  /// One step: a write of its own, a transaction, or a step of undo.
  func step() throws {
    switch number(11) {
    case 0..<5: try? write()
    case 5..<8: try? transaction()
    case 8, 9: _ = try? store.undo(onConflict: number(2) == 0 ? .theirs : .mine)
    default: _ = try? store.redo(onConflict: .mine)
    }
  }

  private func transaction() throws {
    try store.write {
      for _ in 0...number(6) {
        if number(5) > 0 {
          try write()
        } else {
          try? store.write {
            try write()
            if number(2) == 0 { throw Refusal() }
          }
        }
      }
      if number(6) == 0 { throw Refusal() }
    }
  }

  private func write() throws {
    switch number(11) {
    case 0: try store.add(StockedDish("dish", stock: number(5)))
    case 1:
      let machine = Machine()
      machine.part = Part()
      machine.parts = [Part(), Part()]
      try store.add(machine)
    case 2:
      let novel = makeNovel(number(40))
      novel.cover = Page()
      try store.add(novel)
    case 3: some(StockedDish.self)?.price = number(4)
    case 4: some(StockedDish.self)?.stock += number(3)
    case 5: some(StockedDish.self)?.side = some(StockedDish.self)
    case 6:
      guard let dish = some(StockedDish.self), let part = some(StockedDish.self) else { return }
      dish.parts.insert(part, at: number(dish.parts.count + 1))
    case 7:
      guard let machine = some(Machine.self), !machine.parts.isEmpty else { return }
      machine.parts.remove(at: number(machine.parts.count))
    case 8:
      some(Machine.self)?.part = number(2) == 0 ? nil : Part()
      some(Part.self)?.name += "x"
    case 9: some(Novel.self)?.shelf = "\(number(3))"
    default: if let object = some(Object.self) { try store.delete(object) }
    }
  }

  /// Whether the dictionary has what the store has.
  func isSound(_ place: String) -> Bool {
    let present = Follower()
    present.reload(store)
    #expect(store.brokenInvariants() == [], "\(place)")
    for follower in [follower, observer] {
      #expect(follower.mistakes == [], "\(place)")
      #expect(follower.objects == present.objects, "\(place)")
      if follower.mistakes != [] || follower.objects != present.objects { return false }
    }
    return true
  }
}
