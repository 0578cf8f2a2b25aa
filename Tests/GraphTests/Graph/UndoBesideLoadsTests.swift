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

  @Test func `undoing a creation is a conflict if others have written to the object since`() throws
  {
    let mine = makeNovel(2, "mine")
    try store.write { shelf.novels.append(mine) }
    try load { mine.pages = 7 }
    let error = #expect(throws: ChangeConflictError.self) { try store.undo() }
    #expect(error?.conflicts.map(\.reason) == [.changed])
    #expect(error?.conflicts.first?.property?.name == "pages")
    #expect(mine.pages == 7 && mine.store === store && store.canUndo)
    let report = try store.undo(onConflict: .theirs)
    #expect(report.conflicts.count == 1)
    #expect(mine.pages == 7 && shelf.novels.last === mine && store.brokenInvariants() == [])
  }

  @Test func `with .mine the object goes, and the report names what was lost`() throws {
    let mine = makeNovel(2, "mine")
    try store.write { shelf.novels.append(mine) }
    try load { mine.pages = 7 }
    let report = try store.undo(onConflict: .mine)
    #expect(report.conflicts.map { $0.present as? Int } == [7])
    #expect(mine.isDeleted && shelf.novels.isEmpty)
    try store.redo()
    #expect(mine.pages == 7 && shelf.novels.last === mine)
  }

  @Test func `what others wrote and took back is no conflict for a creation`() throws {
    let mine = makeNovel(2, "mine")
    try store.add(mine)
    try load { mine.pages = 7 }
    try load { mine.pages = 0 }
    try store.undo()
    #expect(mine.isDeleted)
  }

  @Test func `my own later writes are steps, and no conflict for a creation`() throws {
    let mine = makeNovel(2, "mine")
    try store.add(mine)
    mine.pages = 3
    try store.undo()
    try store.undo()
    #expect(mine.isDeleted && !store.canUndo)
    try store.redo()
    try load { mine.name = "theirs" }
    #expect(throws: ChangeConflictError.self) { try store.undo() }
  }

  @Test func `redoing a deletion is a conflict too, if others have written to the object since`()
    throws
  {
    try store.delete(novel)
    try store.undo()
    try load { novel.pages = 7 }
    #expect(throws: ChangeConflictError.self) { try store.redo() }
    #expect(novel.pages == 7 && novel.store === store)
  }

  @Test func `a group whose object others wrote to between its commits is a conflict`() throws {
    let mine = makeNovel(2, "mine")
    try store.history.group {
      try store.add(mine)
      try load { mine.pages = 7 }
      mine.pages = 8
    }
    #expect(throws: ChangeConflictError.self) { try store.undo() }
    try store.undo(onConflict: .theirs)
    #expect(mine.store === store && store.brokenInvariants() == [])
  }

  @Test func `a history of one origin keeps what others wrote to an object that it added`() throws {
    let history = UndoHistory(store, origins: ["mine"])
    let mine = makeNovel(2, "mine")
    try store.write(origin: "mine") { shelf.novels.append(mine) }
    try store.write(origin: "mine") { mine.pages = 1 }
    try store.write(origin: "other") { mine.name = "theirs" }
    try history.undo()
    #expect(mine.pages == 0 && mine.name == "theirs")
    #expect(throws: ChangeConflictError.self) { try history.undo() }
    try history.undo(onConflict: .theirs)
    #expect(mine.name == "theirs" && shelf.novels.last === mine)
    #expect(store.brokenInvariants() == [])
  }

  @Test func `a part that others have written to keeps its owner, and that its other parts`() throws
  {
    let person = makePerson(1, city: "Bath", phones: ["0"])
    try store.write {
      try store.add([person, makePerson(2)])
      person.phones.append(makePhone("1"))
    }
    try load { person.phones[1].number = "2" }
    #expect(throws: ChangeConflictError.self) { try store.undo() }
    try store.undo(onConflict: .theirs)
    #expect(person.store === store && person.home?.city == "Bath")
    #expect(person.phones.map(\.number) == ["0", "2"])
    #expect(store.results(Person.self).count == 1 && store.brokenInvariants() == [])
  }
}
