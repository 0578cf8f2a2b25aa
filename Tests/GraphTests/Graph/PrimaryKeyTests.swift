import Signals
import TestSupport
import Testing

/// Keys that name objects.
@Suite struct `Graph, primary keys` {
  let store = Store()
  let refused: RefusalLog

  init() { refused = RefusalLog(store) }

  @Test func `an object is found by its key, by its class and by its superclass`() throws {
    let novel = makeNovel(7)
    try store.add(novel)
    #expect(store.object(Novel.self, primaryKey: 7) === novel)
    #expect(store.object(Work.self, primaryKey: 7) === novel)
    #expect(store.object(Novel.self, primaryKey: 8) == nil)
    let work = Work()
    work.key = 8
    try store.add(work)
    #expect(store.object(Novel.self, primaryKey: 8) == nil)
    #expect(store.object(Work.self, primaryKey: 8) === work)
  }

  @Test func `a lookup is a dependency on its key alone`() throws {
    var runs = 0
    let effect = Effect {
      _ = self.store.object(Novel.self, primaryKey: 1); runs += 1
    }
    let other = makeNovel(2)
    try store.add(other)
    other.pages = 3
    #expect(runs == 1)
    let one = makeNovel(1)
    try store.add(one)
    #expect(runs == 2)
    one.pages = 3
    #expect(runs == 2)
    try store.delete(one)
    #expect(runs == 3)
    try store.write {
      try store.add(one)
      try store.delete(one)
    }
    #expect(runs == 3)
    withExtendedLifetime(effect) {}
  }

  @Test func `another object with the same key is another result`() throws {
    let (a, b) = (makeNovel(1, "a"), makeNovel(1, "b"))
    try store.add(a)
    var seen: [String?] = []
    let effect = Effect { seen.append(self.store.object(Novel.self, primaryKey: 1)?.name) }
    try store.write {
      try store.delete(a)
      try store.add(b)
    }
    #expect(seen == ["a", "b"])
    withExtendedLifetime(effect) {}
  }

  @Test func `a key that is taken is refused`() throws {
    let (a, b) = (makeNovel(1), makeNovel(1))
    try store.add(a)
    let error = #expect(throws: StoreError.self) { try store.add(b) }
    #expect(
      error?.description
        == "Novel(key: 1).key has the primary key 1, which another stored object has")
    #expect(b.store == nil && !b.isDeleted && store.object(Novel.self, primaryKey: 1) === a)
  }

  @Test func `a key that comes twice in one add is refused, and nothing is added`() throws {
    let (a, b) = (makeNovel(1), makeNovel(1))
    #expect(throws: StoreError.self) { try store.add([makeNovel(5), a, b]) }
    #expect(a.store == nil && b.store == nil && store.results(Novel.self).isEmpty)
    #expect(store.brokenInvariants() == [])
  }

  @Test func `a key that comes twice through reach is refused, and nothing is added`() throws {
    let (a, b) = (Chain(), Chain())
    a.next = b
    #expect(throws: StoreError.self) { try store.add(a) }
    #expect(a.store == nil && b.store == nil && a.next === b)
    let shelf = makeShelf("s", [makeNovel(1), makeNovel(1)])
    #expect(throws: StoreError.self) { try store.add(shelf) }
    #expect(shelf.novels.count == 2 && store.brokenInvariants() == [])
  }

  @Test func `a linked object with a taken key is refused and the link is unchanged`() throws {
    let shelf = makeShelf("s", [makeNovel(1)])
    try store.add(shelf)
    shelf.best = makeNovel(1)
    #expect(shelf.best == nil && refused.errors.count == 1)
    shelf.novels.append(makeNovel(1))
    #expect(shelf.novels.count == 1 && refused.errors.count == 2)
  }

  @Test func `a key may be set until the object is stored, then it is fixed`() throws {
    let novel = makeNovel(1)
    novel.key = 2
    try store.add(novel)
    novel.key = 3
    #expect(novel.key == 2)
    #expect(
      refused.errors.map(\.description)
        == ["Novel(key: 2).key is stored: its primary key can't become 3"])
    try store.delete(novel)
    novel.key = 4
    try store.add(novel)
    #expect(store.object(Novel.self, primaryKey: 4) === novel)
    #expect(store.object(Novel.self, primaryKey: 2) == nil)
  }

  @Test func `asking a class without a key, or with a key of another type, traps by name`() async {
    let none = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      _ = Store().object(Page.self, primaryKey: 1)
    }
    expectError(none, "Signals: Page has no primary key")
    let other = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      _ = Store().object(Novel.self, primaryKey: "1")
    }
    expectError(other, "Signals: the primary key of Novel is not of type String")
  }

  @Test func `an index follows its field through writes, rollback, deletion and undo`() throws {
    let novels = (0..<5).map { makeNovel($0) }
    try store.add(novels)
    for novel in novels { novel.shelf = "s\(novel.key % 2)" }
    #expect(store.brokenInvariants() == [])
    try? store.write {
      novels[0].shelf = "z"
      try store.delete(novels[1])
      throw Refusal()
    }
    #expect(store.brokenInvariants() == [] && novels[0].shelf == "s0")
    try store.delete(novels[2])
    novels[2].shelf = "local"
    try store.undo()
    #expect(store.brokenInvariants() == [] && novels[2].shelf == "s0")
  }
}
