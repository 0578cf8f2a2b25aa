import Signals
import TestSupport
import Testing

/// `store.undo(onConflict: .theirs)` beside commits that are not to be undone.
@Suite struct `Graph, undo beside loads` {
  let store = Store()
  let novel = makeNovel(1, "Emma", pages: 10)
  let shelf = makeShelf("s")

  init() throws { try store.write(undoable: false) { try store.add([novel, shelf] as [Object]) } }

  private func load(_ body: () throws -> Void) throws {
    try store.write(origin: .loader, undoable: false, body)
  }

  @Test func `what was loaded since stays, and all else is undone`() throws {
    try store.write {
      novel.pages = 20
      novel.name = "mine"
    }
    try load { novel.pages = 30 }
    try store.undo(onConflict: .theirs)
    #expect(novel.pages == 30 && novel.name == "Emma")
    try store.redo(onConflict: .theirs)
    #expect(novel.pages == 30 && novel.name == "mine")
    try store.undo(onConflict: .theirs)
    #expect(novel.pages == 30 && novel.name == "Emma" && !store.canUndo)
  }

  @Test func `it stays for the steps before, and what was written on top of it is undone to it`()
    throws
  {
    novel.pages = 20
    novel.pages = 21
    novel.name = "between"
    try load { novel.pages = 30 }
    novel.pages = 40
    try store.undo(onConflict: .theirs)
    #expect(novel.pages == 30)
    for _ in 0..<3 { try store.undo(onConflict: .theirs) }
    #expect(novel.pages == 30 && novel.name == "Emma" && !store.canUndo)
    for _ in 0..<4 { try store.redo(onConflict: .theirs) }
    #expect(novel.pages == 40 && novel.name == "between")
  }

  @Test func `what was loaded between undo and redo stays too`() throws {
    novel.pages = 20
    novel.pages = 21
    try store.undo(onConflict: .theirs)
    try store.undo(onConflict: .theirs)
    try load { novel.pages = 30 }
    try store.redo(onConflict: .theirs)
    try store.redo(onConflict: .theirs)
    #expect(novel.pages == 30 && !store.canRedo && store.canUndo)
  }

  @Test func `a load that brings back what the step left is none`() throws {
    novel.pages = 20
    try load { novel.pages = 30 }
    try load { novel.pages = 20 }
    try store.undo()
    #expect(novel.pages == 10)
  }

  @Test func `a list loses what the step has added, and keeps what was loaded`() throws {
    let (mine, loaded) = (makeNovel(2), makeNovel(3))
    shelf.novels = [novel]
    shelf.novels.append(mine)
    try load { shelf.novels.insert(loaded, at: 0) }
    try store.undo(onConflict: .theirs)
    #expect(shelf.novels.map(\.key) == [3, 1])
    try store.undo(onConflict: .theirs)
    #expect(shelf.novels.map(\.key) == [3] && store.brokenInvariants() == [])
    try store.redo(onConflict: .theirs)
    try store.redo(onConflict: .theirs)
    #expect(shelf.novels.map(\.key) == [3, 1, 2] && store.brokenInvariants() == [])
  }

  @Test func `an undo that fails changes nothing`() throws {
    novel.pages = 20
    novel.pages = 21
    try load { novel.pages = 30 }
    #expect(throws: Refusal.self) {
      try store.write {
        try store.undo(onConflict: .theirs)
        throw Refusal()
      }
    }
    try store.undo(onConflict: .theirs)
    try store.undo(onConflict: .theirs)
    #expect(novel.pages == 30 && !store.canUndo)
  }

  @Test func `a group, and steps that became one, are undone as one`() throws {
    let history = UndoHistory(store)
    try history.group {
      novel.pages = 20
      try load { novel.name = "loaded" }
      novel.name = "mine"
      try load { novel.pages = 30 }
    }
    try history.undo(onConflict: .theirs)
    #expect(novel.pages == 30 && novel.name == "loaded" && !history.canUndo)
  }
}
