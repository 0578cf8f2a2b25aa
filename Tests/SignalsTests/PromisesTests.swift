import Signals
import SignalsTesting
import Testing

/// The promises of the design, each under its own name, end to end.
@Suite struct `The promises` {
  final class Author: Object {
    @Field var name = ""
  }

  final class Novel: Object {
    @PrimaryKey var number = 0
    @Field var title = ""
    @Field var pages = 100
    @Link var author: Author?
    @Inverse(\Reader.shelf) var readers
  }

  final class Reader: Object {
    @Links var shelf: List<Novel>
    @Link var favourite: Novel?
  }

  struct NovelRow: View {
    @ObservedObject var novel: Novel

    var body: Element {
      Text("\(novel.title) \(novel.pages)")
    }
  }

  struct Shelf: View {
    @ObservedResults(Novel.self, sortedBy: \.title) var novels

    var body: Element {
      Text("\(novels.count) novels")
      ForEach(novels) { NovelRow(novel: $0) }
      Button("Remove the first", id: "remove") { try $novels.remove(atOffsets: [0]) }
    }
  }

  struct Stop: Error {}

  let store = Store()
  let reader = Reader()
  let novels: [Novel]

  init() throws {
    novels = ["Count Zero", "Neuromancer", "Zodiac"].enumerated().map { number, title in
      let novel = Novel()
      novel.number = number
      novel.title = title
      return novel
    }
    try store.write(undoable: false) {
      try store.add(reader)
      reader.shelf.append(contentsOf: novels)
      reader.favourite = novels[0]
    }
  }

  @Test func `no tearing`() throws {
    let total = Computed { novels.reduce(0) { $0 + $1.pages } }
    var seen: Set<String> = []
    let effect = Effect {
      seen.insert("\(novels[0].pages + novels[1].pages) \(total.value)")
    }
    try store.write {
      novels[0].pages -= 50
      novels[1].pages += 50
    }
    let token = store.results(Novel.self).where { $0.pages > 60 }.observe { _ in
      seen.insert("\(novels[0].pages + novels[1].pages) \(total.value)")
    }
    try store.write {
      novels[0].pages += 20
      novels[1].pages -= 20
    }
    #expect(seen == ["200 300"])
    effect.cancel()
    token.cancel()
  }

  @Test func `once`() throws {
    var runs = (computed: 0, effect: 0)
    let sum = Computed {
      runs.computed += 1
      return novels[0].pages + novels[1].pages
    }
    let effect = Effect {
      runs.effect += 1
      _ = sum.value + novels[2].pages
    }
    let app = try TestHost(store) { Shelf() }
    let bodies = app.bodies
    try store.write { for novel in novels { novel.pages += 1 } }
    #expect(runs == (2, 2))
    #expect(app.bodies - bodies == 3)
    try store.write {
      for novel in novels { novel.pages += 1 }
      for novel in novels { novel.pages -= 1 }
    }
    novels[0].pages = novels[0].pages
    #expect(runs == (2, 2))
    #expect(app.bodies - bodies == 3)
    effect.cancel()
  }

  @Test func `exactly what was read`() throws {
    let app = try TestHost(store) { NovelRow(novel: novels[0]) }
    let bodies = app.bodies
    novels[1].pages = 7
    reader.favourite = nil
    novels[0].author = Author()
    #expect(app.bodies == bodies)
    novels[0].pages = 8
    #expect(app.bodies == bodies + 1)
  }

  @Test func `deleting never crashes`() throws {
    let app = try TestHost(store) { Shelf() }
    let novel = novels[0]
    var wasDeleted: [Bool] = []
    let effect = Effect { wasDeleted.append(novel.isDeleted) }
    try store.delete(novel)
    #expect(novel.title == "Count Zero")
    #expect(novel.readers.isEmpty)
    #expect(reader.favourite == nil)
    #expect(Array(reader.shelf) == Array(novels.dropFirst()))
    #expect(!app.text.contains("Count Zero"))
    novel.title = "local"
    try store.undo()
    #expect(novel.title == "Count Zero")
    #expect(reader.favourite === novel)
    #expect(Array(reader.shelf) == novels)
    #expect(app.text.contains("Count Zero"))
    #expect(wasDeleted == [false, true, false])
    effect.cancel()
  }

  @Test func `stable identity`() throws {
    let results = store.results(Novel.self).sorted(by: \.title)
    let first = results[0]
    #expect(first === novels[0])
    first.title = "A new title"
    #expect(results[0] === first)
    #expect(store.object(Novel.self, primaryKey: 0) === first)
    #expect(Set([first, results[0], reader.shelf[0]]).count == 1)
  }

  @Test func `all or nothing`() throws {
    let results = store.results(Novel.self).where { $0.pages > 100 }
    var notified = 0
    let token = results.observe { _ in notified += 1 }
    let effect = Effect {
      _ = (results.count, reader.shelf.count, novels[1].pages)
      notified += 1
    }
    let commits = store.commits.sink { _ in notified += 1 }
    notified = 0
    #expect(throws: Stop.self) {
      try store.write {
        novels[1].pages = 500
        reader.shelf.removeAll()
        try store.delete(novels[2])
        _ = (results.count, novels[0].readers.count)
        throw Stop()
      }
    }
    #expect(notified == 0)
    #expect(results.isEmpty && Array(reader.shelf) == novels && !novels[2].isDeleted)
    try store.write {
      novels[0].pages = 1
      #expect(throws: Stop.self) {
        try store.write {
          novels[0].pages = 2
          throw Stop()
        }
      }
      #expect(novels[0].pages == 1)
    }
    for token in [token, effect, commits] { token.cancel() }
  }

  @Test func `old and new`() throws {
    var commits: [ChangeSet] = []
    let token = store.commits.sink { commits.append($0) }
    try store.write(origin: "editor") { novels[0].title = "Idoru" }
    let change = try #require(commits.first?[novels[0]])
    #expect(commits.first?.origin == "editor")
    #expect(change.kind == .modified)
    #expect(change.properties.map(\.name) == ["title"])
    #expect(change.old(\.title) == "Count Zero")
    #expect(change.new(\.title) == "Idoru")
    token.cancel()
  }

  @Test func `a diff is exact`() throws {
    let results = store.results(Novel.self).where { $0.pages < 1000 }.sorted(by: \.title)
    var mirror = Array(results)
    var changes: [CollectionChange<Novel>] = []
    let token = results.observe { change in
      change.apply(to: &mirror)
      changes.append(change)
    }
    try store.write {
      novels[0].title = "Zz"
      novels[1].pages = 5
      try store.delete(novels[2])
    }
    #expect(mirror == Array(results))
    #expect(changes.count == 1)
    #expect(changes.first?.deletions == [2])
    #expect(changes.first?.modifications.map(\.old).sorted() == [0, 1])
    token.cancel()
  }

  @Test func `offsets mean what was on screen`() throws {
    let app = try TestHost(store, clock: .manual) { Shelf() }
    // Another write puts a row before the one that is on screen as the first.
    novels[2].title = "Aardvark"
    try app.tap("remove")
    #expect(novels[0].isDeleted && !novels[2].isDeleted)
  }

  @Test func `order`() throws {
    var log: [String] = []
    let commits = store.commits.sink { _ in log.append("commits") }
    let results = store.results(Novel.self).where { $0.pages > 0 }
    let observer = results.observe { _ in log.append("observer") }
    struct Watching: View {
      @ObservedObject var novel: Novel
      let log: (String) -> Void

      var body: Element {
        let _ = log("host")
        Text("\(novel.pages)")
      }
    }
    let app = try TestHost(store) { Watching(novel: novels[0]) { log.append($0) } }
    let first = Effect { log.append("effect 1 \(novels[0].pages)") }
    let second = Effect { log.append("effect 2 \(novels[0].pages)") }
    store.beforeCommit = { _ in log.append("hook") }
    log = []
    novels[0].pages = 3
    #expect(log == ["hook", "effect 1 3", "effect 2 3", "observer", "host", "commits"])
    #expect(app.text == "3")
    for token in [commits, observer, first, second] { token.cancel() }
  }

  @Test func `misuse speaks`() throws {
    let other = Store()
    #expect(throws: StoreError.self) { try other.add(novels[0]) }
    let twin = Novel()
    let error = #expect(throws: StoreError.self) { try store.add(twin) }
    #expect("\(try #require(error))".contains("Novel.number"))
    #expect(twin.store == nil)
    try store.delete(novels[1])
    let refused = #expect(throws: StoreError.self) {
      try store.write {
        reader.shelf.removeAll()
        reader.favourite = novels[1]
      }
    }
    #expect("\(try #require(refused))".contains("Reader.favourite"))
    #expect(reader.shelf.count == 2)
  }

  @Test func `no leaks`() throws {
    weak var weakApp: TestHost?
    weak var weakStore: Store?
    weak var weakNovel: Novel?
    do {
      let store = Store()
      let novel = Novel()
      let author = Author()
      let reader = Reader()
      novel.author = author
      reader.shelf.append(novel)
      try store.add(reader)
      let app = try TestHost(store) { Shelf() }
      let effect = Effect { _ = novel.title }
      novel.title = "x"
      (weakApp, weakStore, weakNovel) = (app, store, novel)
      effect.cancel()
    }
    #expect(weakApp == nil)
    #expect(weakStore == nil)
    #expect(weakNovel == nil)
  }
}
