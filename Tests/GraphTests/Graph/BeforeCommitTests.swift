import Signals
import TestSupport
import Testing

/// What runs before each commit.
@Suite struct `Graph, before a commit` {
  let store = Store()
  let novel = makeNovel(1, "Emma", pages: 1)
  let refused: RefusalLog

  init() throws {
    refused = RefusalLog(store)
    try store.add(novel)
  }

  @Test func `a hook that throws refuses the whole write`() throws {
    store.beforeCommit { [novel] change in
      if change[novel]?.new(\.pages) ?? 0 > 1000 { throw Refusal(reason: "too long") }
    }
    var runs = 0
    let effect = Effect {
      _ = self.novel.pages; runs += 1
    }
    #expect(throws: Refusal(reason: "too long")) {
      try store.write {
        novel.name = "x"
        novel.pages = 2000
      }
    }
    #expect(novel.pages == 1 && novel.name == "Emma" && runs == 1)
    novel.pages = 1001
    #expect(novel.pages == 1)
    #expect(throws: Refusal.self) { try store.write { novel.pages = 5000 } }
    novel.pages = 1000
    #expect(novel.pages == 1000)
    withExtendedLifetime(effect) {}
  }

  @Test func `a hook may write, sees what it wrote, and all of it is one commit`() throws {
    var (calls, commits) = ([String](), [String]())
    store.beforeCommit { [novel] change in
      calls.append(change[novel.objectID]?.properties.map(\.name).joined(separator: " ") ?? "")
      novel.name = novel.name.uppercased()
      if novel.name.isEmpty { throw Refusal() }
    }
    let token = store.commits.sink {
      commits.append($0.changes[0].properties.map(\.name).joined(separator: " "))
    }
    try store.write { novel.pages = 2 }
    #expect(calls == ["pages"] && commits == ["name pages"])
    try store.write { novel.name = "persuasion" }
    #expect(novel.name == "PERSUASION" && calls == ["pages", "name"])
    withExtendedLifetime(token) {}
  }

  @Test func `a write that comes to nothing asks no hook`() throws {
    var calls = 0
    store.beforeCommit { _ in calls += 1 }
    try store.write {
      novel.pages = 2
      novel.pages = 1
    }
    try store.write {}
    #expect(calls == 0)
  }

  @Test func `hooks that write because of each other are stopped by name`() throws {
    store.beforeCommit(line: 1) { [novel] _ in novel.pages += 1 }
    store.beforeCommit(line: 2) { [novel] _ in novel.name += "!" }
    let error = #expect(throws: EndlessChainError.self) { try store.write { novel.name = "x" } }
    #expect(
      error?.participants == [
        "beforeCommit at GraphTests/BeforeCommitTests.swift:1",
        "beforeCommit at GraphTests/BeforeCommitTests.swift:2",
      ])
    #expect(novel.pages == 1 && novel.name == "Emma")
  }

  @Test func `a hook that stamps each changed object is called once`() throws {
    var stamps = 0
    store.beforeCommit { changes in
      for change in changes.changes(of: Novel.self) {
        stamps += 1
        change.object?.pages = stamps + 100
      }
    }
    novel.name = "x"
    #expect(novel.pages == 101)
    try store.write {
      novel.name = "y"
      try store.add(makeNovel(2))
    }
    #expect(novel.pages == 102 && stamps == 3)
  }

  @Test func `a hook gets what is new since its last call`() throws {
    var calls: [String] = []
    func describe(_ changes: ChangeSet) -> String {
      changes.changes.flatMap(\.properties).map {
        "\($0.name) \($0.old.map { "\($0)" } ?? "-")>\($0.new.map { "\($0)" } ?? "-")"
      }.joined(separator: ", ")
    }
    store.beforeCommit { [novel] changes in
      calls.append("first: \(describe(changes))")
      if novel.pages < 5 { novel.pages += 2 }
    }
    store.beforeCommit { [novel] changes in
      calls.append("second: \(describe(changes))")
      novel.pages *= 2
      novel.pages /= novel.pages > 20 ? 2 : 1
    }
    try store.write { novel.pages = 2 }
    #expect(
      calls == [
        "first: pages 1>2", "second: pages 1>4", "first: pages 4>8",
      ])
    #expect(novel.pages == 8)
  }

  @Test func `an object that a hook adds is new to the others only`() throws {
    var seen: [String] = []
    store.beforeCommit { [unowned store] changes in
      seen.append("first \(changes.inserted.count)")
      if let change = changes.modified.first {
        try store.add(makeNovel(change.properties.count + 10))
      }
    }
    store.beforeCommit { changes in seen.append("second \(changes.inserted.count)") }
    novel.name = "x"
    #expect(seen == ["first 0", "second 1"])
    #expect(store.object(Novel.self, primaryKey: 11) != nil)
  }

  @Test func `an effect's writes are refused by the hook, and reported`() throws {
    var reported: [any Error] = []
    store.onRefusal = { reported.append($0) }
    store.beforeCommit { _ in throw Refusal() }
    let effect = Effect { self.novel.pages = 5 }
    #expect(novel.pages == 1 && reported.count == 1)
    withExtendedLifetime(effect) {}
  }

  @Test func `several hooks are called in order, and the others again if one writes`() throws {
    var calls: [String] = []
    let first = store.beforeCommit { [novel] change in
      calls.append("first \(change[novel]?.new(\.pages) ?? 0)")
      if novel.pages > 9 { throw Refusal(reason: "too long") }
    }
    let second = store.beforeCommit { [novel] _ in
      calls.append("second")
      if novel.pages == 2 { novel.pages = 3 }
    }
    try store.write { novel.pages = 2 }
    #expect(calls == ["first 2", "second", "first 3"])
    #expect(throws: Refusal(reason: "too long")) { try store.write { novel.pages = 10 } }
    #expect(calls.suffix(1) == ["first 10"] && novel.pages == 3)
    first.cancel()
    first.cancel()
    try store.write { novel.pages = 10 }
    #expect(calls.suffix(2) == ["first 10", "second"] && novel.pages == 10)
    second.cancel()
    novel.pages = 2
    #expect(novel.pages == 2)
  }

  @Test func `a hook that restores the value and cancels itself leaves no step`() {
    let steps = store.history.undoCount
    var rule: (any Cancellable)?
    rule = store.beforeCommit { [novel] _ in
      novel.pages = 1
      rule?.cancel()
    }
    novel.pages = 2
    #expect(novel.pages == 1)
    #expect(store.history.undoCount == steps)
  }

  @Test func `a hook outlives its registration, and ends with the store`() throws {
    weak var rule: AnyObject?
    do {
      let store = Store()
      let novel = makeNovel(2)
      try store.add(novel)
      rule = store.beforeCommit { _ in throw Refusal() }
      #expect(throws: Refusal.self) { try store.write { novel.pages = 7 } }
    }
    #expect(rule == nil)
  }
}
