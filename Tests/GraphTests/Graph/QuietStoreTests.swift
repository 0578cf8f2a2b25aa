import Signals
import TestSupport
import Testing

/// A store that keeps nothing to be undone: a write that nobody could follow is a plain one.
@Suite struct `Graph, a store without undo` {
  struct Stop: Error {}

  let store = Store(undoLimit: 0)
  let novel = makeNovel(1, "Emma", pages: 400)
  let shelf = makeShelf("s")

  init() throws { try store.add([novel, shelf] as [Object]) }

  @Test func `values written before the first observer are there when it starts`() throws {
    novel.pages = 1
    novel.pages += 1
    let results = store.results(Novel.self).where { $0.pages == 2 }
    var commits: [ChangeSet] = []
    let token = store.commits.sink { commits.append($0) }
    #expect(Array(results) == [novel])
    novel.pages = 3
    #expect(results.isEmpty)
    #expect(commits.map { $0[novel]?.old(\.pages) } == [2])
    token.cancel()
    novel.pages += 1
    #expect((commits.count, novel.pages) == (1, 4))
  }

  @Test func `a released observer of commits is told nothing more, a living one is`() throws {
    var commits = 0
    do {
      let first = store.commits.sink { _ in commits += 1 }
      let second = store.commits.sink { _ in commits += 1 }
      novel.pages = 1
      second.cancel()
      second.cancel()
      novel.pages = 2
      withExtendedLifetime(first) {}
    }
    novel.pages = 3
    let third = store.commits.sink { _ in commits += 10 }
    novel.pages = 4
    #expect(commits == 13)
    withExtendedLifetime(third) {}
  }

  @Test func `a transaction, an effect and an intent are undone if they fail`() throws {
    #expect(throws: Stop.self) {
      try store.write {
        novel.pages = 1
        novel.pages += 1
        throw Stop()
      }
    }
    #expect(novel.pages == 400)
    let refused = RefusalLog(store)
    let go = Signal(false)
    let effect = Effect {
      guard go.value else { return }
      novel.pages = 7
      novel.key = 99
    }
    go.value = true
    #expect((novel.pages, refused.errors.count) == (400, 1))
    effect.cancel()
    #expect(throws: Stop.self) {
      try ReactiveGraph.runCallback {
        novel.pages = 8
        throw Stop()
      }
    }
    #expect(novel.pages == 400)
  }

  @Test func `a hook sees each write, and may refuse it`() throws {
    var refusals = 0
    store.onRefusal = { _ in refusals += 1 }
    let rule = store.beforeCommit { change in
      if change.changes(of: Novel.self).contains(where: { $0.new(\.pages) == 13 }) { throw Stop() }
    }
    novel.pages = 12
    novel.pages = 13
    #expect((novel.pages, refusals) == (12, 1))
    rule.cancel()
    novel.pages = 13
    #expect(novel.pages == 13)
  }

  @Test func `a reader of the field is told`() throws {
    let pages = Computed { novel.pages }
    #expect(pages.value == 400)
    novel.pages = 1
    #expect(pages.value == 1)
    novel.pages += 1
    #expect(pages.value == 2)
  }

  /// The setter decides by itself, for speed, that nobody has to be asked: but a reader must not write.
  @Test func `a computed or a predicate that writes an unobserved property traps by name`() async {
    let assigned = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let store = Store(undoLimit: 0)
      let novel = makeNovel(1)
      try store.add(novel)
      let bad = Computed(name: "bad") {
        novel.pages = 1
        return 0
      }
      _ = bad.value
    }
    expectError(assigned, "Signals: computed 'bad' must not write Novel(key: 1).pages: it may only")
    let modified = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let store = Store(undoLimit: 0)
      let novel = makeNovel(1)
      try store.add(novel)
      let bad = Computed(name: "bad") {
        novel.pages += 1
        return 0
      }
      _ = bad.value
    }
    expectError(modified, "Signals: computed 'bad' must not write Novel(key: 1).pages: it may only")
    let predicate = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let store = Store(undoLimit: 0)
      try store.add(makeNovel(1))
      let unwatched = Writer()
      try store.add(unwatched)
      _ =
        store.results(Novel.self).where { _ in
          unwatched.name = "Ann"
          return true
        }.count
    }
    expectError(
      predicate, "a predicate or sort key of the results of Novel must not write Writer.name of #")
  }
}
