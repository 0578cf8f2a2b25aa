import Signals
import TestSupport
import Testing

extension `Graph, misuse table` {
  /// Every way in which the shelf can come to link to an object.
  private func linking(_ novel: Novel) -> [(property: String, write: () throws -> Void)] {
    [
      ("best", { shelf.best = novel }),
      ("novels", { shelf.novels.append(novel) }),
      ("novels", { shelf.novels = [stored, novel] }),
      ("novels", { shelf.novels[0] = novel }),
      ("novels", { shelf.novels.replaceSubrange(0..<1, with: [novel, novel]) }),
    ]
  }

  /// Expects that nothing that links to an object is written, and what is reported instead.
  private func expectRefused(
    _ novel: Novel, _ error: (StoreError.Subject) -> StoreError
  ) throws {
    shelf.novels = [stored]
    commits.reset()
    for (property, write) in linking(novel) {
      try write()
      let expected = error(.init(shelf, property: property))
      #expect(refused.errors.popLast() == expected && refused.errors.isEmpty)
      // In a write its savepoint is undone, and what is around it can go on.
      try store.write {
        shelf.best = stored
        #expect(throws: expected) {
          try store.write {
            shelf.best = nil
            stored.pages += 1
            try write()
          }
        }
        #expect(shelf.best === stored && stored.pages == 0)
        shelf.best = nil
      }
    }
    // Neither is what leads there by way of an object that is added.
    let between = makeShelf("between", [stored, novel])
    let expected = error(.init(between, property: "novels"))
    #expect(throws: expected) { try store.add(between) }
    #expect(throws: expected) { try store.add(between, onConflict: .theirs) }
    #expect(between.store == nil && Array(between.novels) == [stored, novel])
    #expect(shelf.best == nil && Array(shelf.novels) == [stored] && commits.count == 0)
    #expect(store.brokenInvariants() + other.brokenInvariants() == [])
  }

  // MARK: - Be linked from a stored object

  @Test func `be linked, unstored: added with all it reaches`() throws {
    unstored.cover = Page()
    shelf.best = unstored
    #expect(unstored.store === store && unstored.author?.store === store)
    #expect(unstored.cover?.store === store && commits.count == 1)
    #expect(store.object(Novel.self, primaryKey: 1) === unstored)
    try store.undo()
    // All or nothing: if a part of it can't be added, no part is, and the link is not written.
    let twin = makeNovel(2)
    twin.author = Writer()
    commits.reset()
    shelf.best = twin
    #expect(refused.errors == [.duplicateKey(.init(twin, property: "key"), key: "2")])
    #expect(shelf.best == nil && twin.store == nil && twin.author?.store == nil)
    #expect(commits.count == 0 && store.object(Novel.self, primaryKey: 2) === stored)
  }

  @Test func `be linked, stored: linked`() {
    shelf.best = stored
    shelf.novels = [stored, stored]
    #expect(Array(stored.bestOf) == [shelf] && Array(stored.shelves) == [shelf])
    #expect(stored.shelves.multiplicity(of: shelf) == 2 && commits.count == 2)
  }

  @Test func `be linked, deleted: refused`() throws {
    try expectRefused(deleted) { .deletedObject($0, target: .init(deleted)) }
    #expect(deleted.isDeleted && deleted.name == "deleted")
    #expect(
      "\(StoreError.deletedObject(.init(shelf, property: "best"), target: .init(deleted)))"
        == "Shelf(place: \(shelf.place.debugDescription)).best can't link to Novel(key: \(deleted.key)), "
        + "which was deleted")
  }

  @Test func `be linked, of another store: refused`() throws {
    try expectRefused(foreign) { .foreignObject($0, target: .init(foreign)) }
    #expect(foreign.store === other && foreign.bestOf.isEmpty && foreign.shelves.isEmpty)
    #expect(
      "\(StoreError.foreignObject(.init(shelf, property: "best"), target: .init(foreign)))"
        == "Shelf(place: \(shelf.place.debugDescription)).best can't link to Novel(key: \(foreign.key)), "
        + "which is in another store")
  }

  // MARK: - store.add

  @Test func `add, unstored: added`() throws {
    #expect(try store.add(unstored) === unstored)
    #expect(unstored.store === store && unstored.author?.store === store && commits.count == 1)
  }

  @Test func `add, stored: nothing to do`() throws {
    for policy in [ConflictPolicy.fail, .theirs, .mine] {
      #expect(try store.add(stored, onConflict: policy) === stored)
      #expect(try store.add([stored, stored], onConflict: policy) == [stored, stored])
    }
    #expect(stored.store === store && commits.count == 0)
  }

  @Test func `add, deleted: added again, the same instance`() throws {
    deleted.name = "local"
    #expect(try store.add(deleted) === deleted)
    #expect(store.object(Novel.self, primaryKey: 3) === deleted && !deleted.isDeleted)
    #expect(deleted.name == "local" && deleted.author == nil && commits.count == 1)
    #expect(Array(store.results(Novel.self)) == [stored, deleted])
  }

  @Test func `add, of another store: throws alreadyOwned`() {
    for policy in [ConflictPolicy.fail, .theirs, .mine] {
      let expected = StoreError.alreadyOwned(.init(foreign))
      #expect(throws: expected) { try store.add(foreign, onConflict: policy) }
      #expect(throws: expected) { try store.add([unstored, foreign], onConflict: policy) }
    }
    #expect(unstored.store == nil && foreign.store === other && commits.count == 0)
    #expect(
      "\(StoreError.alreadyOwned(.init(foreign)))"
        == "Novel(key: \(foreign.key)) is stored in another store")
  }

  // MARK: - store.delete

  @Test func `delete, unstored: throws notInStore`() {
    #expect(throws: StoreError.notInStore(.init(unstored))) { try store.delete(unstored) }
    #expect(!unstored.isDeleted && unstored.author != nil && commits.count == 0)
    #expect(
      "\(StoreError.notInStore(.init(unstored)))"
        == "Novel(key: \(unstored.key)) is not in this store")
  }

  @Test func `delete, stored: detached`() throws {
    shelf.novels = [stored]
    commits.reset()
    try store.delete(stored)
    #expect(stored.isDeleted && stored.store == nil && stored.author == nil)
    #expect(stored.name == "stored" && shelf.novels.isEmpty && commits.count == 1)
  }

  @Test func `delete, deleted: nothing to do`() throws {
    deleted.name = "local"
    try store.delete(deleted)
    try other.delete(deleted)
    #expect(deleted.isDeleted && deleted.name == "local" && commits.count == 0)
  }

  @Test func `delete, of another store: throws notInStore`() {
    #expect(throws: StoreError.notInStore(.init(foreign))) { try store.delete(foreign) }
    #expect(foreign.store === other && foreign.author != nil && commits.count == 0)
  }

  // MARK: - Where nobody can be given the error

  @Test func `a refusal names object, property and value without a listener, in release too`()
    async
  {
    #if DEBUG
      let condition = ExitTest.Condition.failure
    #else
      let condition = ExitTest.Condition.success
    #endif
    let result = await #expect(
      processExitsWith: condition, observing: [\.standardErrorContent]
    ) {
      let store = Store()
      let (shelf, novel) = (makeShelf("s"), makeNovel(1))
      try store.add([shelf, novel] as [Object])
      try store.delete(novel)
      shelf.best = novel
      if shelf.best != nil { fatalError("it was written") }
    }
    expectError(
      result, "refused: Shelf(place: \"s\").best can't link to Novel(key: 1), which was deleted")
  }
}
