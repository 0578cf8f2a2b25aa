import Signals
import TestSupport
import Testing

/// The promises of the design, as they hold for projections.
@Suite struct `Projections, promises` {
  private let all: (store: Store, shelf: Shelf, novels: [Novel], writers: [Writer])

  init() throws { all = try library() }

  @Test func `no tearing: an observer never sees half a transaction`() throws {
    let (store, _, novels, writers) = all
    let loan = Loan.shared(for: .init(novel: novels[0], reader: writers[0]))
    var seen: [String] = []
    let effect = Effect { seen.append("\(loan.name) \(loan.reader ?? "-")") }
    try store.write {
      novels[0].name = "a"
      #expect(loan.name == "a")
      writers[0].name = "b"
    }
    #expect(seen == ["Emma Austen", "a b"])
    effect.cancel()
  }

  @Test func `once: one commit evaluates who read several properties at most once`() throws {
    let (store, _, novels, writers) = all
    let row = NovelRow.shared(for: novels[0])
    var runs = 0
    let effect = Effect {
      _ = (row.name, row.author, row.label, row.writer?.name)
      runs += 1
    }
    try store.write {
      novels[0].name = "a"
      writers[0].name = "b"
    }
    try store.write {
      novels[0].name = "x"
      novels[0].name = "a"
    }
    #expect(runs == 2)
    effect.cancel()
  }

  @Test func `all or nothing: a throwing transaction tells no observer`() throws {
    let (store, _, novels, _) = all
    let row = NovelRow.shared(for: novels[0])
    var calls = 0
    let tokens: [any Cancellable] = [
      row.observe { _ in calls += 1 }, row.observe(\.name) { _, _ in calls += 1 },
    ]
    try? store.write {
      row.name = "x"
      try store.delete(novels[0])
      throw Refusal()
    }
    #expect(calls == 0 && row.name == "Emma" && !row.isDeleted)
    withExtendedLifetime(tokens) {}
  }

  @Test func `a refused write through a projection is undone`() throws {
    let (store, _, novels, _) = all
    let row = NovelRow.shared(for: novels[0])
    struct Empty: Error {}
    var refused = 0
    store.onRefusal = { _ in refused += 1 }
    let rule = store.beforeCommit { [unowned novel = novels[0]] _ in
      if novel.name.isEmpty { throw Empty() }
    }
    row.name = ""
    #expect(row.name == "Emma" && refused == 1)
    rule.cancel()
  }

  @Test func `a row that is deleted while it is on screen shows its last values`() throws {
    let (store, _, novels, _) = all
    let row = NovelRow.shared(for: novels[0])
    let rows = store.results(Novel.self).projected(to: NovelRow.self)
    for row in rows { try store.delete(row.root) }
    #expect(rows.isEmpty && row.title == "Emma by Austen")
  }

  @Test func `reading is evaluating the path and nothing else`() throws {
    let novel = makeNovel(9)
    let row = FirstTag(novel)
    novel.tags = ["a"]
    #expect(row.tag == "a")
    try all.store.add(novel)
    novel.tags = []
    // The path does not hold now; nobody evaluates it.
    novel.tags = ["b"]
    try all.store.delete(novel)
    #expect(row.tag == "b")
  }

  @Test func `what a projection registered goes with it`() throws {
    let (_, _, novels, _) = all
    let before = store.brokenInvariants()
    for _ in 0..<100 {
      let row = NovelRow.shared(for: novels[0])
      let token = row.observe(\.author) { _, _ in }
      token.cancel()
    }
    weak let row = NovelRow.shared(for: novels[0])
    #expect(row == nil && store.brokenInvariants() == before)
  }

  private var store: Store { all.store }
}

private final class FirstTag: Projection<Novel> {
  @Projected(\Novel.firstTag) var tag: String
}
