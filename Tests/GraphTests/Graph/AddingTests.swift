import Signals
import TestSupport
import Testing

/// Adding objects with all that they reach.
@Suite struct `Graph, adding` {
  let store = Store()

  @Test func `adding takes along what links and lists reach, in rings too`() throws {
    let (a, b) = (Chain(), Chain())
    (a.key, b.key, a.next, b.next) = (1, 2, b, a)
    try store.add(a)
    #expect(b.store === store)
    let shelf = makeShelf("s", [makeNovel(1)])
    shelf.novels[0].author = Writer()
    try store.add(shelf)
    #expect(shelf.novels[0].author?.store === store && store.brokenInvariants() == [])
  }

  @Test func `linking from a stored object adds the target with all it reaches`() throws {
    let shelf = makeShelf("s")
    try store.add(shelf)
    let novel = makeNovel(1)
    novel.author = Writer()
    shelf.best = novel
    #expect(novel.store === store && novel.author?.store === store)
    let another = makeNovel(2)
    shelf.novels.append(another)
    #expect(another.store === store)
  }

  @Test func `adding is one commit, and observed`() throws {
    let novel = makeNovel(1)
    novel.author = Writer()
    var (commits, seen) = ([String](), [Bool]())
    let token = store.commits.sink {
      commits.append($0.changes.map(\.className).joined(separator: " "))
    }
    let effect = Effect { seen.append(novel.store != nil) }
    try store.add(novel)
    try store.add(novel)
    #expect(commits == ["Novel Writer"] && seen == [false, true])
    withExtendedLifetime((token, effect)) {}
  }

  @Test func `a link to a deleted object is refused with everything`() throws {
    let gone = makeNovel(1)
    try store.add(gone)
    try store.delete(gone)
    let shelf = makeShelf("s", [makeNovel(2), gone])
    #expect(throws: StoreError.self) { try store.add(shelf) }
    #expect(shelf.store == nil && shelf.novels.count == 2 && shelf.novels[0].store == nil)
  }

  @Test func `a deleted object is added again, with those that link to it`() throws {
    let novel = makeNovel(1)
    try store.add(novel)
    try store.delete(novel)
    let shelf = makeShelf("s", [novel])
    try store.add([shelf, novel] as [Object])
    #expect(novel.store === store && !novel.isDeleted && Array(novel.shelves) == [shelf])
  }

  @Test func `what is thrown back is unstored again, with its links`() throws {
    let shelf = makeShelf("s", [makeNovel(1)])
    #expect(throws: Refusal.self) {
      try store.write {
        try store.add(shelf)
        shelf.novels.append(makeNovel(2))
        shelf.place = "t"
        throw Refusal()
      }
    }
    #expect(shelf.store == nil && !shelf.isDeleted && shelf.novels.map(\.key) == [1])
    try store.add(shelf)
    #expect(store.brokenInvariants() == [])
  }
}
