import Signals
import TestSupport
import Testing

extension Novel {
  /// Two fields as one value.
  var heading: (String, Int) {
    get { (name, pages) }
    set { edit { (name, pages) = newValue } }
  }
}

/// Several fields as one commit where nothing can be thrown.
@Suite struct `Graph, edit` {
  let store = Store()
  let novel = makeNovel(1, "Emma", pages: 400)

  init() throws { try store.write(undoable: false) { try store.add(novel) } }

  @Test func `the setter of a computed property is one commit, and one step to undo`() throws {
    var seen: [String] = []
    let effect = Effect { seen.append("\(self.novel.heading)") }
    novel.heading = ("Persuasion", 300)
    #expect(seen == ["(\"Emma\", 400)", "(\"Persuasion\", 300)"])
    try store.undo()
    #expect(novel.heading == ("Emma", 400) && !store.canUndo)
    effect.cancel()
  }

  @Test func `what is refused undoes all of it, and goes to onRefusal`() throws {
    var refused: [any Error] = []
    store.onRefusal = { refused.append($0) }
    novel.edit {
      novel.name = "other"
      novel.key = 2
      novel.pages = 1
    }
    #expect(novel.heading == ("Emma", 400) && refused.count == 1 && !store.canUndo)
    store.beforeCommit { _ in throw StoreError.nothingToUndo }
    store.edit { novel.name = "other" }
    #expect(novel.name == "Emma" && refused.count == 2)
  }

  @Test func `in a transaction it is a part of that, which throws what was refused`() throws {
    var commits = 0
    let token = store.commits.sink { _ in commits += 1 }
    try store.write {
      novel.heading = ("Persuasion", 300)
      novel.price = 1
    }
    #expect(commits == 1)
    #expect(throws: StoreError.self) {
      try store.write {
        novel.price = 2
        novel.edit { novel.key = 2 }
      }
    }
    #expect(novel.price == 1 && commits == 1)
    token.cancel()
  }

  @Test func `on an unstored object it is a plain call`() {
    let new = Novel()
    new.heading = ("a", 1)
    #expect(new.name == "a" && new.pages == 1)
  }
}
