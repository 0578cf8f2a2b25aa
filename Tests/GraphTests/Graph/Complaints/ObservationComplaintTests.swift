import Signals
import SignalsTesting
import TestSupport
import Testing

/// What was complained of about being told.
extension `What Realm's users complained of` {
  // MARK: - Too much

  @Test func `a write costs what it changes: other rows are not tested, and equal keys not sorted`()
    throws
  {
    try store.write { try store.add((10..<2000).map { makeNovel($0, pages: $0) }) }
    var tests = 0
    let long = store.results(Novel.self).where {
      tests += 1
      return $0.pages > 300
    }.sorted(by: \.name)
    let token = long.observe { _ in }
    tests = 0
    emma.pages = 401
    ada.name = "unrelated"
    #expect(tests <= 2)
    emma.genre = .poetry
    #expect(tests <= 2)
    withExtendedLifetime(token) {}
  }

  @Test func `a screen is evaluated for what it read, and never for being shown`() throws {
    let app = try TestHost(store) { ShelfScreen(shelf: shelf) }
    let bodies = app.bodies
    emma.pages = 1
    shelf.best = emma
    ada.name = "x"
    #expect(app.bodies == bodies && app.frames == 1)
    emma.name = "E"
    #expect(app.bodies == bodies + 1)
  }

  @Test func `nothing is told for having registered, unless asked`() throws {
    var calls: [String] = []
    let tokens: [any Cancellable] = [
      emma.observe { _ in calls.append("object") },
      emma.observe(\.pages) { _, _ in calls.append("path") },
      store.results(Novel.self).observe { _ in calls.append("results") },
      store.commits.sink { _ in calls.append("commits") },
      emma.observe(\.pages, initial: true) { _, _ in calls.append("initial") },
    ]
    #expect(calls == ["initial"])
    tokens.forEach { $0.cancel() }
  }

  @Test func `an equal value is no change, nor is one that is back at the end`() throws {
    var calls = 0
    let author = Writer()
    emma.author = author
    let tokens: [any Cancellable] = [
      emma.observe { _ in calls += 1 }, store.commits.sink { _ in calls += 1 },
      store.results(Novel.self).observe { _ in calls += 1 },
    ]
    emma.name = "Emma"
    emma.author = author
    shelf.novels = [emma, persuasion]
    try store.write {
      emma.pages = 1
      emma.pages = 400
    }
    try store.write {}
    #expect(calls == 0)
    tokens.forEach { $0.cancel() }
  }

  @Test func `observers never share their filters`() throws {
    var (pages, names, all) = (0, 0, 0)
    let tokens: [any Cancellable] = [
      emma.observe(\.pages) { _, _ in pages += 1 }, emma.observe(\.name) { _, _ in names += 1 },
      emma.observe { _ in all += 1 },
    ]
    emma.pages = 1
    #expect((pages, names, all) == (1, 0, 1))
    emma.genre = .poetry
    #expect((pages, names, all) == (1, 0, 2))
    tokens[2].cancel()
    emma.name = "x"
    #expect((pages, names, all) == (1, 1, 2))
    tokens.forEach { $0.cancel() }
  }

  @Test func `an observer can skip the commits of an origin, its own for one`() throws {
    var seen: [String] = []
    let tokens: [any Cancellable] = [
      emma.observe(\.pages, skipping: ["mine"]) { seen.append("\($0)>\($1)") },
      emma.observe(skipping: ["mine", .undo]) { seen.append("\($0.old(\.pages) ?? -1)") },
      store.commits.filter { $0.origin != "mine" }.sink { _ in seen.append("commit") },
    ]
    try store.write(origin: "mine") { emma.pages = 1 }
    #expect(seen == [])
    try store.write(origin: "yours") { emma.pages = 2 }
    #expect(seen == ["1>2", "1", "commit"])
    seen = []
    try store.undo()
    #expect(seen == ["2>1", "commit"])
    emma.pages = 3
    #expect(seen == ["2>1", "commit", "1>3", "1", "commit"])
    tokens.forEach { $0.cancel() }
  }

  // MARK: - Too little

  @Test func `what is embedded or linked is observed along the path, at any depth`() throws {
    var seen: [String] = []
    let tokens: [any Cancellable] = [
      ada.observe(\.home?.geo?.latitude) { seen.append("\($0 ?? -1)>\($1 ?? -1)") },
      ada.observe(computing: { $0.phones.map(\.number).joined(separator: ",") }) {
        seen.append("\($0)>\($1)")
      },
      shelf.observe(\.best?.author?.name) { seen.append("\($0 ?? "-")>\($1 ?? "-")") },
    ]
    ada.home?.geo?.latitude = 1
    ada.phones[1].number = "9"
    ada.phones.append(makePhone("7"))
    ada.home = nil
    #expect(seen == ["0.0>1.0", "1,2>1,9", "1,9>1,9,7", "1.0>-1.0"])
    seen = []
    let author = Writer()
    author.name = "Jane"
    try store.write {
      shelf.best = emma
      emma.author = author
    }
    author.name = "Austen"
    emma.pages = 3
    shelf.best = persuasion
    author.name = "nobody looks"
    #expect(seen == ["->Jane", "Jane>Austen", "Austen>-"])
    tokens.forEach { $0.cancel() }
  }

  @Test func `a list's path reports what it names alone: members, or a property of members`()
    throws
  {
    var (members, names) = (0, 0)
    let tokens: [any Cancellable] = [
      shelf.observe(\.novels) { _, _ in members += 1 },
      shelf.observe(computing: { $0.novels.map(\.name) }) { _, _ in names += 1 },
    ]
    emma.name = "E"
    #expect((members, names) == (0, 1))
    emma.pages = 1
    #expect((members, names) == (0, 1))
    shelf.novels.append(makeNovel(3, "new"))
    try store.delete(persuasion)
    shelf.novels = []
    #expect((members, names) == (3, 4))
    tokens.forEach { $0.cancel() }
  }

  @Test func `back-links are live, and observed with what lies behind them`() throws {
    var seen: [[String]] = []
    let token = emma.observe(computing: { $0.shelves.map(\.place) + $0.bestOf.map(\.place) }) {
      seen.append($1)
    }
    shelf.best = emma
    let second = makeShelf("t", [emma, emma])
    try store.add(second)
    try store.delete(shelf)
    second.novels = []
    #expect(seen == [["s", "s"], ["s", "t", "s"], ["t"], []])
    token.cancel()
  }

  @Test func `a change has the old and the new value, on the thread that made it too`() throws {
    var change: TypedChange<Novel>?
    let token = emma.observe { change = $0 }
    let author = Writer()
    try store.write {
      emma.price = 2.5
      emma.author = author
      emma.tags = ["a"]
    }
    #expect(change?.old(\.price) == .some(nil) && change?.new(\.price) == .some(2.5))
    #expect(change?.old(\.author) == nil && change?.new(\.author) == author.objectID)
    #expect(change?.old(\.tags) == [] && change?.new(\.tags) == ["a"])
    emma.price = nil
    #expect(change?.old(\.price) == .some(2.5) && change?.new(\.price) == .some(nil))
    token.cancel()
  }

  @Test func `an unstored object is observed, and still is when it is stored`() throws {
    let loose = makeNovel(8)
    var seen: [String] = []
    let token = loose.observe(\.pages) { seen.append("\($0)>\($1)") }
    loose.pages = 1
    try store.add(loose)
    #expect(seen == ["0>1"], "to be stored changes no value")
    loose.pages = 2
    token.cancel()
    loose.pages = 3
    #expect(seen == ["0>1", "1>2"])
  }

  // MARK: - Results

  @Test
  func
    `rows are sorted and kept by whatever is computed, and a property of two is followed by both`()
    throws
  {
    let long = store.results(Novel.self).where { $0.label.contains("(4") }
      .sorted(by: \.label, order: .descending)
    #expect(Array(long) == [emma])
    persuasion.pages = 410
    #expect(Array(long) == [persuasion, emma])
    emma.name = "Zoe"
    #expect(Array(long) == [emma, persuasion])
  }

  @Test func `queries compose, take parameters, and sort by several keys`() throws {
    func novels(longerThan pages: Int) -> Results<Novel> {
      store.results(Novel.self).where { $0.pages > pages }
    }
    try store.add(makeNovel(3, "Emma", pages: 300))
    let sorted = novels(longerThan: 200).where { $0.name != "x" }.sorted(by: \.pages)
      .sorted(by: \.name)
    #expect(sorted.map(\.key) == [3, 1, 2] && novels(longerThan: 300).count == 1)
  }

  @Test func `a change tells moves, and modifications in the old and the new positions`() throws {
    try store.add(makeNovel(3, "Northanger", pages: 300))
    let sorted = store.results(Novel.self).sorted(by: \.pages)
    var change: CollectionChange<Novel>?
    let token = sorted.observe { change = $0 }
    persuasion.pages = 500
    #expect(change?.moves.map(\.description) == ["0->2"])
    #expect(change?.modifications.map(\.description) == ["0->2"])
    #expect(change?.insertions == [] && change?.deletions == [])
    token.cancel()
  }

  @Test func `a model that is no view observes as views do`() throws {
    final class Shown {
      let titles: Computed<[String]>
      init(_ store: Store) {
        let novels = store.results(Novel.self).sorted(by: \.name)
        titles = Computed { novels.map(\.name) }
      }
    }
    let model = Shown(store)
    var seen: [[String]] = []
    let effect = Effect { seen.append(model.titles.value) }
    emma.name = "Zoe"
    emma.pages = 1
    #expect(seen == [["Emma", "Persuasion"], ["Persuasion", "Zoe"]])
    effect.cancel()
  }
}
