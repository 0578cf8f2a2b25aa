import Signals
import TestSupport
import Testing

@Suite struct `Sorting` {
  let store = Store()

  @Test func `keys chain, each in its own order, and ties are in the order of adding`() throws {
    let novels = try store.addTales([2, 1, 2, 1, 2])
    let sorted = store.results(Tale.self).sorted(by: \.pages, order: .descending)
    #expect(sorted.titles == ["0", "2", "4", "1", "3"])
    let both = store.results(Tale.self)
      .sorted(by: .descending(\.pages), .descending(\.title))
    #expect(both.titles == ["4", "2", "0", "3", "1"])
    novels[3].pages = 2
    #expect(sorted.titles == ["0", "2", "3", "4", "1"])
    #expect(both.titles == ["4", "3", "2", "0", "1"])
  }

  @Test func `the last sort decides, and the order before breaks ties`() throws {
    let tales = try store.addTales([2, 1, 2, 1, 2])
    let all = store.results(Tale.self)
    let chained = all.sorted(by: \.title, order: .descending).sorted(by: \.pages)
    #expect(chained.titles == ["3", "1", "4", "2", "0"])
    let several = all.sorted(by: \.title, order: .descending)
      .sorted(by: [.ascending(\.pages), .ascending(\.rating)])
    #expect(several.titles == chained.titles)
    let limited = all.sorted(by: \.title, order: .descending).limit(4)
    #expect(limited.sorted(by: \.pages).titles == ["3", "1", "4", "2"])
    #expect(limited.sorted(by: \.rating).sorted(by: \.pages).titles == ["3", "1", "4", "2"])
    #expect(all.sorted(by: \.pages).sorted(by: []).titles == ["1", "3", "0", "2", "4"])
    tales[0].pages = 1
    #expect(chained.titles == ["3", "1", "0", "4", "2"])
  }

  @Test func `so the last sort does behind a link, and in limits and sections`() throws {
    let tales = try store.addTales([3, 1, 2, 2])
    let ada = Teller(), eve = Teller()
    (ada.name, eve.name) = ("Ada", "Eve")
    try store.write {
      for (tale, poet) in zip(tales, [eve, eve, ada]) { tale.poet = poet }
    }
    let sorted = store.results(Tale.self)
      .sorted(by: \.pages).sorted(by: \.poet?.name, order: .descending)
    let limited = sorted.limit(2)
    let sections = sorted.sectioned(by: \.poet?.name, order: .firstRow)
    #expect(sorted.titles == ["1", "0", "2", "3"])
    #expect(limited.titles == ["1", "0"])
    #expect(sections.map { $0.map(\.title) } == [["1", "0"], ["2"], ["3"]])
    eve.name = "Abe"
    #expect(sorted.titles == ["2", "1", "0", "3"])
    #expect(limited.titles == ["2", "1"])
    #expect(sections.map { $0.map(\.title) } == [["2"], ["1", "0"], ["3"]])
    tales[1].pages = 5
    #expect(sorted.titles == ["2", "0", "1", "3"])
    #expect(limited.titles == ["2", "0"])
    #expect(sections.map { $0.map(\.title) } == [["2"], ["0", "1"], ["3"]])
  }

  @Test func `a sort key may have a comparison, which is live`() throws {
    let tales = try store.addTales(titled: ["b10", "B9", "a"])
    @Signal var isByLength = false
    let sorted = store.results(Tale.self).sorted(by: [
      .descending(\.title) { [$isByLength] one, other in
        $isByLength.value
          ? one.count < other.count : one.lowercased() < other.lowercased()
      }
    ])
    #expect(sorted.titles == ["B9", "b10", "a"])
    isByLength = true
    #expect(sorted.titles == ["b10", "B9", "a"])
    tales[2].title = "abcd"
    #expect(sorted.titles == ["abcd", "b10", "B9"])
  }

  @Test func `nil is before everything, and NaN after everything`() throws {
    let novels = try store.addTales(0..<5)
    let ratings: [Double?] = [.nan, 2, nil, -.infinity, .nan]
    try store.write { for (novel, rating) in zip(novels, ratings) { novel.rating = rating } }
    let ascending = store.results(Tale.self).sorted(by: \.rating)
    let descending = store.results(Tale.self).sorted(by: \.rating, order: .descending)
    #expect(ascending.titles == ["2", "3", "1", "0", "4"])
    #expect(descending.titles == ["0", "4", "1", "3", "2"])
    novels[0].rating = 3
    novels[1].rating = .nan
    #expect(ascending.titles == ["2", "3", "0", "1", "4"])
  }

  @Test func `a comparison given decides alone`() throws {
    let novels = try store.addTales(0..<4)
    let byLength = store.results(Tale.self).sorted(by: \.title) { $0.count < $1.count }
    novels[0].title = "long one"
    novels[2].title = "middle"
    #expect(byLength.titles == ["1", "3", "middle", "long one"])
    novels[3].title = "other"
    #expect(byLength.titles == ["1", "other", "middle", "long one"])
  }

  @Test func `keys can be read through links`() throws {
    let novels = try store.addTales([1, 2, 3])
    let ada = Teller(), eve = Teller()
    (ada.name, eve.name) = ("Ada", "Eve")
    try store.write {
      novels[0].poet = eve
      novels[2].poet = ada
    }
    let byPoet = store.results(Tale.self).sorted(by: \.poet?.name)
    #expect(byPoet.pages == [2, 3, 1])
    ada.name = "Zoe"
    #expect(byPoet.pages == [2, 1, 3])
    novels[1].poet = ada
    #expect(byPoet.pages == [1, 2, 3])
  }

  @Test func `strings compare as Swift's do`() throws {
    let novels = try store.addTales(0..<5)
    let titles = ["é", "z", "e\u{301}", "\u{1F600}", "e"]
    try store.write { for (novel, title) in zip(novels, titles) { novel.title = title } }
    let sorted = store.results(Tale.self).sorted(by: \.title)
    #expect(sorted.map(\.pages) == [4, 1, 0, 2, 3])
    novels[0].title = "e\u{301}"
    #expect(sorted.map(\.pages) == [4, 1, 0, 2, 3])
  }

  @Test func `any number of rows from none to many stays in order`() throws {
    let sorted = store.results(Tale.self).sorted(by: \.pages)
    #expect(sorted.isEmpty && sorted.first == nil)
    let count = runLength(usually: 100_000)
    let novels = try store.addTales((0..<count).map { ($0 &* 7919) % 1000 })
    #expect(sorted.count == count)
    #expect(sorted.pages == novels.map(\.pages).sorted())
    try store.write { for novel in novels.dropFirst() { try store.delete(novel) } }
    #expect(Array(sorted) == [novels[0]])
  }

  @Test func `an object that is deleted and added again within a transaction keeps its place`()
    throws
  {
    let tales = try store.addTales([1, 1, 1])
    let sorted = store.results(Tale.self).sorted(by: \.pages)
    var copy = Array(sorted)
    let token = sorted.observe { $0.apply(to: &copy) }
    try store.write {
      try store.delete(tales[0])
      #expect(sorted.titles == ["1", "2"])
      try store.add(tales[0])
    }
    #expect(sorted.titles == ["0", "1", "2"])
    try store.delete(tales[0])
    try store.add(tales[0])
    #expect(sorted.titles == ["1", "2", "0"])
    #expect(copy == Array(sorted))
    token.cancel()
  }
}
