import Signals
import TestSupport
import Testing

@Suite struct `Conditions` {
  let store = Store()

  @Test func `rows follow the candidate's own fields`() throws {
    let novels = try store.addTales([100, 400, 300])
    let long = store.results(Tale.self).where { $0.pages > 200 }
    #expect(long.pages == [400, 300])
    novels[0].pages = 201
    novels[1].pages = 0
    #expect(long.pages == [201, 300])
  }

  @Test func `rows follow fields of linked objects, and the link itself`() throws {
    let novels = try store.addTales([1, 2, 3])
    let ada = Teller(), bob = Teller()
    (ada.name, bob.name) = ("Ada", "Bob")
    try store.write {
      novels[0].poet = ada
      novels[1].poet = bob
    }
    let byAda = store.results(Tale.self).where { $0.poet?.name == "Ada" }
    #expect(byAda.pages == [1])
    bob.name = "Ada"
    #expect(byAda.pages == [1, 2])
    novels[0].poet = nil
    #expect(byAda.pages == [2])
    ada.name = "Eve"
    novels[2].poet = bob
    #expect(byAda.pages == [2, 3])
    try store.delete(bob)
    #expect(byAda.isEmpty)
  }

  @Test func `rows follow lists and what is in them`() throws {
    let novels = try store.addTales([1, 2])
    let award = Medal()
    novels[0].awards.append(award)
    let recent = store.results(Tale.self).where { $0.awards.contains { $0.year > 2000 } }
    #expect(recent.isEmpty)
    award.year = 2020
    #expect(recent.pages == [1])
    novels[1].awards.append(award)
    novels[0].awards.removeAll()
    #expect(recent.pages == [2])
  }

  @Test func `rows follow inverses`() throws {
    let novels = try store.addTales([1, 2])
    let bookcase = TaleShelf()
    try store.add(bookcase)
    let shelved = store.results(Tale.self).where { !$0.cases.isEmpty }
    #expect(shelved.isEmpty)
    bookcase.novels.append(novels[1])
    #expect(shelved.pages == [2])
    try store.delete(bookcase)
    #expect(shelved.isEmpty)
  }

  @Test func `rows follow signals and computeds`() throws {
    _ = try store.addTales(0..<200)
    let limit = Signal(150)
    let doubled = Computed { limit.value * 2 }
    let over = store.results(Tale.self).where { $0.pages > limit.value }
    let overDoubled = store.results(Tale.self).where { $0.pages > doubled.value }
    #expect((over.count, overDoubled.count) == (49, 0))
    limit.value = 50
    #expect((over.count, overDoubled.count) == (149, 99))
  }

  @Test func `what only one branch reads is followed once that branch is taken`() throws {
    let novels = try store.addTales([5, 5])
    let isStrict = Signal(false)
    let results = store.results(Tale.self).where {
      $0.pages > 0 && (!isStrict.value || $0.rating ?? 0 > 3)
    }
    #expect(results.count == 2)
    isStrict.value = true
    #expect(results.isEmpty)
    novels[0].rating = 4
    #expect(results.count == 1)
    isStrict.value = false
    novels[1].pages = 0
    #expect(results.count == 1)
  }

  @Test func `a condition runs for the objects concerned and no others`() throws {
    let novels = try store.addTales(0..<1000)
    var tested: [Tale] = []
    let long = store.results(Tale.self).where { novel in
      tested.append(novel)
      return novel.pages > 500
    }
    #expect(long.count == 499)
    tested = []
    novels[7].pages = 600
    novels[8].title = "not read"
    #expect(long.count == 500)
    #expect(tested == [novels[7]])
  }

  @Test func `one object read by many rows is followed, however often rows are tested`() throws {
    let novels = try store.addTales(0..<300)
    let ada = Teller()
    try store.write { for novel in novels { novel.poet = ada } }
    var tests = 0
    let named = store.results(Tale.self).where {
      tests += 1
      return $0.pages >= 0 && $0.poet?.name == "Ada"
    }
    #expect(named.isEmpty)
    ada.name = "Ada"
    #expect(named.count == 300)
    // A single row that is tested again and again does not make its own reads everybody's.
    let single = Teller()
    novels[0].poet = single
    for round in 0..<200 {
      novels[0].pages = round
      #expect(named.count == 299)
    }
    tests = 0
    single.name = "Ada"
    #expect(named.count == 300)
    #expect(tests == 1)
  }

  @Test func `one object that rows of many queries read is followed by each`() throws {
    let novels = try store.addTales(0..<80)
    let ada = Teller()
    try store.write { for novel in novels { novel.poet = ada } }
    // Few rows of some, and more than are followed one by one of others.
    let queries = (0..<80).map { least in
      store.results(Tale.self).where { $0.pages >= least && $0.poet?.name == "Ada" }
    }
    #expect(queries.allSatisfy { $0.isEmpty })
    for round in 0..<80 {
      ada.name = "Ada"
      #expect(queries.map(\.count) == (0..<80).map { 80 - $0 })
      novels[round].poet = nil
      #expect(queries.map(\.count) == (0..<80).map { 80 - $0 - ($0 <= round ? 1 : 0) })
      ada.name = "Eve"
      #expect(queries.allSatisfy { $0.isEmpty })
      novels[round].poet = ada
    }
  }

  @Test func `a class's results hold its subclasses, also those met later`() throws {
    let all = store.results(Tale.self)
    let thrillers = store.results(Saga.self).where { $0.pages > 1 }
    #expect(all.isEmpty && thrillers.isEmpty)
    _ = try store.addTales([1])
    let thriller = Saga()
    thriller.pages = 2
    try store.add(thriller)
    #expect(all.pages == [1, 2])
    #expect(thrillers.pages == [2])
    #expect(store.results(Object.self).count == 2)
  }

  @Test func `results can be read in the condition of others`() throws {
    let novels = try store.addTales([1, 5, 9])
    let long = store.results(Tale.self).where { $0.pages > 4 }
    let short = store.results(Tale.self).where { !long.contains($0) }
    #expect(short.pages == [1])
    novels[1].pages = 2
    #expect(short.pages == [1, 2])
  }

  @Test func `an object that was deleted and added to another store is no row any more`() throws {
    let novels = try store.addTales([1, 2])
    let all = store.results(Tale.self)
    #expect(all.count == 2)
    try store.delete(novels[0])
    try Store().add(novels[0])
    #expect(all.pages == [2])
  }

  @Test func `results without readers catch up when they are read`() throws {
    let novels = try store.addTales(0..<1000)
    let long = store.results(Tale.self).where { $0.pages >= 500 }.sorted(by: \.pages)
    #expect(long.count == 500)
    for novel in novels { novel.pages = 999 - novel.pages }
    for novel in novels.prefix(300) { try store.delete(novel) }
    #expect(long.pages == Array(500..<700))
    novels[999].pages = 1234
    #expect(long.last === novels[999])
  }
}
