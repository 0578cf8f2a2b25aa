import Signals
import SignalsTesting
import TestSupport
import Testing

// The later half of the promises, from what is told of changes on.

extension `The promises` {
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
    // Links and lists by id; what goes has its last values as old ones, what comes its first as new.
    var seen: [String] = []
    let observer = novels[1].observe(\.title) { old, new in seen.append("\(old) -> \(new)") }
    try store.write(origin: "sync") {
      novels[1].title = "a"
      novels[1].title = "b"
      reader.favorite = novels[1]
      try store.delete(novels[2])
    }
    #expect(seen == ["Neuromancer -> b"] && commits[1].origin == "sync")
    let link = try #require(commits[1][reader])
    #expect(link.old(\.favorite) == novels[0].objectID)
    #expect(link.new(\.favorite) == novels[1].objectID)
    #expect(link.old(\.shelf) == novels.map(\.objectID))
    #expect(link.new(\.shelf) == novels.dropLast().map(\.objectID))
    let gone = try #require(commits[1][novels[2].objectID])
    #expect(gone.kind == .deleted && gone["title"]?.old as? String == "Zodiac")
    #expect(gone["title"]?.new == nil && commits[1].changes.count == 3)
    // What was written back is no change.
    try store.write {
      novels[0].pages += 1
      novels[0].pages -= 1
    }
    #expect(commits.count == 2)
    for token in [token, observer] { token.cancel() }
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
    // A member is modified by its own fields, and by what its condition reads elsewhere: by nothing else.
    let (read, unread) = (Author(), Author())
    read.name = "a"
    (novels[0].author, novels[1].author) = (read, unread)
    let picky = store.results(Novel.self).where { $0.number == 1 || $0.author?.name != "" }
    var modified: [[Int]] = []
    let observer = picky.observe { change in
      modified.append(change.modifications.map { $0.new })
    }
    read.name = "b"
    unread.name = "c"
    novels[1].pages += 1
    #expect(modified == [[0], [1]] && picky.count == 2)
    observer.cancel()
  }

  @Test func `offsets mean what was on screen`() throws {
    let clock = FrameClock.manual
    let app = try TestHost(store, clock: clock) { Shelf() }
    // Another write puts a row before the one that is on screen as the first.
    novels[2].title = "Aardvark"
    try app.tap("remove")
    #expect(novels[0].isDeleted && !novels[2].isDeleted)
    clock.tick()
    // What was on screen and is gone meanwhile takes nobody else with it.
    try store.delete(novels[2])
    try app.tap("remove")
    #expect(!novels[1].isDeleted && store.results(Novel.self).count == 1)
  }

  @Test func `order`() throws {
    struct Inner: View {
      @ObservedObject var novel: Novel
      let log: (String) -> Void

      var body: Element {
        let _ = log("inner")
        Text("\(novel.pages)")
      }
    }
    struct Outer: View {
      @ObservedObject var novel: Novel
      let log: (String) -> Void

      var body: Element {
        let _ = log("outer")
        Text("\(novel.pages)")
        Inner(novel: novel, log: log)
      }
    }
    var log: [String] = []
    let commits = store.commits.sink { _ in log.append("commits") }
    let app = try TestHost(store) { Outer(novel: novels[0]) { log.append($0) } }
    let results = store.results(Novel.self).where { $0.pages > 0 }
    let line = NovelLine.shared(for: novels[0])
    let observers: [any Cancellable] = [
      results.observe { _ in log.append("result") },
      reader.observe(computing: { $0.shelf.map(\.pages) }) { _, _ in log.append("list") },
      novels[0].observe { _ in log.append("object") },
      line.observe(\.title) { _, _ in log.append("projection") },
      novels[0].observe(\.pages) { _, _ in log.append("path") },
    ]
    var inner: Effect?
    let first = Effect {
      log.append("effect 1 \(novels[0].pages)")
      if inner == nil { inner = Effect { log.append("effect 1.1 \(novels[0].pages)") } }
    }
    let second = Effect { log.append("effect 2 \(novels[0].pages)") }
    store.beforeCommit { _ in log.append("hook") }
    log = []
    try store.write {
      novels[0].pages = 3
      novels[0].title = "x"
      log.append("written")
    }
    #expect(Array(log.prefix(3)) == ["written", "hook", "effect 1 3"])
    let effects = log.filter { $0.hasPrefix("effect") }
    #expect(effects.first == "effect 1 3" && effects.contains("effect 2 3"))
    #expect(
      Array(log.dropFirst(2 + effects.count)) == [
        "result", "list", "object", "projection", "path", "outer", "inner", "commits",
      ])
    #expect(app.text == "3\n3")
    for token in observers + [commits, first, second] { token.cancel() }
    inner?.cancel()
  }

  @Test func `order: a write in an observer is a later commit, and others see one change`() throws {
    var (commits, seen): ([ChangeSet], [String]) = ([], [])
    let token = store.commits.sink { commits.append($0) }
    let tokens = [
      novels[0].observe(\.pages) { old, new in
        seen.append("first \(old) \(new)")
        if new < 103 { novels[0].pages = 103 }
        // It has landed.
        #expect(novels[0].pages == 103 && store.results(Novel.self).contains { $0.pages == 103 })
      },
      novels[0].observe(\.pages) { old, new in seen.append("second \(old) \(new)") },
    ]
    novels[0].pages = 101
    #expect(seen == ["first 100 101", "first 101 103", "second 100 103"])
    #expect(commits.map { $0.changes[0]["pages"]?.old as? Int } == [100, 101])
    #expect(commits.map { $0.changes[0]["pages"]?.new as? Int } == [101, 103])
    for token in tokens + [token] { token.cancel() }
  }

  @Test func `order: an endless chain stops with an error that names who took part`() throws {
    let tokens = [
      novels[0].observe(\.pages) { _, new in novels[1].pages = new + 1 },
      novels[1].observe(\.pages) { _, new in novels[0].pages = new + 1 },
    ]
    let error = #expect(throws: EndlessChainError.self) { try store.write { novels[0].pages = 1 } }
    let participants = try #require(error?.participants)
    #expect(participants.count == 2 && participants.allSatisfy { $0.contains("Novel") })
    #expect(store.brokenInvariants() == [])
    for token in tokens { token.cancel() }
    novels[0].pages = 5
    #expect(novels[0].pages == 5)
  }

  @Test func `misuse speaks`() throws {
    let other = Store()
    #expect(throws: StoreError.self) { try other.add(novels[0]) }
    let twin = Novel()
    let error = #expect(throws: StoreError.self) { try store.add(twin) }
    #expect("\(try #require(error))".contains("Novel(number: 0).number"))
    #expect(twin.store == nil)
    try store.delete(novels[1])
    let refused = #expect(throws: StoreError.self) {
      try store.write {
        reader.shelf.removeAll()
        reader.favorite = novels[1]
      }
    }
    #expect("\(try #require(refused))".contains("Reader.favorite"))
    #expect(reader.shelf.count == 2)
    #expect(
      refused == .deletedObject(.init(reader, property: "favorite"), target: .init(novels[1])))
    #expect(error == .duplicateKey(.init(twin, property: "number"), key: "0"))
  }

  @Test func `misuse speaks: what can't be an error value traps by name, in release too`() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let store = Store()
      _ = store.object(Reader.self, primaryKey: 1)
    }
    expectError(result, "Reader has no primary key")
    let rows = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      _ = Store().results(Reader.self)[3]
    }
    expectError(rows, "index 3 is outside of the results of Reader, of which there are 0")
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

  @Test func `no leaks: what is released has registered nothing any more`() throws {
    // The store and its objects stay; what watched them goes, with all that its closures hold.
    var released: [String] = []
    weak var weakApp: TestHost?
    weak var weakLine: NovelLine?
    do {
      let made = ["view", "effect", "condition", "result", "path", "commits", "computed"]
      let lives = made.map { name in Lifetime { released.append(name) } }
      let app = try TestHost(store) {
        let _ = lives[0].use()
        Shelf()
      }
      let computed = Computed {
        lives[6].use()
        return novels[0].pages
      }
      let results = store.results(Novel.self).where {
        lives[2].use()
        return $0.pages > 1
      }
      let line = NovelLine.shared(for: novels[0])
      let tokens: [any Cancellable] = [
        Effect {
          lives[1].use()
          _ = (results.count, computed.value, line.title)
        },
        results.observe { _ in lives[3].use() },
        novels[0].observe(\.title) { _, _ in lives[4].use() },
        store.commits.sink { _ in lives[5].use() },
      ]
      novels[0].title = "x"
      (weakApp, weakLine) = (app, line)
      #expect(released.isEmpty && app.bodies > 0)
      withExtendedLifetime(tokens) {}
    }
    #expect(weakApp == nil && weakLine == nil)
    #expect(
      Set(released)
        == ["view", "effect", "condition", "result", "path", "commits", "computed"])
    #expect(store.results(Novel.self).count == 3)
    novels[0].title = "y"
    // Only the store keeps an object that nobody uses, and only while it is stored.
    weak var stored: Author?
    try store.write(undoable: false) {
      novels[0].author = Author()
      stored = novels[0].author
    }
    #expect(stored != nil)
    try store.write(undoable: false) { try stored.map { try store.delete($0) } }
    #expect(stored == nil)
  }
}
