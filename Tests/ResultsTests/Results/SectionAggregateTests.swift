import Signals
import TestSupport
import Testing

@Suite struct `Aggregates of sections` {
  @Test func `each section has its own`() throws {
    let store = Store()
    let tales = try store.addTales(titled: ["a", "b", "a", "b", "c"])
    (tales[0].rating, tales[1].rating, tales[2].score) = (2, .nan, 0.5)
    let sections = store.results(Tale.self).sectioned(by: \.title)
    #expect(sections.map { $0.value(.sum(\.pages)) } == [4, 6, 5])
    #expect(sections.map { $0.value(.average(\.pages)) } == [2, 3, 5])
    #expect(sections.map { $0.value(.min(\.pages)) } == [1, 2, 5])
    #expect(sections.map { $0.value(.max(\.pages)) } == [3, 4, 5])
    #expect(sections.map { $0.value(.max(\.rating)) } == [2, nil, nil])
    #expect(sections.map { $0.value(.sum(\.score)) } == [0.5, 0, 0])
    tales[0].title = "b"
    #expect(sections.map { $0.value(.sum(\.pages)) } == [3, 7, 5])
    #expect(sections.map { $0.value(.max(\.rating)) } == [nil, 2, nil])
    try store.delete(tales[4])
    #expect(sections.map { $0.value(.sum(\.pages)) } == [3, 7])
    try store.undo()
    #expect(sections.map { $0.value(.sum(\.pages)) } == [3, 7, 5])
  }

  @Test func `a reader of one runs again for that alone`() throws {
    let store = Store()
    let tales = try store.addTales(titled: ["a", "b", "b"])
    let sections = store.results(Tale.self).sectioned(by: \.title)
    let (a, b) = (sections[0], sections[1])
    var sums: [Int?] = []
    var most: [Int?] = []
    let sum = Effect { sums.append(b.value(.sum(\.pages))) }
    let other = Effect { most.append(a.value(.max(\.pages))) }
    #expect(sums == [5] && most == [1])
    tales[0].pages = 7
    #expect(sums == [5] && most == [1, 7])
    try store.write {
      tales[1].pages = 3
      tales[2].pages = 2
      tales[1].title = "z"
      tales[1].title = "b"
    }
    #expect(sums == [5], "the same sum")
    tales[1].title = "a"
    #expect(sums == [5, 2] && most == [1, 7])
    tales[2].title = "a"
    #expect(sums == [5, 2, 0])
    try store.write { try store.add(Tale()) }
    tales[0].title = "b"
    #expect(sums.last == 7, "it came again")
    sum.cancel()
    other.cancel()
  }

  @Test func `a section without rows has the sum of none, until one comes`() throws {
    let store = Store()
    let tales = try store.addTales(titled: ["a", "b"])
    tales[1].pages = 0
    let sections = store.results(Tale.self).sectioned(by: \.title)
    let b = sections[1]
    var sums: [Int?] = []
    let effect = Effect { sums.append(b.value(.sum(\.pages))) }
    tales[1].title = "a"
    tales[1].title = "c"
    tales[0].pages = 9
    tales[0].title = "b"
    #expect(sums.last == 9)
    effect.cancel()
  }
}
