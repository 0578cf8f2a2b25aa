import Signals
import TestSupport
import Testing

@Suite struct `Sections of results` {
  @Test func `rows are in sections by their key, in the order of the results`() throws {
    let store = Store()
    _ = try store.addTales(titled: ["b", "a", "b", "c"])
    let all = store.results(Tale.self).sorted(by: \.pages, order: .descending)
    #expect(text(all.sectioned(by: \.title)) == ["a: [2]", "b: [3, 1]", "c: [4]"])
    #expect(
      text(all.sectioned(by: \.title, order: .descending)) == ["c: [4]", "b: [3, 1]", "a: [2]"])
    #expect(
      text(all.sectioned(by: \.title, order: .firstRow)) == ["c: [4]", "b: [3, 1]", "a: [2]"])
    #expect(
      text(all.sectioned { $0.pages.isMultiple(of: 2) }) == ["true: [4, 2]", "false: [3, 1]"])
    #expect(text(all.limit(2).sectioned(by: \.title)) == ["b: [3]", "c: [4]"])
    let sections = all.sectioned(by: \.title)
    #expect(sections.sectionKeys == ["a", "b", "c"] && sections[1].count == 2)
    #expect(sections.section(for: "b")?.first?.pages == 3 && sections.section(for: "d") == nil)
  }

  @Test func `sections may be ordered by a comparison of their keys, which is live`() throws {
    let store = Store()
    let tales = try store.addTales(titled: ["b", "A", "C", "b"])
    @Signal var ignoresCase = true
    let sections = store.results(Tale.self).sectioned(by: \.title) { [$ignoresCase] in
      $ignoresCase.value ? $0.lowercased() < $1.lowercased() : $0 < $1
    }
    #expect(sections.sectionKeys == ["A", "b", "C"])
    ignoresCase = false
    #expect(sections.sectionKeys == ["A", "C", "b"])
    tales[1].title = "c"
    #expect(sections.sectionKeys == ["C", "b", "c"])
    let descending = store.results(Tale.self)
      .sectioned(by: \.title.first, order: .descending) { ($0 ?? " ") < ($1 ?? " ") }
    #expect(descending.sectionKeys == ["c", "b", "C"])
  }

  @Test func `a key may be a closure of several statements`() throws {
    let store = Store()
    _ = try store.addTales(titled: ["b", "a", ""])
    let all = store.results(Tale.self)
    let plain = all.sectioned { tale in
      let title = tale.title
      return title.isEmpty ? "none" : title
    }
    #expect(plain.sectionKeys == ["a", "b", "none"])
    let optional = all.sectioned { tale in
      let title = tale.title
      return title.first
    }
    #expect(optional.sectionKeys == [nil, "a", "b"])
    let incomparable = all.sectioned { tale in
      let title = tale.title
      return [title]
    }
    #expect(incomparable.sectionKeys == [["b"], ["a"], [""]])
  }

  @Test func `a section goes with its last row and comes with the first`() throws {
    let store = Store()
    let tales = try store.addTales(titled: ["a", "b", "b"])
    let sections = store.results(Tale.self).sectioned(by: \.title)
    let first = sections[0]
    var shown = sections.contents
    var changes: [SectionsChange<String, Tale>] = []
    let token = sections.observe { change in
      change.apply(to: &shown)
      changes.append(change)
    }
    tales[0].title = "c"
    #expect(text(sections) == ["b: [2, 3]", "c: [1]"] && shown == sections.contents)
    #expect(first.isEmpty && first.key == "a")
    #expect(changes[0].sections.deletions == [0] && changes[0].sections.insertions == [1])
    #expect(changes[0].sections.inserted == ["c"])
    #expect(
      changes[0].moves
        == [.init(old: RowPath(section: 0, row: 0), new: RowPath(section: 1, row: 0))])
    #expect(changes[0].deletions.isEmpty && changes[0].modifications.count == 1)
    tales[0].title = "a"
    #expect(first.map(\.pages) == [1] && shown == sections.contents)
    try store.delete(tales[1])
    #expect(changes[2].deletions == [RowPath(section: 1, row: 0)])
    #expect(changes[2].sections.deletions.isEmpty && shown == sections.contents)
    try store.write {
      tales[0].title = "z"
      tales[0].title = "a"
    }
    #expect(changes.count == 3)
    tales[2].pages = 30
    #expect(changes[3].modifications.map(\.new) == [RowPath(section: 1, row: 0)])
    #expect(changes[3].sections.modifications.map(\.new) == [1] && changes[3].moves.isEmpty)
    token.cancel()
  }

  @Test func `nil has a section before all others, and NaN one after them`() throws {
    let store = Store()
    let tales = try store.addTales(1...5)
    for (tale, rating) in zip(tales, [2, nil, .nan, 1, .nan]) { tale.rating = rating }
    let sections = store.results(Tale.self).sectioned(by: \.rating)
    #expect(sections.map { $0.map(\.pages) } == [[2], [4], [1], [3, 5]])
    #expect(sections[0].key == nil && sections[3].key?.isNaN == true)
    tales[3].rating = nil
    tales[2].rating = 1
    #expect(sections.map { $0.map(\.pages) } == [[2, 4], [3], [1], [5]])
  }

  @Test func `sections without an order of their keys stand as their first rows do`() throws {
    struct Kind: Hashable { let name: String }
    let store = Store()
    let tales = try store.addTales(titled: ["b", "a", "b", "c"])
    let sections = store.results(Tale.self).sorted(by: \.pages)
      .sectioned { Kind(name: $0.title) }
    var shown = sections.contents
    var moves = 0
    let token = sections.observe { change in
      change.apply(to: &shown)
      moves += change.sections.moves.count
    }
    #expect(sections.map(\.key.name) == ["b", "a", "c"])
    tales[3].pages = 0
    #expect(
      sections.map(\.key.name) == ["c", "b", "a"] && shown == sections.contents && moves == 1)
    try store.write { (tales[0].title, tales[1].title) = ("a", "b") }
    #expect(sections.map(\.key.name) == ["c", "a", "b"] && shown == sections.contents)
    token.cancel()
  }

  @Test func `a reader of one section runs again for that alone`() throws {
    let store = Store()
    let tales = try store.addTales(titled: ["a", "b", "b"])
    let sections = store.results(Tale.self).sectioned(by: \.title)
    let section = sections[1]
    var (lists, rows) = (0, [[Int]]())
    let list = Effect {
      _ = sections.count
      lists += 1
    }
    let one = Effect { rows.append(section.map { _ in 0 }) }
    try store.write { try store.add(Tale()) }
    #expect(lists == 2 && rows.count == 1)
    tales[1].title = "a"
    #expect(lists == 2 && rows == [[0, 0], [0]])
    tales[2].title = "a"
    #expect(lists == 3 && rows.last == [])
    tales[2].title = "b"
    #expect(lists == 4 && rows.last == [0])
    try store.write {
      tales[2].title = "a"
      #expect(section.isEmpty)
      tales[2].title = "b"
    }
    #expect(lists == 4 && rows.count == 4)
    list.cancel()
    one.cancel()
  }

  @Test func `iterating goes over one version`() throws {
    let store = Store()
    _ = try store.addTales(titled: ["a", "b", "b", "c"])
    let sections = store.results(Tale.self).sectioned(by: \.title)
    for tale in sections[1] { try store.delete(tale) }
    #expect(text(sections) == ["a: [1]", "c: [4]"])
  }

  @Test func `a section that is not there traps`() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      _ = Store().results(Tale.self).sectioned(by: \.title)[0]
    }
    expectError(
      result,
      "Signals: index 0 is outside of the sections of the results of Tale, of which there are 0")
  }

  @Test func `nothing is left of sections without users`() throws {
    try expectNothingLeft { store, tales in
      for tale in tales { tale.title = tale.pages == 0 ? "a" : "b" }
      var seen: [Int] = []
      let effect = Effect {
        seen.append(store.results(Tale.self).sectioned(by: \.title).map(\.count).max() ?? 0)
      }
      let sum = Effect {
        _ = store.results(Tale.self).sectioned(by: \.title).first?.value(.sum(\.pages))
      }
      var calls = 0
      let token = store.results(Tale.self).sectioned(by: \.title).observe { _ in calls += 1 }
      tales[0].title = "b"
      try store.delete(tales[1])
      #expect(seen == [49, 50, 49] && calls == 2)
      withExtendedLifetime((effect, token, sum)) {}
    }
  }
}
