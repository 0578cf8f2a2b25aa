import Signals
import TestSupport
import Testing

/// Who keeps whom alive, and what happens when a store goes.
@Suite struct `Graph, ownership` {
  @Test func `the death of a store detaches its objects and breaks every ring`() throws {
    weak var weakStore: Store?
    weak var weakNovel: Novel?
    let kept: Shelf
    do {
      let store = Store()
      weakStore = store
      let (shelf, novel) = (makeShelf("s"), makeNovel(1))
      weakNovel = novel
      shelf.novels = [novel]
      shelf.best = novel
      let ring = Chain()
      ring.next = ring
      try store.add([shelf, ring] as [Object])
      novel.pages = 3
      try store.delete(ring)
      kept = shelf
    }
    #expect(weakStore == nil && weakNovel == nil)
    #expect(kept.novels.isEmpty && kept.best == nil && kept.isDeleted && kept.store == nil)
    #expect(kept.place == "s")
    kept.best = makeNovel(2)
    #expect(kept.best?.key == 2)
  }

  @Test func `a store keeps its objects, and a history what it may bring back`() throws {
    let store = Store(undoLimit: 1)
    weak var stored: Page?
    do {
      let page = Page()
      stored = page
      try store.add(page)
    }
    #expect(stored != nil)
    try store.delete(#require(stored))
    #expect(stored != nil)
    try store.add(Page())
    #expect(stored == nil)
  }

  @Test func `objects of an added and detached graph can be added to another store`() throws {
    let page = Page()
    do {
      let store = Store()
      try store.add(page)
    }
    let other = Store()
    try other.add(page)
    #expect(page.store === other && !page.isDeleted)
  }

  @Test func `effects, computeds and tokens leave nothing behind`() throws {
    let store = Store()
    let novel = makeNovel(1)
    try store.add(novel)
    weak var captured: Page?
    do {
      let page = Page()
      captured = page
      let effect = Effect { _ = (page, novel.pages, store.object(Novel.self, primaryKey: 9)) }
      let token = store.commits.sink { _ in _ = page }
      novel.pages = 1
      withExtendedLifetime((effect, token)) {}
    }
    #expect(captured == nil)
    novel.pages = 2
  }

  @Test func `lookups of many keys do not pile up`() throws {
    let store = Store()
    var seen = 0
    for key in 0..<10_000 {
      let effect = Effect { if store.object(Novel.self, primaryKey: key) == nil { seen += 1 } }
      effect.cancel()
    }
    #expect(seen == 10_000 && store.trackedKeys(of: Novel.self) <= 128)
  }

  @Test func `two stores are apart`() throws {
    let (a, b) = (Store(), Store())
    let (one, two) = (makeNovel(1), makeNovel(1))
    try a.add(one)
    try b.add(two)
    #expect(
      a.object(Novel.self, primaryKey: 1) === one && b.object(Novel.self, primaryKey: 1) === two)
    #expect(throws: Refusal.self) {
      try a.write {
        one.pages = 1
        two.pages = 1
        throw Refusal()
      }
    }
    #expect(one.pages == 0 && two.pages == 1)
    try b.undo()
    #expect(two.pages == 0)
  }

  @Test func `an effect that writes to two stores is one transaction of both`() throws {
    let (a, b) = (Store(), Store())
    let (one, two, gone) = (makeNovel(1), makeShelf("s"), makeNovel(2))
    try a.add(one)
    try b.add([two, gone] as [Object])
    try b.delete(gone)
    var refusals = 0
    a.onRefusal = { _ in refusals += 1 }
    b.onRefusal = { _ in refusals += 1 }
    let effect = Effect {
      one.pages = 5
      two.best = gone
    }
    #expect(one.pages == 0 && two.best == nil && refusals == 2)
    withExtendedLifetime(effect) {}
  }

  @Test func `what one store deleted in an open write can't be added to another yet`() throws {
    let (a, b, page) = (Store(), Store(), Page())
    try a.add(page)
    try a.write {
      try a.delete(page)
      #expect(throws: StoreError.self) { try b.add(page) }
    }
    try b.add(page)
    #expect(throws: StoreError.self) { try a.undo() }
    #expect(page.store === b && a.brokenInvariants() == [] && b.brokenInvariants() == [])
  }
}
