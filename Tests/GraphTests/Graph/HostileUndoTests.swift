import Signals
import TestSupport
import Testing

/// Undo where it is least expected.
@Suite struct `Undo, used hard` {
  let store = Store()
  let novel = makeNovel(1, "Emma", pages: 400)
  let shelf: Shelf

  init() throws {
    let shelf = makeShelf("s", [novel])
    self.shelf = shelf
    try store.write(undoable: false) { try store.add(shelf) }
  }

  @Test func `an undo within a group takes the group's last commits, and groups continue`() throws {
    let history = UndoHistory(store)
    novel.pages = 1
    try history.group {
      novel.pages = 2
      novel.name = "x"
      try history.undo()
      #expect(novel.pages == 1 && novel.name == "Emma")
      novel.pages = 3
      novel.name = "y"
    }
    #expect(!history.canRedo)
    try history.undo()
    #expect(novel.pages == 1 && novel.name == "Emma")
    try history.undo()
    #expect(novel.pages == 400 && !history.canUndo)
    try history.redo()
    try history.redo()
    #expect(novel.pages == 3 && novel.name == "y" && store.brokenInvariants() == [])
  }

  @Test func `redo takes back what was written in a write after an undo in it`() throws {
    novel.pages = 1
    try store.write {
      try store.undo()
      novel.name = "after"
      shelf.novels = []
    }
    #expect(novel.pages == 400 && novel.name == "after")
    let undone = store.snapshot()
    try store.redo()
    #expect(novel.pages == 1 && novel.name == "Emma" && shelf.novels.map(\.key) == [1])
    try store.undo()
    #expect(store.snapshot() == undone)
  }

  @Test func `a hook's writes at an undo are taken back by the redo`() throws {
    let rule = store.beforeCommit { [shelf, novel] _ in
      shelf.best = novel.pages == 400 ? novel : nil
    }
    novel.pages = 1
    #expect(shelf.best == nil)
    try store.undo()
    #expect(novel.pages == 400 && shelf.best === novel)
    try store.redo()
    #expect(novel.pages == 1 && shelf.best == nil)
    try store.undo()
    #expect(novel.pages == 400 && shelf.best === novel && store.brokenInvariants() == [])
    rule.cancel()
  }

  @Test func `one's own step is undone where others wrote the same, elsewhere, or deleted it`()
    throws
  {
    let history = UndoHistory(store, origins: ["me"])
    let (two, three) = (makeNovel(2), makeNovel(3))
    try store.write(origin: "me") {
      novel.pages = 1
      novel.name = "mine"
      shelf.best = novel
      shelf.novels = [two, novel, three]
    }
    try store.write(origin: "you") {
      novel.pages = 2
      novel.genre = .poetry
      shelf.novels.insert(makeNovel(4), at: 1)
      try store.delete(three)
    }
    #expect(try history.undo(onConflict: .theirs).conflicts.map(\.property?.name) == ["pages"])
    #expect(novel.pages == 2 && novel.name == "Emma" && novel.genre == .poetry)
    #expect(shelf.best == nil && shelf.novels.map(\.key) == [4, 1] && two.isDeleted)
    #expect(store.brokenInvariants() == [])
    try history.redo()
    #expect(novel.name == "mine" && novel.pages == 2 && shelf.best === novel && !two.isDeleted)
    #expect(Set(shelf.novels.map(\.key)) == [1, 2, 4] && store.brokenInvariants() == [])
    try store.write(origin: "you") { try store.delete(novel) }
    #expect(try history.undo(onConflict: .theirs).conflicts.map(\.reason) == [.missing])
    #expect(novel.isDeleted && store.brokenInvariants() == [])
  }

  @Test func `an object that goes and comes with another key in one write`() throws {
    let before = store.snapshot()
    try store.write {
      try store.delete(novel)
      novel.key = 2
      novel.pages = 2
      try store.add(novel)
      let successor = makeNovel(1, "successor")
      try store.add(successor)
      shelf.novels = [successor, novel]
    }
    let after = store.snapshot()
    #expect(store.object(Novel.self, primaryKey: 2) === novel)
    for _ in 0..<3 {
      try store.undo()
      #expect(store.snapshot() == before && store.object(Novel.self, primaryKey: 1) === novel)
      try store.redo()
      #expect(store.snapshot() == after && store.object(Novel.self, primaryKey: 2) === novel)
      #expect(store.brokenInvariants() == [])
    }
  }

  @Test func `keys that two objects swap in one write are swapped back and again`() throws {
    let other = makeNovel(2, "two")
    try store.write(undoable: false) { try store.add(other) }
    let before = store.snapshot()
    try store.write {
      try store.delete(novel)
      try store.delete(other)
      (novel.key, other.key) = (2, 1)
      try store.add([novel, other])
    }
    let after = store.snapshot()
    for _ in 0..<2 {
      try store.undo()
      #expect(store.snapshot() == before && store.brokenInvariants() == [])
      #expect(store.object(Novel.self, primaryKey: 1) === novel)
      try store.redo()
      #expect(store.snapshot() == after && store.brokenInvariants() == [])
      #expect(store.object(Novel.self, primaryKey: 1) === other)
    }
  }

  @Test func `an undo does not take a key from who has it by now`() throws {
    let (replica, other) = (Store(store.snapshot()), makeNovel(2))
    var all = ChangeSet()
    let token = store.commits.sink { all = all.merging($0) }
    try store.write {
      try store.delete(novel)
      novel.key = 5
      try store.add(novel)
    }
    token.cancel()
    try replica.apply(all)
    other.key = 1
    try replica.write(undoable: false) { try replica.add(other) }
    let before = replica.snapshot()
    #expect(throws: StoreError.self) { try replica.undo() }
    #expect(replica.snapshot() == before && replica.brokenInvariants() == [])
    #expect(replica.object(Novel.self, primaryKey: 1) === other && replica.canUndo)
    try replica.write(undoable: false) { try replica.delete(other) }
    try replica.undo()
    #expect(replica.object(Novel.self, primaryKey: 1)?.objectID == novel.objectID)
    #expect(replica.brokenInvariants() == [])
  }

  @Test func `undo and redo of undo and redo, in writes that fail, lose no step`() throws {
    for pages in 1...4 { novel.pages = pages }
    for _ in 0..<3 {
      try? store.write {
        try store.undo()
        try? store.write {
          try store.undo()
          #expect(novel.pages == 2 && !store.canRedo)
          throw Refusal()
        }
        #expect(novel.pages == 3)
        try store.undo()
        #expect(novel.pages == 2)
        throw Refusal()
      }
      #expect(novel.pages == 4 && store.canUndo && !store.canRedo)
    }
    try store.write {
      try store.undo()
      try store.undo()
    }
    #expect(novel.pages == 2)
    try store.write {
      try store.redo()
      try store.redo()
    }
    #expect(novel.pages == 4 && !store.canRedo)
    for pages in [3, 2, 1, 400] {
      try store.undo()
      #expect(novel.pages == pages)
    }
    #expect(!store.canUndo && store.brokenInvariants() == [])
  }

  @Test func `every state between is reached again, through snapshots and their differences`()
    throws
  {
    var states = [store.snapshot()]
    let page = Page()
    let steps: [() throws -> Void] = [
      { novel.tags = ["a", "b"] }, { shelf.novels.append(contentsOf: [makeNovel(7), novel]) },
      { try store.add(page) }, { try store.delete(novel) }, { page.text = "p" },
      { try store.add(novel) }, { shelf.novels.append(novel) }, { try store.delete(shelf) },
    ]
    for step in steps {
      try step()
      states.append(store.snapshot())
    }
    for state in states.dropLast().reversed() {
      try store.undo()
      #expect(store.snapshot() == state)
    }
    for state in states.dropFirst() {
      try store.redo()
      #expect(store.snapshot() == state)
    }
    let replica = Store(states[0])
    for (old, new) in zip(states, states.dropFirst()) {
      #expect(try replica.apply(old.changes(to: new)).isClean && replica.snapshot() == new)
    }
    let all = zip(states, states.dropFirst()).reduce(ChangeSet()) {
      $0.merging($1.0.changes(to: $1.1))
    }
    #expect(all == states[0].changes(to: states[states.count - 1]))
    try replica.apply(all.inverted())
    #expect(replica.snapshot() == states[0] && replica.brokenInvariants() == [])
  }
}
