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

  @Test func `a key of an object that stays is not given to another`() throws {
    let mine = makeNovel(1, "mine")
    try store.write {
      try store.delete(novel)
      try store.add(mine)
    }
    try load { mine.pages = 7 }
    #expect(throws: StoreError.self) { try store.undo(onConflict: .theirs) }
    #expect(store.object(Novel.self, primaryKey: 1) === mine && store.brokenInvariants() == [])
    try store.undo(onConflict: .mine)
    #expect(store.object(Novel.self, primaryKey: 1) === novel && store.brokenInvariants() == [])
  }

  @Test func `a list keeps others' members beside one that stays, however often it was written`()
    throws
  {
    let (one, two, theirs) = (makeNovel(2), makeNovel(3), makeNovel(4))
    store.history.group {
      shelf.novels.append(one)
      shelf.novels.append(two)
    }
    try load {
      shelf.novels.append(theirs)
      two.pages = 7
    }
    try store.undo(onConflict: .theirs)
    #expect(shelf.novels.map(\.key) == [3, 4] && store.brokenInvariants() == [])
  }

  @Test func `an object that stays keeps the objects that it links to`() throws {
    let (mine, cover) = (makeNovel(2), Page())
    try store.write {
      mine.cover = cover
      try store.add(mine)
    }
    try load { mine.pages = 7 }
    let report = try store.undo(onConflict: .theirs)
    #expect(report.conflicts.count == 1 && mine.cover === cover && cover.store === store)
  }

  @Test func `what a rule counts keeps others' share when joined steps are undone`() throws {
    let store = Store(coalescing: .typing)
    let dish = StockedDish("")
    try store.write(undoable: false) { try store.add(dish) }
    var counts = true
    store.beforeCommit { changes in if counts { dish.stock += changes.changes.count } }
    dish.name = "a"
    try store.write(undoable: false) { dish.price = 3 }
    dish.name = "ab"
    #expect(dish.stock == 3 && store.history.undoCount == 1)
    counts = false
    try store.undo()
    #expect(dish.name == "" && dish.stock == 1)
  }
}
