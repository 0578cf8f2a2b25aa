import Signals
import TestSupport
import Testing

/// The history that a store owns, `store.history`.
@Suite struct `Graph, the history of a store` {
  let store = Store()
  let page = Page()

  init() throws { try store.write(undoable: false) { try store.add(page) } }

  @Test func `it outlives its store`() throws {
    var store: Store? = Store()
    let history = try #require(store).history
    try store?.add(Page())
    #expect(history.undoCount == 1)
    store = nil
    #expect(throws: StoreError.nothingToUndo) { try history.undo() }
    history.group {}
    history.coalescing("drag") {}
    #expect(history.undoCount == 1)
    history.removeAll()
    #expect(!history.canUndo)
  }

  @Test func `it undoes like the store`() throws {
    page.number = 1
    try store.history.undo()
    #expect(page.number == 0 && store.canRedo && !store.canUndo)
    try store.history.redo()
    #expect(page.number == 1 && !store.canRedo && store.canUndo)
  }

  @Test func `a group is one step`() throws {
    page.number = 1
    try store.history.group {
      page.number = 2
      try store.write { page.text = "a" }
      store.history.group { page.number = 3 }
      page.number = 4
    }
    page.number = 5
    #expect(store.history.undoCount == 3)
    try store.undo()
    #expect(page.number == 4)
    try store.undo()
    #expect(page.number == 1 && page.text == "")
    try store.undo()
    #expect(page.number == 0 && !store.canUndo)
  }

  @Test func `commits of one key are one step if no other comes between`() throws {
    let history = store.history
    history.coalescing("drag") { page.number = 1 }
    try store.write { history.coalescing("drag") { page.number = 2 } }
    #expect(history.undoCount == 1)
    page.number = 3
    history.coalescing("drag") { page.number = 4 }
    history.coalescing("drag") { page.number = 5 }
    #expect(history.undoCount == 3)
    page.number = 6
    page.number = 7
    #expect(history.undoCount == 5)
    for expected in [6, 5, 3, 2, 0] {
      try store.undo()
      #expect(page.number == expected)
    }
    #expect(!store.canUndo)
  }

  @Test func `a key is one of its own history only`() throws {
    let other = UndoHistory(store)
    try store.write { other.coalescing("drag") { page.number = 1 } }
    try store.write { other.coalescing("drag") { page.number = 2 } }
    #expect((store.history.undoCount, other.undoCount) == (2, 1))
    try store.write { store.history.coalescing("drag") { page.number = 3 } }
    try store.write { store.history.coalescing("drag") { page.number = 4 } }
    #expect((store.history.undoCount, other.undoCount) == (3, 3))
  }

  @Test func `a history without a limit keeps nothing`() throws {
    let store = Store(undoLimit: 0, coalescing: .typing)
    let page = Page()
    try store.add(page)
    try store.history.group { try store.write(label: "a") { page.number = 1 } }
    store.history.coalescing("drag") { page.number = 2 }
    page.number = 3
    #expect(store.history.undoCount == 0 && store.history.undoSteps.isEmpty)
    #expect(throws: StoreError.nothingToUndo) { try store.history.undo() }
    store.history.removeAll()
    #expect(page.number == 3 && store.brokenInvariants() == [])
  }
}
