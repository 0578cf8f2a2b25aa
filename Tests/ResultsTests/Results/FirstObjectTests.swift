import Signals
import TestSupport
import Testing

/// The root of an app: found, or made.
@Suite struct `Results, the first object of a class` {
  let store = Store()

  private func shelf(_ place: String, _ novels: [Novel] = []) -> Shelf { makeShelf(place, novels) }

  @Test func `one that is stored is found, and nothing is made`() throws {
    let stored = try store.add(shelf("a"))
    var made = 0
    func make() -> Shelf {
      made += 1
      return shelf("b")
    }
    #expect(try store.first(orAdd: make()) === stored)
    #expect(made == 0 && store.results(Shelf.self).count == 1)
  }

  @Test func `a new one is added with everything that it reaches`() throws {
    let made = try store.first(orAdd: shelf("a", [makeNovel(1, "Emma")]))
    #expect(made.store === store && made.novels.map(\.name) == ["Emma"])
    #expect(try store.first(orAdd: shelf("b")) === made)
  }

  @Test func `no undo takes the adding back`() throws {
    let made = try store.first(orAdd: shelf("a"))
    #expect(!store.canUndo)
    made.novels.append(makeNovel(1, "Emma"))
    try store.undo()
    #expect(throws: StoreError.nothingToUndo) { try store.undo() }
    #expect(!made.isDeleted && made.novels.isEmpty)
  }

  @Test func `it is there again in a store made of a snapshot`() throws {
    let made = try store.first(orAdd: shelf("a"))
    let again = Store(store.snapshot())
    let found = try again.first(orAdd: shelf("b"))
    #expect(found.objectID == made.objectID && found.place == "a")
  }

  @Test func `of several it is the one that was added first, of subclasses too`() throws {
    let work = Work()
    work.key = 2
    try store.add([makeNovel(1, "Emma"), work] as [Work])
    #expect(try store.first(orAdd: Work()).name == "Emma")
  }

  @Test func `what can't be made or added leaves nothing`() throws {
    struct Refused: Error {}
    func refuse() throws -> Shelf { throw Refused() }
    #expect(throws: Refused.self) { try store.first(orAdd: refuse()) }
    let other = Store()
    let foreign = makeNovel(1, "Emma")
    try other.add(foreign)
    #expect(throws: StoreError.self) { try store.first(orAdd: shelf("a", [foreign])) }
    #expect(store.results(Shelf.self).isEmpty)
  }

  @Test func `looking for it is no dependency`() throws {
    try store.add(shelf("a"))
    var runs = 0
    let effect = Effect {
      runs += 1
      _ = try? store.first(orAdd: Shelf())
    }
    try store.add(shelf("b"))
    #expect(runs == 1)
    withExtendedLifetime(effect) {}
  }
}
