import Signals
import SignalsTesting
import TestSupport

/// A store under random edits, one commit each.
final class RandomSide {
  let store = Store()
  var token: (any Cancellable)?
  var last = ChangeSet()

  init() { token = store.commits.sink { [unowned self] in last = $0 } }

  static func state(of store: Store) -> [ObjectID: GraphModel.State] {
    Dictionary(uniqueKeysWithValues: store.results(Thing.self).map { ($0.objectID, $0.state) })
  }

  var state: [ObjectID: GraphModel.State] { Self.state(of: store) }

  func edit(_ random: inout SeededRandom) throws -> ChangeSet {
    last = ChangeSet()
    try store.write {
      for _ in 0..<Int.random(in: 1...4, using: &random) { try one(&random) }
    }
    return last
  }

  private func one(_ random: inout SeededRandom) throws {
    let things = Array(store.results(Thing.self)).sorted { $0.objectID < $1.objectID }
    let choice = things.count < 3 ? 0 : Int.random(in: 0..<10, using: &random)
    guard choice > 1, let thing = things.randomElement(using: &random) else {
      let thing = Bool.random(using: &random) ? SpecialThing() : Thing()
      thing.key = Int.random(in: 0..<Int.max, using: &random)
      thing.link = things.randomElement(using: &random)
      thing.list = List(things.prefix(3) + [thing])
      try store.add(thing)
      return
    }
    switch choice {
    case 2: try store.delete(thing)
    case 3:
      // Deleted and added again: it stays, and has another key.
      try store.delete(thing)
      thing.key = Int.random(in: 0..<Int.max, using: &random)
      try store.add(thing)
    case 4, 5: thing.name = "n\(Int.random(in: 0..<5, using: &random))"
    case 6: thing.link = Bool.random(using: &random) ? nil : things.randomElement(using: &random)
    case 7: thing.list.shuffle(using: &random)
    default:
      let place = Int.random(in: 0...thing.list.count, using: &random)
      thing.list.insert(things[Int.random(in: 0..<things.count, using: &random)], at: place)
      if thing.list.count > 5 { thing.list.remove(at: 0) }
    }
  }
}
