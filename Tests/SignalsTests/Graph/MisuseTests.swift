import Signals
import Testing

/// The misuse table of the design, cell by cell: an operation, and the state of the object.
@Suite struct `Graph, misuse table` {
  let store = Store()
  let other = Store()
  let unstored = makeNovel(1, "unstored")
  let stored = makeNovel(2, "stored")
  let deleted = makeNovel(3, "deleted")
  let foreign = makeNovel(4, "foreign")
  let shelf = makeShelf("s")
  let refused: RefusalLog

  init() throws {
    refused = RefusalLog(store)
    for novel in [unstored, stored, deleted, foreign] {
      novel.author = Writer()
    }
    try store.add([stored, deleted, shelf] as [Object])
    try store.delete(deleted)
    try other.add(foreign)
  }

  private func observed(_ novel: Novel, _ change: () -> Void) -> [String] {
    var seen: [String] = []
    let effect = Effect { seen.append(novel.name) }
    change()
    effect.cancel()
    return seen
  }

  @Test(arguments: ["unstored", "stored", "deleted", "foreign"])
  func `read a field: the value, tracked`(state: String) {
    let novel = novel(state)
    #expect(observed(novel) { novel.name = "x" } == [state, "x"])
  }

  private func novel(_ state: String) -> Novel {
    switch state {
    case "unstored": unstored
    case "stored": stored
    case "deleted": deleted
    default: foreign
    }
  }

  @Test func `read a link, unstored: a strong reference`() { #expect(unstored.author != nil) }
  @Test func `read a link, stored: live`() throws {
    try store.delete(#require(stored.author))
    #expect(stored.author == nil)
  }
  @Test func `read a link, deleted: nil`() { #expect(deleted.author == nil) }
  @Test func `read a link, of another store: as stored there`() throws {
    try other.delete(#require(foreign.author))
    #expect(foreign.author == nil)
  }

  @Test func `write a field, unstored: plain`() throws {
    #expect(throws: Refusal.self) {
      try store.write {
        unstored.pages = 1
        throw Refusal()
      }
    }
    #expect(unstored.pages == 1)
  }
  @Test func `write a field, stored: in the transaction or its own`() throws {
    #expect(throws: Refusal.self) {
      try store.write {
        stored.pages = 1
        throw Refusal()
      }
    }
    #expect(stored.pages == 0)
    stored.pages = 1
    try store.undo()
    #expect(stored.pages == 0)
  }
  @Test func `write a field, deleted: local only`() throws {
    var commits = 0
    let token = store.commits.sink { _ in commits += 1 }
    deleted.pages = 1
    #expect(deleted.pages == 1 && commits == 0)
    withExtendedLifetime(token) {}
  }
  @Test func `write a field, of another store: in its own store`() throws {
    try store.write { foreign.pages = 1 }
    try other.undo()
    #expect(foreign.pages == 0)
  }

  @Test func `be linked, unstored: added with all it reaches`() {
    shelf.best = unstored
    #expect(unstored.store === store && unstored.author?.store === store)
  }
  @Test func `be linked, stored: linked`() {
    shelf.best = stored
    shelf.novels = [stored]
    #expect(Array(stored.bestOf) == [shelf] && Array(stored.shelves) == [shelf])
  }
  @Test func `be linked, deleted: refused`() {
    shelf.best = deleted
    shelf.novels.append(deleted)
    #expect(shelf.best == nil && shelf.novels.isEmpty)
    #expect(
      refused.errors.map(\.description) == [
        "Shelf.best of \(shelf.objectID) can't link to \(deleted.objectID), which was deleted",
        "Shelf.novels of \(shelf.objectID) can't link to \(deleted.objectID), which was deleted",
      ])
  }
  @Test func `be linked, of another store: refused`() {
    shelf.best = foreign
    #expect(shelf.best == nil && foreign.store === other)
    #expect(
      refused.errors.map(\.description) == [
        "Shelf.best of \(shelf.objectID) can't link to \(foreign.objectID), which is in another store"
      ])
  }

  @Test func `add, unstored: added`() throws {
    try store.add(unstored)
    #expect(unstored.store === store)
  }
  @Test func `add, stored: nothing to do`() throws {
    try store.add(stored)
    #expect(stored.store === store)
  }
  @Test func `add, deleted: added again, the same instance`() throws {
    try store.add(deleted)
    #expect(store.object(Novel.self, primaryKey: 3) === deleted && !deleted.isDeleted)
  }
  @Test func `add, of another store: throws`() {
    let error = #expect(throws: StoreError.self) { try store.add(foreign) }
    #expect(error?.description == "Novel of \(foreign.objectID) is stored in another store")
    #expect(throws: StoreError.self) { try store.add([unstored, foreign]) }
    #expect(unstored.store == nil)
  }

  @Test func `delete, unstored: throws`() {
    let error = #expect(throws: StoreError.self) { try store.delete(unstored) }
    #expect(error?.description == "Novel of \(unstored.objectID) is not in this store")
  }
  @Test func `delete, stored: detached`() throws {
    try store.delete(stored)
    #expect(stored.isDeleted && stored.store == nil)
  }
  @Test func `delete, deleted: nothing to do`() throws {
    try store.delete(deleted)
    #expect(deleted.isDeleted)
  }
  @Test func `delete, of another store: throws`() {
    #expect(throws: StoreError.self) { try store.delete(foreign) }
    #expect(foreign.store === other)
  }
}
