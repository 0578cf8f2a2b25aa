import Signals
import TestSupport
import Testing

/// Effects and observers as transactions.
@Suite struct `Graph, callbacks` {
  let store = Store()
  let novel = makeNovel(1, "Emma", pages: 400)
  let shelf = makeShelf("s")
  let refused: RefusalLog

  init() throws {
    refused = RefusalLog(store)
    try store.add([novel, shelf] as [Object])
  }

  @Test func `the writes of one effect are one commit`() throws {
    var commits: [[String]] = []
    let token = store.commits.sink {
      commits.append($0.changes.flatMap { $0.properties.map(\.name) })
    }
    let go = Signal(0)
    let effect = Effect {
      guard go.value > 0 else { return }
      self.novel.pages = go.value
      self.novel.name = "x\(go.value)"
      self.shelf.best = self.novel
    }
    go.value = 1
    #expect(commits == [["name", "pages", "best"]])
    try store.undo()
    #expect(novel.pages == 400 && novel.name == "Emma" && shelf.best == nil)
    withExtendedLifetime((effect, token)) {}
  }

  @Test func `a refused write undoes the effect's writes and is reported`() throws {
    let gone = makeNovel(9)
    try store.add(gone)
    try store.delete(gone)
    let go = Signal(false)
    let effect = Effect {
      guard go.value else { return }
      self.novel.pages = 1
      self.shelf.best = gone
      self.novel.name = "x"
    }
    go.value = true
    #expect(novel.pages == 400 && novel.name == "Emma" && shelf.best == nil)
    #expect(refused.errors.count == 1)
    withExtendedLifetime(effect) {}
  }

  @Test func `a write in an effect is a savepoint of its transaction`() throws {
    var commits = 0
    let token = store.commits.sink { _ in commits += 1 }
    let go = Signal(false)
    let effect = Effect {
      guard go.value else { return }
      self.novel.pages = 1
      try? self.store.write {
        self.novel.pages = 2
        throw Refusal()
      }
      try? self.store.write { self.novel.name = "x" }
    }
    go.value = true
    #expect(novel.pages == 1 && novel.name == "x" && commits == 1)
    withExtendedLifetime((effect, token)) {}
  }

  @Test func `a write in a callback names the origin of its commit`() throws {
    var origins: [Origin?] = []
    let token = store.commits.sink { origins.append($0.origin) }
    let go = Signal(0)
    let effect = Effect {
      guard go.value > 0 else { return }
      try? self.store.write(origin: "import", undoable: false) { self.novel.pages = go.value }
    }
    try store.write(undoable: false) { novel.name = "x" }
    while store.canUndo { try store.undo(onConflict: .mine) }
    try store.add([novel, shelf] as [Object])
    origins = []
    go.value = 1
    #expect(origins == ["import"])
    #expect(novel.pages == 1)
    withExtendedLifetime((effect, token)) {}
  }

  @Test func `an undo in a callback can't be undone itself`() throws {
    novel.pages = 1
    novel.pages = 2
    var origins: [Origin?] = []
    let token = store.commits.sink { origins.append($0.origin) }
    let go = Signal(0)
    let effect = Effect { if go.value > 0 { _ = try? self.store.undo() } }
    go.value = 1
    #expect(novel.pages == 1)
    go.value = 2
    #expect(novel.pages == 400 && origins == [.undo, .undo])
    withExtendedLifetime((effect, token)) {}
  }

  @Test func `an observer's writes are one later commit`() throws {
    var commits: [Int] = []
    let token = store.commits.sink { commits.append($0.changes.count) }
    let observer = store.results(Novel.self).observe { change in
      guard !change.insertions.isEmpty else { return }
      self.novel.pages += 1
      self.shelf.best = self.novel
    }
    try store.add(makeNovel(2))
    #expect(commits == [1, 2])
    withExtendedLifetime((token, observer)) {}
  }
}
