import Signals
import TestSupport
import Testing

/// What a store's own `undo()` takes back as one step.
@Suite struct `Graph, a store that coalesces` {
  private func type(_ text: String, into novel: Novel) {
    for letter in text { novel.name.append(letter) }
  }

  @Test func `a typed word is one step, and its letters are commits`() throws {
    let store = Store(coalescing: .typing)
    let novel = try store.first(orAdd: makeNovel(1, ""))
    var commits = 0
    let token = store.commits.sink { _ in commits += 1 }
    type("oat milk", into: novel)
    #expect(commits == 8)
    try store.undo()
    #expect(novel.name == "oat ")
    try store.undo()
    #expect(novel.name == "" && !store.canUndo)
    try store.redo()
    #expect(novel.name == "oat ")
    withExtendedLifetime(token) {}
  }

  @Test func `it needs no observer`() throws {
    let store = Store(coalescing: .typing)
    let novel = try store.first(orAdd: makeNovel(1, ""))
    type("milk", into: novel)
    novel.pages = 7
    try store.undo()
    #expect((novel.name, novel.pages) == ("milk", 0))
    try store.undo()
    #expect(novel.name == "")
  }

  @Test func `a store made of a snapshot may, too`() throws {
    let first = Store()
    _ = try first.first(orAdd: makeNovel(1, ""))
    let store = Store(first.snapshot(), coalescing: .property)
    let novel = try #require(store.object(Novel.self, primaryKey: 1))
    type("oat milk", into: novel)
    try store.undo()
    #expect(novel.name == "" && !store.canUndo)
  }

  @Test func `histories beside it have their own steps`() throws {
    let store = Store(coalescing: .typing)
    let novel = try store.first(orAdd: makeNovel(1, ""))
    let history = UndoHistory(store)
    type("milk", into: novel)
    try history.undo()
    #expect(novel.name == "mil")
  }

  @Test func `without being asked to, each commit is a step`() throws {
    let store = Store()
    let novel = try store.first(orAdd: makeNovel(1, ""))
    type("milk", into: novel)
    try store.undo()
    #expect(novel.name == "mil")
  }
}
