import Signals
import TestSupport
import Testing

/// Observers that write, delete, cancel and add while others wait for their turn.
@Suite struct `Observers that meddle` {
  let store = Store()
  let novel = makeNovel(1, "Emma", pages: 400)

  init() throws { try store.add(novel) }

  @Test func `an observer that deletes its object: the next see one exact change`() throws {
    var kinds: [ObjectChange.Kind] = []
    var pages: [Int?] = []
    let first = novel.observe { [store, novel] change in
      if change.kind == .modified { try? store.delete(novel) }
    }
    let second = novel.observe {
      kinds.append($0.kind)
      pages.append($0.old(\.pages))
    }
    novel.pages = 1
    #expect(kinds == [.deleted] && pages == [400] && novel.isDeleted && novel.pages == 1)
    try store.undo()
    #expect(kinds == [.deleted, .inserted] && store.brokenInvariants() == [])
    withExtendedLifetime((first, second)) {}
  }

  @Test func `an observer that cancels another before its turn silences it`() {
    var calls = 0
    var second: (any Cancellable)?
    let first = novel.observe(\.pages) { _, _ in second?.cancel() }
    second = novel.observe(\.pages) { _, _ in calls += 1 }
    novel.pages = 1
    novel.pages = 2
    #expect(calls == 0)
    withExtendedLifetime((first, second)) {}
  }

  @Test func `an observer that is added by another begins with what comes next`() {
    var (seen, added) = ([String](), [any Cancellable]())
    let first = novel.observe(\.pages) { [novel] _, _ in
      if !added.isEmpty { return }
      added.append(novel.observe(\.pages) { seen.append("\($0)>\($1)") })
      added.append(novel.observe { seen.append("\($0.kind)") })
    }
    novel.pages = 1
    #expect(seen == [])
    novel.pages = 2
    #expect(seen == ["1>2", "modified"])
    withExtendedLifetime(first) {}
  }

  @Test func `an observer that is added in a write that is taken back is told nothing`() {
    var seen: [String] = []
    var tokens: [any Cancellable] = []
    try? store.write {
      novel.pages = 7
      tokens.append(novel.observe(\.pages) { seen.append("\($0)>\($1)") })
      tokens.append(novel.observe { seen.append("\($0.kind)") })
      throw Refusal()
    }
    #expect(seen == [])
    novel.pages = 8
    #expect(seen == ["400>8", "modified"])
  }

  @Test func `an observer that is added in a write is told what follows its registration`() throws {
    var seen: [String] = []
    var token: (any Cancellable)?
    try store.write {
      novel.pages = 7
      token = novel.observe(\.pages) { seen.append("\($0)>\($1)") }
      novel.pages = 8
    }
    #expect(seen == ["7>8"])
    withExtendedLifetime(token) {}
  }

  @Test func `an observer that skips an origin receives it with a commit that was due before`() {
    var seen: [String] = []
    let effect = Effect { [store, novel] in
      if novel.pages == 1 { try? store.write(origin: "mine") { novel.pages = 2 } }
    }
    let token = novel.observe(\.pages, skipping: ["mine"]) { seen.append("\($0)>\($1)") }
    novel.pages = 1
    #expect(seen == ["400>2"])
    try? store.write(origin: "mine") {
      novel.pages = 3
      throw Refusal()
    }
    novel.pages = 4
    #expect(seen == ["400>2", "2>4"])
    withExtendedLifetime((effect, token)) {}
  }

  @Test func `an observer that skips an origin sees nothing of what it comes and goes with`() throws
  {
    var (kinds, initial): ([ObjectChange.Kind], [Int]) = ([], [])
    let page = Page()
    var tokens: [any Cancellable] = [page.observe(skipping: ["sync"]) { kinds.append($0.kind) }]
    try store.write(origin: "sync") { try store.add(page) }
    try store.write(origin: "sync") {
      tokens.append(
        page.observe(\.number, initial: true, skipping: ["sync"]) { initial.append($1) })
      page.number = 1
    }
    #expect(initial == [1], "an initial event is asked for")
    try store.write(origin: "sync") { try store.delete(page) }
    #expect(kinds == [])
    try store.add(page)
    #expect(kinds == [.inserted])
    tokens.forEach { $0.cancel() }
  }

  @Test func `an observer that releases the object and its store ends quietly`() throws {
    weak var gone: Store?
    var calls = 0
    do {
      var (other, page): (Store?, Page?) = (Store(), Page())
      gone = other
      if let page { try other?.add(page) }
      let token = page?.observe(\.number) { _, _ in
        calls += 1
        (other, page) = (nil, nil)
      }
      page?.number = 1
      withExtendedLifetime(token) {}
    }
    #expect(calls == 1 && gone == nil)
  }

  @Test func `sinks of commits that write, cancel and add lose nothing`() throws {
    var seen: [String] = []
    var tokens: [any Cancellable] = []
    tokens.append(
      store.commits.sink { [novel] change in
        seen.append("a\(change[novel.objectID]?["pages"]?.new as? Int ?? -1)")
        if novel.pages < 3 { novel.pages += 1 }
        if tokens.count == 2 { tokens[1].cancel() }
        if tokens.count == 2 {
          tokens.append(
            store.commits.sink {
              seen.append("c\($0[novel.objectID]?["pages"]?.new as? Int ?? -1)")
            })
        }
      })
    tokens.append(store.commits.sink { _ in seen.append("b") })
    novel.pages = 1
    #expect(seen.filter { $0.hasPrefix("a") } == ["a1", "a2", "a3"])
    #expect(seen.filter { !$0.hasPrefix("a") } == ["c2", "c3"])
    tokens.forEach { $0.cancel() }
  }

  @Test func `an undo in an observer is a commit of its own`() throws {
    var seen: [String] = []
    let first = novel.observe(\.pages) { [store] _, new in
      if new > 1000 { _ = try? store.undo() }
    }
    let second = novel.observe(\.pages) { seen.append("\($0)>\($1)") }
    novel.pages = 2000
    #expect(novel.pages == 400 && seen == [])
    novel.pages = 5
    #expect(seen == ["400>5"] && store.brokenInvariants() == [])
    withExtendedLifetime((first, second)) {}
  }

  @Test func `deletions while a result is walked do not disturb the walk`() throws {
    try store.add((2..<10).map { makeNovel($0) })
    let results = store.results(Novel.self).where { $0.key > 2 }
    var keys: [Int] = []
    for one in results {
      keys.append(one.key)
      try store.delete(one)
    }
    #expect(keys == Array(3..<10) && results.isEmpty)
  }
}
