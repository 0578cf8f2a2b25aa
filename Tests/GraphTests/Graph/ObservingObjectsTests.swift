import Signals
import TestSupport
import Testing

/// Observers of objects and of what is read from them.
@Suite struct `Observing objects` {
  let store = Store()
  let novel = makeNovel(1, "Emma", pages: 400)
  let ada = makePerson(1, city: "London", phones: ["1", "2"])

  init() throws { try store.add([novel, ada] as [Object]) }

  private func describe<Root>(_ change: TypedChange<Root>) -> String {
    let properties = change.properties.map { property in
      let sides = [property.old, property.new].map { side in side.map { "\($0)" } ?? "-" }
      return "\(property.name) \(sides[0])>\(sides[1])"
    }
    return (["\(change.kind)"] + properties).joined(separator: " ")
  }

  @Test func `an object's observer gets the properties that changed, old and new, once a commit`()
    throws
  {
    var seen: [String] = []
    let token = novel.observe { seen.append(self.describe($0)) }
    novel.pages = 401
    try store.write {
      novel.pages = 1
      novel.name = "x"
      novel.pages = 402
    }
    try store.add(makeNovel(2))
    #expect(seen == ["modified pages 400>401", "modified name Emma>x pages 401>402"])
    token.cancel()
  }

  @Test func `links and lists are told as properties, and not what becomes of their targets`()
    throws
  {
    var changes: [TypedChange<Person>] = []
    let token = ada.observe { changes.append($0) }
    let (home, phone) = (try #require(ada.home), ada.phones[0])
    home.city = "Paris"
    #expect(changes.isEmpty)
    ada.home = nil
    ada.phones.remove(at: 0)
    #expect(changes.map { $0.properties.map(\.name) } == [["home"], ["phones"]])
    #expect(changes[0].old(\.home) == home.objectID && changes[0].new(\.home) == nil)
    #expect(changes[1].old(\.phones)?.first == phone.objectID)
    token.cancel()
  }

  @Test func `what is written back, thrown back or equal is not told`() throws {
    var calls = 0
    let tokens: [any Cancellable] = [
      novel.observe { _ in calls += 1 }, novel.observe(\.pages) { _, _ in calls += 1 },
      novel.observe(\.label) { _, _ in calls += 1 },
    ]
    try store.write {
      novel.pages = 1
      #expect(novel.label == "Emma (1)")
      novel.pages = 400
    }
    try? store.write {
      novel.name = "x"
      throw Refusal()
    }
    novel.pages = 400
    try store.write {
      try store.delete(novel)
      try store.add(novel)
    }
    #expect(calls == 0)
    withExtendedLifetime(tokens) {}
  }

  @Test func `a deletion is told once, with the last values, and a return as an insertion`() throws
  {
    var seen: [TypedChange<Novel>] = []
    let token = novel.observe { seen.append($0) }
    try store.write {
      novel.pages = 7
      try store.delete(novel)
    }
    #expect(seen.map(\.kind) == [.deleted] && seen[0].old(\.pages) == 400)
    #expect(seen[0].new(\.pages) == nil && seen[0].id == novel.objectID)
    try store.delete(novel)
    #expect(seen.count == 1)
    try store.undo()
    #expect(seen.map(\.kind) == [.deleted, .inserted] && seen[1].new(\.pages) == 400)
    token.cancel()
  }

  @Test func `the death of an owner is told to the observers of what it embeds`() throws {
    var kinds: [ObjectChange.Kind] = []
    let home = try #require(ada.home)
    let tokens = [
      home.observe { kinds.append($0.kind) }, home.geo?.observe { kinds.append($0.kind) },
    ]
    try store.delete(ada)
    #expect(kinds == [.deleted, .deleted])
    withExtendedLifetime(tokens) {}
  }

  @Test func `a path through a link follows the link and its target, and nothing else`() throws {
    var seen: [String] = []
    let token = novel.observe(\.author?.name) { old, new in
      seen.append("\(old ?? "-")>\(new ?? "-")")
    }
    let (jane, anna) = (Writer(), Writer())
    (jane.name, anna.name) = ("Jane", "Jane")
    novel.author = jane
    novel.author = anna
    jane.name = "nobody"
    novel.pages = 3
    anna.name = "Anna"
    try store.delete(anna)
    #expect(seen == ["->Jane", "Jane>Anna", "Anna>-"])
    token.cancel()
  }

  @Test func `paths through lists, inverses and computed properties are followed`() throws {
    var seen: [String] = []
    let shelf = makeShelf("s", [novel])
    try store.add(shelf)
    let tokens: [any Cancellable] = [
      ada.observe(\.phones.count) { seen.append("count \($0)>\($1)") },
      ada.observe(\.phones.first?.number) { seen.append("first \($0 ?? "-")>\($1 ?? "-")") },
      ada.observe(computing: { $0.phones.map(\.number) }) { seen.append("all \($1)") },
      novel.observe(\.shelves.count) { seen.append("shelves \($0)>\($1)") },
      novel.observe(\.label) { seen.append("label \($1)") },
    ]
    ada.phones[1].number = "3"
    ada.phones.remove(at: 0)
    shelf.novels = []
    novel.pages = 1
    ada.phones = []
    #expect(
      seen == [
        "all [\"1\", \"3\"]", "count 2>1", "first 1>3", "all [\"3\"]", "shelves 1>0",
        "label Emma (1)", "count 1>0", "first 3>-", "all []",
      ])
    withExtendedLifetime(tokens) {}
  }

  @Test func `many observers of one object get each its own events and no other's`() {
    var events: [String: Int] = [:]
    let paths: [(String, any Cancellable)] = [
      ("name", novel.observe(\.name) { _, _ in events["name", default: 0] += 1 }),
      ("pages", novel.observe(\.pages) { _, _ in events["pages", default: 0] += 1 }),
      ("price", novel.observe(\.price) { _, _ in events["price", default: 0] += 1 }),
      ("tags", novel.observe(\.tags) { _, _ in events["tags", default: 0] += 1 }),
      ("width", novel.observe(\.size.width) { _, _ in events["width", default: 0] += 1 }),
    ]
    novel.pages = 1
    novel.pages = 2
    novel.price = 3
    novel.size.height = 99
    novel.size.width = 5
    #expect(events == ["pages": 2, "price": 1, "width": 1])
    withExtendedLifetime(paths) {}
  }

  @Test func `an initial event comes at once, or at the end of the transaction under way`() throws {
    var seen: [String] = []
    let first = novel.observe(\.pages, initial: true) { seen.append("\($0)>\($1)") }
    #expect(seen == ["400>400"])
    var second: (any Cancellable)?
    try store.write {
      novel.pages = 5
      second = novel.observe(\.pages, initial: true) { seen.append("second \($0)>\($1)") }
      novel.pages = 6
      #expect(seen.count == 1)
    }
    #expect(seen == ["400>400", "400>6", "second 6>6"])
    novel.pages = 7
    #expect(seen.suffix(2) == ["6>7", "second 6>7"])
    withExtendedLifetime((first, second)) {}
  }

  @Test func `observers come after effects, in their order, and one that writes makes one commit`()
    throws
  {
    var log: [String] = []
    var commits = 0
    let sink = store.commits.sink { _ in
      commits += 1
      log.append("commit")
    }
    let first = novel.observe(\.pages) { old, new in
      log.append("first \(old)>\(new)")
      guard new < 100 else { return }
      self.novel.pages = 100
      self.novel.name = "written"
    }
    let second = novel.observe { log.append("second \(self.describe($0))") }
    let effect = Effect { log.append("effect \(self.novel.pages)") }
    log = []
    novel.pages = 5
    #expect(
      log == [
        "effect 5", "first 400>5", "effect 100", "first 5>100",
        "second modified name Emma>written pages 400>100", "commit", "commit",
      ])
    withExtendedLifetime((first, second, effect, sink)) {}
  }

  @Test func `nothing comes after a token was cancelled or released, not even what was due`() {
    var calls: [String] = []
    var second: (any Cancellable)?
    var third: (any Cancellable)?
    let first = novel.observe(\.pages) { _, _ in
      calls.append("first")
      second?.cancel()
      third = nil
    }
    second = novel.observe(\.pages) { _, _ in calls.append("second") }
    third = novel.observe { _ in calls.append("third") }
    novel.pages = 2
    first.cancel()
    first.cancel()
    novel.pages = 3
    #expect(calls == ["first"])
    _ = third
  }

  @Test func `a token may end itself in its own callback`() {
    var calls = 0
    var token: (any Cancellable)?
    token = novel.observe(\.pages) { _, _ in
      calls += 1
      token = nil
    }
    novel.pages = 1
    novel.pages = 2
    #expect(calls == 1 && token == nil)
  }

  @Test func `an observer keeps neither object nor store, and its token frees the closure`() throws
  {
    weak var object: Novel?
    weak var owner: Store?
    var freed = false
    var tokens: [any Cancellable] = []
    do {
      let (store, novel) = (Store(), makeNovel(1))
      (object, owner) = (novel, store)
      try store.add(novel)
      let captured = Lifetime { freed = true }
      tokens.append(novel.observe { _ in captured.use() })
      tokens.append(novel.observe(\.author?.name) { _, _ in captured.use() })
    }
    #expect(object == nil && owner == nil && !freed)
    tokens = []
    #expect(freed)
  }

  @Test func `an unstored object is observed too, and still is when it is added`() throws {
    let page = Page()
    var seen: [String] = []
    let tokens: [any Cancellable] = [
      page.observe { seen.append(self.describe($0)) },
      page.observe(\.number) { seen.append("\($0)>\($1)") },
    ]
    page.number = 1
    try store.add(page)
    page.number = 2
    #expect(
      seen == [
        "modified number 0>1", "0>1", "inserted number ->1 text ->", "modified number 1>2", "1>2",
      ])
    withExtendedLifetime(tokens) {}
  }

  @Test func `a signal that the closure reads is followed`() {
    let limit = Signal(300)
    var seen: [Bool] = []
    let token = novel.observe(computing: { $0.pages > limit.value }) { seen.append($1) }
    limit.value = 399
    limit.value = 500
    #expect(seen == [false])
    token.cancel()
  }

  @Test func `a refused write in an observer is undone as a whole and reported`() throws {
    let refused = RefusalLog(store)
    let gone = Writer()
    try store.add(gone)
    try store.delete(gone)
    let token = novel.observe(\.pages) { _, _ in
      self.novel.name = "x"
      self.novel.author = gone
    }
    novel.pages = 1
    #expect(novel.name == "Emma" && novel.pages == 1 && refused.errors.count == 1)
    token.cancel()
  }

  @Test func `a closure that writes traps by name`() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let store = Store()
      let page = try store.add(Page())
      _ = page.observe(
        computing: { page in
          page.number += 1
          return page.number
        }, { _, _ in })
      withExtendedLifetime(store) {}
    }
    expectError(result, "Signals: an observer of a value of Page #")
  }

  @Test func `observers that keep waking each other are stopped with their names`() throws {
    let token = novel.observe(\.pages) { _, new in self.novel.pages = new + 1 }
    let error = #expect(throws: EndlessChainError.self) {
      try store.write { novel.pages = 1 }
    }
    #expect(error?.participants == ["an observer of a value of Novel \(novel.objectID)"])
    token.cancel()
  }
}
