import Signals
import TestSupport
import Testing

/// Transactions: results, errors, savepoints, refusals.
@Suite struct `Graph, writes` {
  let store = Store()
  let novel = makeNovel(1, "Emma", pages: 400)
  let shelf = makeShelf("s")
  let refused: RefusalLog

  init() throws {
    refused = RefusalLog(store)
    try store.add([novel, shelf] as [Object])
  }

  @Test func `a write returns what its closure returns`() throws {
    #expect(try store.write { novel.pages } == 400)
  }

  @Test func `an endless chain of a write that throws is printed, and not thrown by the next one`()
    async
  {
    let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
      let (store, isOn, number) = (Store(), Signal(false), Signal(0))
      let effect = Effect(name: "grower") { if isOn.value { number.value = number.value + 1 } }
      #expect(throws: Refusal(reason: "no")) {
        try store.write {
          isOn.value = true
          throw Refusal(reason: "no")
        }
      }
      isOn.value = false
      try store.write { try store.add(makeNovel(1)) }
      effect.cancel()
    }
    expectError(
      result, "Signals: stopped an endless chain: effect 'grower' kept triggering itself\n")
  }

  @Test func `everything is unchanged after a throw, and no observer runs, even of values read`()
    throws
  {
    let other = makeNovel(2)
    shelf.novels = [novel]
    shelf.best = novel
    let total = Computed { self.novel.pages + self.shelf.novels.count }
    var (runs, commits, changes) = (0, 0, 0)
    let results = store.results(Novel.self).where { $0.pages > 100 }
    let effect = Effect {
      _ = (
        total.value, self.novel.shelves.count, self.novel.isDeleted, self.shelf.best, results.count
      )
      runs += 1
    }
    let token = store.commits.sink { _ in commits += 1 }
    let observer = results.observe { _ in changes += 1 }
    #expect(throws: Refusal(reason: "no")) {
      try store.write {
        novel.pages = 1
        novel.shelf = "x"
        shelf.novels.append(other)
        #expect(total.value == 3 && results.isEmpty && other.store === store)
        try store.delete(novel)
        #expect(total.value == 2 && shelf.best == nil && novel.shelves.isEmpty)
        throw Refusal(reason: "no")
      }
    }
    #expect(novel.pages == 400 && Array(shelf.novels) == [novel] && shelf.best === novel)
    #expect(!novel.isDeleted && other.store == nil && !other.isDeleted)
    #expect(Array(novel.shelves) == [shelf] && total.value == 401 && Array(results) == [novel])
    #expect((runs, commits, changes) == (1, 0, 0) && store.brokenInvariants() == [])
    withExtendedLifetime((effect, token, observer)) {}
  }

  @Test func `a nested write is a savepoint`() throws {
    try store.write {
      novel.pages = 1
      #expect(throws: Refusal.self) {
        try store.write {
          novel.pages = 2
          novel.name = "x"
          try store.write { novel.pages = 3 }
          throw Refusal()
        }
      }
      #expect(novel.pages == 1 && novel.name == "Emma")
      try store.write { novel.pages = 4 }
    }
    #expect(novel.pages == 4)
    try store.undo()
    #expect(novel.pages == 400)
  }

  @Test func `a refused write makes its savepoint throw at its end, undone`() throws {
    let gone = makeNovel(9)
    try store.add(gone)
    try store.delete(gone)
    var reached = false
    try store.write {
      novel.pages = 1
      let error = #expect(throws: StoreError.self) {
        try store.write {
          shelf.best = gone
          novel.name = "x"
          reached = true
        }
      }
      let said = "can't link to Novel(key: \(gone.key)), which was deleted"
      #expect(error?.description.hasSuffix(said) == true)
    }
    #expect(reached && novel.pages == 1 && novel.name == "Emma" && refused.errors.isEmpty)
  }

  @Test func `a refused write without a transaction is undone and reported`() throws {
    let gone = makeNovel(9)
    try store.add(gone)
    try store.delete(gone)
    shelf.best = novel
    shelf.best = gone
    #expect(shelf.best === novel && refused.errors.count == 1)
  }

  @Test func `an implicit write is one commit`() throws {
    var commits: [String] = []
    let token = store.commits.sink { commits.append($0.description) }
    novel.pages = 1
    novel.name = "x"
    #expect(
      commits == [
        "~ Novel \(novel.objectID)\n    pages: 400 -> 1",
        "~ Novel \(novel.objectID)\n    name: \"Emma\" -> \"x\"",
      ])
    withExtendedLifetime(token) {}
  }

  @Test func `an empty write commits nothing`() throws {
    var commits = 0
    let token = store.commits.sink { _ in commits += 1 }
    try store.write {}
    try store.write {
      novel.pages = 1
      novel.pages = 400
    }
    #expect(commits == 0)
    withExtendedLifetime(token) {}
  }

  @Test func `batch defers propagation and not the commit`() throws {
    var (seen, commits) = ([Int](), 0)
    let effect = Effect { seen.append(self.novel.pages) }
    let token = store.commits.sink { _ in commits += 1 }
    batch {
      novel.pages = 1
      try? store.write {
        novel.pages = 2
        throw Refusal()
      }
      novel.pages = 3
      #expect(seen == [400])
    }
    #expect(seen == [400, 3] && commits == 2)
    withExtendedLifetime((effect, token)) {}
  }
}
