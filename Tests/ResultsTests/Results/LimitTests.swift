import Signals
import TestSupport
import Testing

@Suite struct `Limited and distinct results` {
  @Test func `a prefix has the first rows, and rows come and go with the order`() throws {
    let store = Store()
    let tales = try store.addTales([5, 3, 4, 1, 2])
    let least = store.results(Tale.self).sorted(by: \.pages).limit(3)
    #expect(least.pages == [1, 2, 3])
    var rows = Array(least)
    var changes: [CollectionChange<Tale>] = []
    let token = least.observe { change in
      change.apply(to: &rows)
      changes.append(change)
    }
    tales[0].pages = 0
    #expect(least.pages == [0, 1, 2] && rows == Array(least))
    #expect(changes.last?.deletions == [2] && changes.last?.insertions == [0])
    try store.delete(tales[3])
    #expect(least.pages == [0, 2, 3] && rows == Array(least))
    tales[2].pages = 5
    #expect(changes.count == 2, "a row that stays outside is none of its business")
    tales[0].pages = 100
    #expect(least.pages == [2, 3, 5] && rows == Array(least))
    try store.undo()
    #expect(least.pages == [0, 2, 3] && rows == Array(least))
    token.cancel()
  }

  @Test func `limits of zero and beyond the rows`() throws {
    let store = Store()
    let tales = try store.addTales([2, 1])
    let all = store.results(Tale.self).sorted(by: \.pages)
    let (none, many) = (all.limit(0), all.limit(10))
    #expect(none.isEmpty && many.pages == [1, 2])
    tales[0].pages = 0
    #expect(none.isEmpty && many.pages == [0, 1])
    #expect(all.limit(1).limit(5).pages == [0] && all.limit(5).limit(1).pages == [0])
  }

  @Test func `what stands after a prefix asks the first rows alone`() throws {
    let store = Store()
    let tales = try store.addTales([1, 2, 3, 4, 5, 6])
    let all = store.results(Tale.self).sorted(by: \.pages)
    let even = all.limit(3).where { $0.pages.isMultiple(of: 2) }
    let firstEven = all.where { $0.pages.isMultiple(of: 2) }.limit(3)
    #expect(even.pages == [2] && firstEven.pages == [2, 4, 6])
    let turned = all.limit(3).sorted(by: \.title, order: .descending)
    #expect(turned.pages == [3, 2, 1])
    tales[0].pages = 10
    #expect(even.pages == [2, 4] && firstEven.pages == [2, 4, 6] && turned.pages == [4, 3, 2])
    for tale in tales { tale.title = "same" }
    #expect(turned.pages == [2, 3, 4], "rows that tie stand as they stood before")
  }

  @Test func `distinct results have the first row of each key`() throws {
    let store = Store()
    let tales = try store.addTales([3, 1, 2, 4])
    for (tale, title) in zip(tales, ["b", "a", "a", "b"]) { tale.title = title }
    let each = store.results(Tale.self).sorted(by: \.pages).distinct(by: \.title)
    var rows = Array(each)
    #expect(rows == [tales[1], tales[0]])
    let token = each.observe { $0.apply(to: &rows) }
    tales[2].pages = 0
    #expect(rows == [tales[2], tales[0]] && rows == Array(each))
    tales[3].title = "c"
    #expect(rows == [tales[2], tales[0], tales[3]] && rows == Array(each))
    try store.delete(tales[2])
    #expect(rows == [tales[1], tales[0], tales[3]] && rows == Array(each))
    tales[1].title = "c"
    #expect(rows == [tales[1], tales[0]] && rows == Array(each))
    token.cancel()
  }

  @Test func `nil and NaN are keys like others`() throws {
    let store = Store()
    let tales = try store.addTales([0, 1, 2, 3, 4])
    for (tale, rating) in zip(tales, [nil, .nan, 1, .nan, nil]) { tale.rating = rating }
    let each = store.results(Tale.self).distinct(by: \.rating)
    #expect(each.pages == [0, 1, 2])
    tales[1].rating = 1
    #expect(each.pages == [0, 1, 3])
  }

  @Test func `they chain in any order`() throws {
    let store = Store()
    let tales = try store.addTales([1, 2, 3, 4, 5, 6])
    for (tale, title) in zip(tales, ["a", "a", "b", "b", "c", "c"]) { tale.title = title }
    let all = store.results(Tale.self).sorted(by: \.pages)
    #expect(all.distinct(by: \.title).limit(2).pages == [1, 3])
    #expect(all.limit(2).distinct(by: \.title).pages == [1])
    #expect(all.distinct(by: \.title).where { $0.pages > 1 }.pages == [3, 5])
    #expect(all.where { $0.pages > 1 }.distinct(by: \.title).pages == [2, 3, 5])
    #expect(all.distinct(by: \.title).sorted(by: \.pages, order: .descending).pages == [5, 3, 1])
    #expect(
      all.limit(4).value(.sum(\.pages)) == 10 && all.distinct(by: \.title).value(.max(\.pages)) == 5
    )
    #expect(all.distinct(by: \.title).distinct { $0.pages > 1 }.pages == [1, 3])
  }

  @Test func `an object that a failing transaction deletes is followed again`() throws {
    struct Failed: Error {}
    let store = Store()
    let tales = try store.addTales([2, 3])
    let limit = Signal(2)
    let each = store.results(Tale.self).distinct(by: \.title).where { $0.pages != limit.value }
    #expect(each.pages == [3])
    #expect(throws: Failed.self) {
      try store.write {
        try store.delete(tales[0])
        throw Failed()
      }
    }
    #expect(each.pages == [3])
    limit.value = 3
    #expect(each.pages == [2])
  }

  @Test func `a limit below zero traps`() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      _ = Store().results(Tale.self).limit(-1)
    }
    expectError(result, "Signals: the limit -1 of the results of Tale is below zero")
  }

  @Test func `nothing is left of results without users`() throws {
    try expectNothingLeft { store, tales in
      var pages: [[Int]] = []
      let effect = Effect {
        let all = store.results(Tale.self).sorted(by: \.pages)
        pages.append(all.distinct { $0.pages / 10 }.limit(2).pages)
      }
      var calls = 0
      let token = store.results(Tale.self).limit(3).observe { _ in calls += 1 }
      tales[0].pages = 100
      #expect(pages == [[0, 10], [1, 10]] && calls == 1)
      withExtendedLifetime((effect, token)) {}
    }
  }
}
