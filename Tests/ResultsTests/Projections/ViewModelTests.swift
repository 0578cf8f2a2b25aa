import Signals
import TestSupport
import Testing

/// Immutable view models, made from an object by its primary key.
@Suite struct `View models` {
  private let all: (store: Store, shelf: Shelf, novels: [Novel], writers: [Writer])

  init() throws { all = try library() }

  private struct Card: Sendable, Equatable {
    let name: String
    let author: String?

    init(_ novel: Novel) {
      name = novel.name
      author = novel.author?.name
    }
  }

  private struct Plain: Sendable {
    let name: String

    init(_ novel: Novel) {
      name = novel.name
      _ = novel.pages
    }
  }

  @Test func `a new value comes once a commit, if something that it was made from has changed`()
    throws
  {
    let (store, _, novels, writers) = all
    var seen: [String] = []
    let token = store.viewModels(of: Novel.self, primaryKey: 1, Card.init).sink {
      seen.append($0.map { "\($0.name) \($0.author ?? "-")" } ?? "gone")
    }
    try store.write {
      novels[0].name = "E"
      writers[0].name = "Jane"
    }
    novels[0].pages = 9
    writers[1].name = "x"
    novels[0].author = nil
    #expect(seen == ["Emma Austen", "E Jane", "E -"])
    token.cancel()
    novels[0].name = "x"
    #expect(seen.count == 3)
  }

  @Test func `a value that can't be compared comes whenever something read has changed`() throws {
    let (store, _, novels, _) = all
    var seen: [String] = []
    let token = store.viewModels(of: Novel.self, primaryKey: 1, Plain.init).sink {
      seen.append($0?.name ?? "gone")
    }
    novels[0].pages = 9
    novels[0].tags = ["x"]
    #expect(seen == ["Emma", "Emma"])
    token.cancel()
  }

  @Test func `deletion invalidates, and a value comes again when the key is back`() throws {
    let (store, _, novels, _) = all
    var seen: [String] = []
    let token = store.viewModels(of: Novel.self, primaryKey: 1, Card.init).sink {
      seen.append($0.map { "\($0.name) \($0.author ?? "-")" } ?? "gone")
    }
    try store.delete(novels[0])
    try store.undo()
    try store.delete(novels[0])
    try store.add(makeNovel(1, "Other"))
    novels[0].name = "local"
    try store.write {
      try store.delete(try #require(store.object(Novel.self, primaryKey: 1)))
      try store.add(makeNovel(1, "Third"))
    }
    #expect(
      seen == ["Emma Austen", "gone", "Emma Austen", "gone", "Other -", "Third -"])
    token.cancel()
  }

  @Test func `without an object the first update says so`() throws {
    let store = all.store
    var seen: [Card?] = []
    let token = store.viewModels(of: Novel.self, primaryKey: 77, Card.init).sink { seen.append($0) }
    try store.add(makeNovel(77, "New"))
    #expect(seen.map(\.?.name) == [nil, "New"])
    token.cancel()
  }

  @Test func `nothing retains the object or the store`() throws {
    weak var weakNovel: Novel?
    weak var weakStore: Store?
    var count = 0
    let token: any Cancellable
    do {
      let store = Store(undoLimit: 0)
      weakStore = store
      do {
        let novel = makeNovel(1, "Emma")
        weakNovel = novel
        try store.add(novel)
      }
      token = store.viewModels(of: Novel.self, primaryKey: 1, Card.init).sink { _ in count += 1 }
      try store.delete(try #require(weakNovel))
      #expect(weakNovel == nil && count == 2)
      try store.add(makeNovel(1))
    }
    #expect(weakStore == nil && count == 3)
    token.cancel()
  }
}
