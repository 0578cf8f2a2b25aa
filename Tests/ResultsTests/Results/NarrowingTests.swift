import Signals
import TestSupport
import Testing

@Suite struct `Narrowing` {
  let store = Store()

  @Test func `a narrowed result equals a full one, and stays live when the wider one is gone`()
    throws
  {
    let novels = try store.addTales((0..<500).map { ($0 &* 37) % 101 })
    var wide: Results<Tale>? = store.results(Tale.self).where { $0.pages > 3 }.sorted(by: \.pages)
    #expect(wide?.count ?? 0 > 400)
    let narrow = try #require(wide?.where { $0.title.hasSuffix("7") })
    func expected() -> [Tale] {
      novels.enumerated().filter { $1.pages > 3 && $1.title.hasSuffix("7") }
        .sorted { ($0.element.pages, $0.offset) < ($1.element.pages, $1.offset) }.map(\.element)
    }
    #expect(Array(narrow) == expected())
    novels[17].pages = 0
    novels[27].title = "x"
    novels[28].title = "287"
    #expect(Array(narrow) == expected())
    wide = nil
    novels[17].pages = 50
    novels[37].pages = 1
    #expect(Array(narrow) == expected())
  }

  @Test func `it sorts nothing and tests only what the wider one holds`() throws {
    _ = try store.addTales(0..<1000)
    var comparisons = 0
    let wide = store.results(Tale.self).where { $0.pages < 100 }.sorted(by: \.pages) {
      comparisons += 1
      return $0 < $1
    }
    #expect(wide.count == 100)
    comparisons = 0
    var tests = 0
    let narrow = wide.where {
      tests += 1
      return $0.pages % 2 == 0
    }
    #expect(narrow.count == 50)
    #expect((tests, comparisons) == (100, 0))
  }

  @Test func `a reader of the narrowed result does not depend on the wider one`() throws {
    let novels = try store.addTales([1, 2, 3])
    let wide = store.results(Tale.self).sorted(by: \.pages)
    #expect(wide.count == 3)
    let narrow = wide.where { $0.pages == 2 }
    var runs = 0
    let effect = Effect {
      runs += 1
      _ = narrow.count
    }
    novels[0].pages = 10
    #expect(runs == 1)
    novels[0].pages = 2
    #expect(runs == 2)
    effect.cancel()
  }

  @Test func `it works where rows of the wider one depend on other objects`() throws {
    let novels = try store.addTales([1, 2, 3])
    let ada = Teller()
    try store.write { for novel in novels { novel.poet = ada } }
    let wide = store.results(Tale.self).where { $0.poet?.name == "Ada" }.sorted(by: \.pages)
    #expect(wide.isEmpty)
    let narrow = wide.where { $0.pages > 1 }
    #expect(narrow.isEmpty)
    ada.name = "Ada"
    #expect((wide.count, narrow.count) == (3, 2))
  }
}
