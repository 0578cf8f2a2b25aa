import Signals
import TestSupport
import Testing

/// What keys are the same, who is told of a section, and what is kept of it.
@Suite struct `Groups of rows` {
  @Test func `keys that do not equal themselves are the same if they consist of the same`() throws {
    struct Plain: Hashable {
      let title: String
      let rating: Double
    }
    struct Coded: Hashable, Codable {
      let title: String
      let rating: Double
    }
    let store = Store()
    let tales = try store.addTales(titled: ["a", "b", "a", "b"])
    let all = store.results(Tale.self)
    #expect(all.distinct { Plain(title: $0.title, rating: .nan) }.pages == [1, 2])
    #expect(all.distinct { Coded(title: $0.title, rating: .nan) }.pages == [1, 2])
    #expect(all.distinct { $0.title == "a" ? Double.nan : -.nan }.pages == [1])
    let sections = all.sectioned { Plain(title: $0.title, rating: .nan) }
    #expect(sections.map { $0.map(\.pages) } == [[1, 3], [2, 4]])
    tales[0].title = "b"
    #expect(sections.map { $0.map(\.pages) } == [[1, 2, 4], [3]])
  }

  @Test func `a reader that begins in a batch is not notified of changes that it saw`() throws {
    let store = Store()
    let tales = try store.addTales(titled: ["a", "a", "b", "b"])
    let sections = store.results(Tale.self).sorted(by: \.pages).sectioned(by: \.title)
    let a = sections[0]
    let list = Effect { _ = sections.count }
    var runs = 0
    var late: Effect?
    try store.write {
      tales[0].pages = 99
      late = Effect {
        _ = Array(a)
        runs += 1
      }
    }
    #expect(runs == 1)
    tales[2].pages = 99
    #expect(runs == 1, "the other section")
    tales[0].pages = 0
    #expect(runs == 2)
    withExtendedLifetime((list, late)) {}
  }

  @Test func `a reader that begins in the middle of a batch is notified of later changes`() throws {
    let store = Store()
    let tales = try store.addTales(titled: ["a", "a", "b"])
    let sections = store.results(Tale.self).sorted(by: \.pages).sectioned(by: \.title)
    let (a, b) = (sections[0], sections[1])
    var (rows, keys): ([[Int]], [[String]]) = ([], [])
    var late: [Effect] = []
    let early = Effect { _ = b.count }
    try store.write {
      tales[0].pages = 99
      late.append(Effect { rows.append(a.map(\.pages)) })
      late.append(Effect { keys.append(sections.sectionKeys) })
      tales[0].pages = 1
      tales[2].title = "c"
    }
    #expect(rows == [[2, 99], [1, 2]] && keys == [["a", "b"], ["a", "c"]])
    try store.write {
      tales[0].pages = 99
      tales[0].pages = 1
    }
    #expect(rows.count == 2 && keys.count == 2)
    withExtendedLifetime((early, late)) {}
  }

  @Test func `a group keeps no row that has gone`() throws {
    let store = Store(undoLimit: 0)
    var tale: Tale? = Tale()
    weak let gone = tale
    try store.write {
      if let tale { try store.add(tale) }
      try store.add(Tale())
    }
    let each = store.results(Tale.self).distinct(by: \.title)
    let sections = store.results(Tale.self).sectioned(by: \.title, order: .firstRow)
    let token = Effect { _ = (each.count, sections.first?.count) }
    if let tale { try store.delete(tale) }
    tale = nil
    #expect(gone == nil)
    token.cancel()
  }

  @Test func `a change that concerns all asks the rows before a limit alone`() throws {
    let store = Store(undoLimit: 0)
    _ = try store.addTales((0..<20_000).map { ($0 &* 7919) % 20_000 })
    let limit = Signal(5)
    var compared = 0
    let all = store.results(Tale.self).sorted(by: \.pages) {
      compared += 1
      return $0 < $1
    }
    let some = all.limit(100).where { $0.pages > limit.value }
    #expect(some.count == 94)
    compared = 0
    limit.value = 1
    #expect(some.count == 98 && some.first?.pages == 2)
    #expect(compared < 5000)
  }

  @Test func `a change that concerns all asks what an index names alone`() throws {
    let store = Store(undoLimit: 0)
    let medals = (0..<1000).map { _ in Marked() }
    for (index, medal) in medals.enumerated() { medal.kind = index % 2 }
    try store.write { try store.add(medals) }
    let limit = Signal(0)
    var asked = 0
    let some = store.results(Marked.self).where(\.kind, equals: 1).where { _ in
      asked += 1
      return limit.value == 0
    }
    #expect(some.count == 500)
    asked = 0
    limit.value = 1
    #expect(some.isEmpty && asked == 500)
    limit.value = 0
    #expect(some.count == 500)
    medals[0].kind = 1
    #expect(some.count == 501)
  }

  @Test func `objects that rows release may end their other observers`() throws {
    let store = Store(undoLimit: 0)
    var owners: [TaleOwner] = (0..<20).map { _ in TaleOwner() }
    weak let gone = owners[7]
    let first = Tale()
    first.pages = -1
    try store.write { try store.add([first] + owners) }
    let all = store.results(Tale.self).sorted(by: \.pages)
    let sections = all.sectioned(by: \.title)
    var calls = 0
    let token = sections.observe { _ in calls += 1 }
    for owner in owners {
      owner.owned = all.limit(1)
      #expect(owner.owned?.count == 1)
    }
    try store.write { for owner in owners { try store.delete(owner) } }
    owners = []
    try store.write { try store.add(Tale()) }
    #expect(all.count == 2 && sections.count == 1 && calls == 2 && gone == nil)
    token.cancel()
  }

  final class Marked: Object { @Indexed var kind = 0 }
}
