import Foundation
import Signals
import TestSupport
import Testing

/// A store made of a snapshot.
@Suite struct `Snapshots, restored` {
  let store = Store()
  let person = makePerson(1, city: "Bath", phones: ["1", "2"])
  let novel = makeNovel(1, "Emma")
  let shelf = makeShelf("s")

  init() throws {
    novel.shelf = "left"
    shelf.novels = [novel, novel]
    try store.add([person, shelf] as [Object])
  }

  @Test func `ids, keys, indexes, inverses and owners are restored`() throws {
    let restored = Store(store.snapshot())
    #expect(restored.brokenInvariants() == [])
    let copy = try #require(restored.object(Novel.self, primaryKey: 1))
    #expect(copy !== novel && copy.objectID == novel.objectID && copy.store === restored)
    #expect(Array(restored.results(Novel.self).where(\.shelf, equals: "left")) == [copy])
    let shelf = try #require(restored.object(Shelf.self, primaryKey: "s"))
    #expect(Array(copy.shelves) == [shelf] && copy.shelves.multiplicity(of: shelf) == 2)
    let home = try #require(restored.object(Person.self, primaryKey: 1)?.home)
    #expect(home.owner?.objectID == person.objectID && home.geo?.owner === home)
    #expect(!restored.canUndo && restored.snapshot() == store.snapshot())
    #expect(throws: StoreError.self) { try restored.add(makeNovel(1)) }
    try restored.delete(home)
    #expect(restored.results(Geo.self).isEmpty && store.results(Geo.self).count == 1)
  }

  @Test func `objects keep the order in which they were added`() throws {
    for key in 2..<40 { try store.add(makeNovel(key)) }
    try store.delete(store.object(Novel.self, primaryKey: 5) ?? novel)
    try store.add(makeNovel(99))
    let order = store.results(Novel.self).map(\.key)
    for snapshot in [store.snapshot(), try store.snapshot().coded()] {
      #expect(Store(snapshot).results(Novel.self).map(\.key) == order)
      #expect(snapshot.objects(Novel.self).map(\.key) == order)
    }
  }

  @Test func `the object itself can't join its copy, nor a copy the object`() throws {
    let restored = Store(store.snapshot())
    let copies = store.snapshot().objects(Page.self)
    #expect(copies.isEmpty)
    let page = Page()
    try store.add(page)
    let copy = try #require(store.snapshot().objects(Page.self).first)
    #expect(throws: StoreError.duplicateID(StoreError.Subject(copy))) { try store.add(copy) }
    try store.delete(page)
    try restored.add(copy)
    #expect(throws: StoreError.duplicateID(StoreError.Subject(page))) { try restored.add(page) }
    let late = Page()
    try restored.add(late)
    #expect(store.brokenInvariants() + restored.brokenInvariants() == [])
  }

  @Test func `the original can't join a restored store`() throws {
    let snapshot = store.snapshot()
    try store.delete(shelf)
    let restored = Store(snapshot)
    #expect(throws: StoreError.self) { try restored.add(shelf) }
    #expect(restored.brokenInvariants() == [] && restored.snapshot() == snapshot)
  }

  @Test func `what an initializer links to is dropped`() throws {
    final class Furnished: Object {
      @Link var page: Page? = Page()
      @Links var pages: List<Page> = [Page(), Page()]
    }
    let furnished = Furnished()
    furnished.page = nil
    try store.add(furnished)
    let restored = Store(store.snapshot())
    #expect(restored.results(Page.self).count == 2)
    #expect(restored.results(Furnished.self).first?.page == nil)
    #expect(store.snapshot().objects(Furnished.self)[0].pages.count == 2)
  }

  @Test func `an empty snapshot makes an empty store`() throws {
    let empty = Store().snapshot()
    #expect(empty.isEmpty && Store(empty).snapshot() == empty)
    #expect(try empty.coded() == empty)
  }

  @Test func `a restored store can be changed, undone and snapshotted`() throws {
    let first = store.snapshot()
    let restored = Store(first)
    let copy = try #require(restored.object(Novel.self, primaryKey: 1))
    let start = restored.snapshot()
    copy.name = "Kim"
    #expect(restored.snapshot() != first && start == first)
    try restored.undo()
    #expect(restored.snapshot() == first)
  }
}
