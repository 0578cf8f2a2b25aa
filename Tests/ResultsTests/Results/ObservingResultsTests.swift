import Signals
import TestSupport
import Testing

@Suite struct `Observing results` {
  let store = Store()

  @Test func `a change names deletions and old halves in old positions, the rest in new ones`()
    throws
  {
    let novels = try store.addTales([10, 20, 30, 40, 50])
    let sorted = store.results(Tale.self).sorted(by: \.pages)
    var change: CollectionChange<Tale>?
    let token = sorted.observe { change = $0 }
    try store.write {
      try store.delete(novels[0])
      novels[3].pages = 55
      novels[4].title = "x"
      _ = try store.addTales([5, 25])
    }
    let seen = try #require(change)
    #expect(seen.deletions == [0])
    #expect(seen.insertions == [0, 2])
    #expect(seen.moves.count == 1)
    #expect(seen.modifications.map(\.description).sorted() == ["3->5", "4->4"])
    #expect(seen.inserted.map(\.pages) == [5, 25])
    var applied = novels
    seen.apply(to: &applied)
    #expect(applied == Array(sorted))
    token.cancel()
  }

  @Test func `a field set and set back is no modification`() throws {
    let novels = try store.addTales([1, 2])
    let ada = Teller()
    novels[0].poet = ada
    let results = store.results(Tale.self).where { $0.poet?.name != "x" }
    var calls = 0
    let token = results.observe { _ in calls += 1 }
    try store.write {
      novels[1].pages = 9
      ada.name = "x"
      #expect(results.count == 1)
      novels[1].pages = 2
      ada.name = ""
    }
    #expect(calls == 0)
    token.cancel()
  }

  @Test
  func `a row is modified if something it read elsewhere changed, even if it was read before`()
    throws
  {
    let novels = try store.addTales([1, 2])
    let ada = Teller()
    novels[0].poet = ada
    let results = store.results(Tale.self).where { $0.poet?.name != "x" }
    var modified: [Int] = []
    let token = results.observe { modified += $0.modifications.map(\.new) }
    try store.write {
      ada.name = "y"
      #expect(results.count == 2)
    }
    #expect(modified == [0])
    token.cancel()
  }

  @Test func `only rows that read it are modified by what many rows read`() throws {
    let novels = try store.addTales(0..<200)
    let limit = Signal(-1)
    let results = store.results(Tale.self).where { $0.pages % 2 == 0 || $0.pages > limit.value }
    var modified: Set<Int> = []
    let token = results.observe { modified.formUnion($0.modifications.map(\.new)) }
    limit.value = 0
    #expect(modified == Set((0..<200).filter { $0 % 2 == 1 }))
    _ = novels
    token.cancel()
  }

  @Test func `a transaction that throws is no change, even if it was read in its middle`() throws {
    struct Failed: Error {}
    let novels = try store.addTales(0..<10)
    let sorted = store.results(Tale.self).where { $0.pages > 2 }.sorted(by: \.pages)
    let before = Array(sorted)
    var calls = 0
    let token = sorted.observe { _ in calls += 1 }
    var runs = 0
    let effect = Effect {
      runs += 1
      _ = sorted.count
    }
    #expect(throws: Failed.self) {
      try store.write {
        for novel in novels.prefix(5) {
          novel.pages = 100 - novel.pages
          _ = sorted.count
        }
        try store.delete(novels[9])
        _ = try store.addTales([77])
        #expect(sorted.count == 10)
        throw Failed()
      }
    }
    #expect(Array(sorted) == before)
    #expect((calls, runs) == (0, 1))
    withExtendedLifetime((token, effect)) {}
  }

  @Test func `observers are called in order, effects first, later ones with one exact change`()
    throws
  {
    let novels = try store.addTales([1, 2, 3])
    let sorted = store.results(Tale.self).sorted(by: \.pages)
    var log: [String] = []
    var copy = Array(sorted)
    let first = sorted.observe { change in
      log.append("first \(change.insertions) \(change.modifications)")
      if novels[0].pages < 100 { novels[0].pages = 100 }
    }
    let second = sorted.observe { change in
      log.append("second \(change.modifications)")
      change.apply(to: &copy)
      #expect(copy == Array(sorted))
    }
    let effect = Effect { log.append("effect \(sorted.count)") }
    log = []
    novels[1].pages = 5
    #expect(
      log == ["effect 3", "first [] [1->2]", "effect 3", "first [] [0->2]", "second [1->1, 0->2]"])
    withExtendedLifetime((first, second, effect)) {}
  }

  @Test func `nothing is delivered after a token was cancelled or released`() throws {
    let novels = try store.addTales([1])
    let results = store.results(Tale.self)
    var calls: [String] = []
    var second: (any Cancellable)?
    var third: (any Cancellable)?
    let first = results.observe { _ in
      calls.append("first")
      second?.cancel()
      third = nil
    }
    second = results.observe { _ in calls.append("second") }
    third = results.observe { _ in calls.append("third") }
    novels[0].pages = 2
    #expect(calls == ["first"])
    first.cancel()
    novels[0].pages = 3
    #expect(calls == ["first"])
    _ = third
  }

  @Test func `an effect runs only if membership or order changed`() throws {
    let novels = try store.addTales([1, 2, 3])
    let sorted = store.results(Tale.self).sorted(by: \.pages)
    var runs = 0
    let effect = Effect {
      runs += 1
      _ = sorted.count
    }
    novels[0].title = "x"
    novels[2].pages = 9
    #expect(runs == 1)
    novels[0].pages = 5
    #expect(runs == 2)
    try store.write {
      novels[0].pages = 1
      #expect(sorted.first === novels[0])
      novels[0].pages = 5
    }
    #expect(runs == 2)
    withExtendedLifetime(effect) {}
  }

  @Test func `writing and reading in a loop costs no more than the rows touched`() throws {
    let novels = try store.addTales(0..<20_000)
    let sorted = store.results(Tale.self).sorted(by: \.pages)
    var copy = Array(sorted)
    let token = sorted.observe { $0.apply(to: &copy) }
    try store.write {
      for novel in novels.prefix(5_000) {
        novel.pages += 30_000
        _ = sorted.count
      }
    }
    #expect(copy == Array(sorted))
    token.cancel()
  }

  @Test func `what was written back before an observer is called is no modification to it`() throws
  {
    let store = Store()
    let tale = try store.addTales(titled: ["0"])[0]
    let first = tale.observe(\.title) { _, new in if new == "x" { tale.title = "0" } }
    var calls: [CollectionChange<Tale>] = []
    let second = store.results(Tale.self).observe { calls.append($0) }
    tale.title = "x"
    #expect(calls.isEmpty)
    tale.title = "y"
    #expect(calls.map(\.modifications.count) == [1])
    withExtendedLifetime((first, second)) {}
  }

  @Test func `an observer that is registered in a write is notified of later changes`() throws {
    let store = Store()
    let tales = try store.addTales(titled: ["a", "b"])
    let all = store.results(Tale.self)
    var calls: [CollectionChange<Tale>] = []
    var tokens: [any Cancellable] = []
    try store.write {
      tales[0].title = "c"
      tokens.append(all.observe { calls.append($0) })
    }
    #expect(calls.isEmpty)
    try store.write {
      tales[0].title = "d"
      tokens.append(all.sectioned { $0.pages }.observe { _ in Issue.record("told of the past") })
    }
    #expect(calls.map { $0.modifications.map(\.new) } == [[0]])
    tokens.removeLast()
    try store.write {
      tales[1].title = "x"
      tokens.append(all.observe { calls.append($0) })
      tales[1].title = "y"
    }
    #expect(calls.dropFirst().map { $0.modifications.map(\.new) } == [[1], [1]])
  }
}
