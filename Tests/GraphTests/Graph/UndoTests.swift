import Signals
import TestSupport
import Testing

/// Undo.
@Suite struct `Graph, undo` {
  let store = Store()
  let novel = makeNovel(1, "Emma", pages: 1)
  let shelf = makeShelf("s")

  init() throws { try store.write(undoable: false) { try store.add([novel, shelf] as [Object]) } }

  @Test func `commits are undone latest first, until none is left`() throws {
    novel.pages = 2
    try store.write {
      novel.pages = 3
      novel.name = "x"
    }
    try store.undo()
    #expect(novel.pages == 2 && novel.name == "Emma")
    try store.undo()
    #expect(novel.pages == 1)
    #expect(throws: StoreError.nothingToUndo) { try store.undo() }
    #expect(StoreError.nothingToUndo.description == "there is nothing to undo")
  }

  @Test func `canUndo is observed`() throws {
    var seen: [Bool] = []
    let effect = Effect { seen.append(self.store.canUndo) }
    novel.pages = 2
    novel.pages = 3
    try store.undo()
    try store.undo()
    #expect(seen == [false, true, false])
    withExtendedLifetime(effect) {}
  }

  @Test func `a limited history forgets the oldest commits, and 0 turns it off`() throws {
    let (limited, off, page) = (Store(undoLimit: 2), Store(undoLimit: 0), Page())
    try limited.add(page)
    for number in 1...5 { page.number = number }
    try limited.undo()
    try limited.undo()
    #expect(page.number == 3)
    #expect(throws: StoreError.nothingToUndo) { try limited.undo() }
    try off.add(Page())
    #expect(!off.canUndo)
  }

  @Test func `what is not undoable stays`() throws {
    novel.pages = 2
    try store.write(undoable: false) { novel.name = "loaded" }
    try store.undo()
    #expect(novel.pages == 1 && novel.name == "loaded" && !store.canUndo)
  }

  @Test func `undo brings the same instances back with fields as at deletion, links and positions`()
    throws
  {
    let other = makeNovel(2)
    shelf.novels = [other, novel, other, novel]
    shelf.best = novel
    novel.author = Writer()
    let writer = novel.author
    try store.delete(novel)
    novel.name = "local"
    novel.key = 2
    novel.author = Writer()
    try store.undo()
    #expect(novel.name == "Emma" && novel.key == 1 && novel.author === writer)
    #expect(shelf.novels.map(\.key) == [2, 1, 2, 1] && shelf.best === novel)
    #expect(store.object(Novel.self, primaryKey: 1) === novel)
    #expect(store.object(Novel.self, primaryKey: 2) === other && store.brokenInvariants() == [])
  }

  @Test func `undoing an addition deletes what was added`() throws {
    let added = makeNovel(3)
    added.author = Writer()
    try store.add(added)
    try store.write(undoable: false) { shelf.novels = [added] }
    try store.undo()
    #expect(added.isDeleted && added.author == nil && shelf.novels.isEmpty)
    #expect(store.brokenInvariants() == [])
    try store.add(added)
    #expect(!added.isDeleted)
  }

  @Test func `a link to what was deleted for good is not brought back`() throws {
    let other = makeNovel(2)
    shelf.novels = [other, novel]
    shelf.novels = []
    try store.write(undoable: false) { try store.delete(other) }
    let report = try store.undo(onConflict: .theirs)
    #expect(report.conflicts.map(\.reason) == [.danglingLink(to: StoreError.Subject(other))])
    #expect(Array(shelf.novels) == [novel] && store.brokenInvariants() == [])
  }

  @Test func `an undo whose key was taken is refused and changes nothing`() throws {
    try store.delete(novel)
    let taker = makeNovel(1)
    try store.write(undoable: false) { try store.add(taker) }
    #expect(throws: StoreError.self) { try store.undo() }
    #expect(novel.isDeleted && store.object(Novel.self, primaryKey: 1) === taker && store.canUndo)
    #expect(store.brokenInvariants() == [])
  }

  @Test func `an undo in a write is part of it`() throws {
    novel.pages = 2
    novel.pages = 3
    #expect(throws: Refusal.self) {
      try store.write {
        try store.undo()
        try store.undo()
        #expect(novel.pages == 1)
        throw Refusal()
      }
    }
    #expect(novel.pages == 3)
    try store.write {
      try store.undo()
      novel.name = "after"
    }
    #expect(novel.pages == 2 && novel.name == "after")
    try store.undo()
    #expect(novel.pages == 1 && !store.canUndo)
  }

  @Test func `an undo after other writes in a transaction is refused`() throws {
    novel.pages = 2
    let error = #expect(throws: StoreError.self) {
      try store.write {
        novel.name = "x"
        try store.undo()
      }
    }
    #expect(error == .undoAfterWrites && novel.name == "Emma" && novel.pages == 2)
    #expect(
      error?.description
        == "an undo can't follow other writes, or steps of another history, in its transaction")
  }

  @Test func `an effect that writes after an undo makes a commit of its own`() throws {
    novel.pages = 2
    let effect = Effect { self.shelf.best = self.novel.pages == 1 ? self.novel : nil }
    try store.undo()
    #expect(novel.pages == 1 && shelf.best === novel)
    try store.undo()
    #expect(novel.pages == 1 && shelf.best == nil && !store.canUndo)
    withExtendedLifetime(effect) {}
  }

  @Test func `an undo is a commit of origin undo`() throws {
    novel.pages = 2
    var commits: [ChangeSet] = []
    let token = store.commits.sink { commits.append($0) }
    try store.undo()
    #expect(commits.map(\.origin) == [.undo])
    #expect(commits.map(\.description) == ["~ Novel \(novel.objectID)\n    pages: 2 -> 1"])
    withExtendedLifetime(token) {}
  }

  @Test func `objects that redo adds again are in results where they were before`() throws {
    let store = Store()
    let novels = (0..<4).map { makeNovel($0, "same") }
    for novel in novels { try store.add(novel) }
    let all = (store.results(Novel.self), store.results(Novel.self).sorted(by: \.name))
    #expect(Array(all.0) == novels && Array(all.1) == novels)
    for _ in novels { try store.undo() }
    for _ in novels { try store.redo() }
    #expect(Array(all.0) == novels && Array(all.1) == novels)
    novels[0].name = "z"
    try store.delete(novels[2])
    #expect(Array(all.1) == [novels[1], novels[3], novels[0]])
  }

  @Test func `undo and redo put objects back where they were in the order of adding`() throws {
    let store = Store()
    let novels = (0..<4).map { makeNovel($0) }
    try store.add(novels)
    let all = store.results(Novel.self)
    try store.delete(novels[0])
    try store.add(novels[0])
    #expect(all.map(\.key) == [1, 2, 3, 0])
    try store.undo()
    try store.undo()
    #expect(all.map(\.key) == [0, 1, 2, 3])
    try store.redo()
    #expect(throws: Refusal.self) {
      try store.write {
        try store.redo()
        throw Refusal()
      }
    }
    #expect(all.map(\.key) == [1, 2, 3])
    try store.redo()
    #expect(all.map(\.key) == [1, 2, 3, 0])
    #expect(Store(store.snapshot()).results(Novel.self).map(\.key) == [1, 2, 3, 0])
  }
}
