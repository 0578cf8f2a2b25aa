import Signals
import TestSupport
import Testing

/// Back-links of links and lists.
@Suite struct `Graph, inverses` {
  let store = Store()
  let novel = makeNovel(1)
  let a = makeShelf("a")
  let b = makeShelf("b")

  init() throws { try store.add([novel, a, b] as [Object]) }

  @Test func `an inverse shows each owner once, with its multiplicity, in the order of adding`() {
    b.novels = [novel, novel]
    a.novels = [novel]
    #expect(Array(novel.shelves) == [a, b])
    #expect(novel.shelves.multiplicity(of: b) == 2 && novel.shelves.multiplicity(of: a) == 1)
    #expect(novel.shelves.multiplicity(of: makeShelf("c")) == 0)
  }

  @Test func `inverses of different properties are apart`() {
    a.novels = [novel]
    b.best = novel
    #expect(Array(novel.shelves) == [a] && Array(novel.bestOf) == [b])
  }

  @Test func `an inverse is observed, of lists and of links`() throws {
    var seen: [[String]] = []
    let effect = Effect {
      seen.append(self.novel.shelves.map(\.place) + self.novel.bestOf.map(\.place))
    }
    a.novels.append(novel)
    b.best = novel
    a.novels.append(makeNovel(2))
    b.best = nil
    try store.delete(a)
    #expect(seen == [[], ["a"], ["a", "b"], ["a"], []])
    withExtendedLifetime(effect) {}
  }

  @Test func `one more reference of the same owner changes the multiplicity`() {
    a.novels = [novel]
    var seen: [Int] = []
    let effect = Effect { seen.append(self.novel.shelves.multiplicity(of: self.a)) }
    a.novels.append(novel)
    a.novels.reverse()
    #expect(seen == [1, 2])
    withExtendedLifetime(effect) {}
  }

  @Test func `a write that is thrown away leaves inverses and notifies no observer`() {
    a.novels = [novel]
    var runs = 0
    let effect = Effect {
      _ = self.novel.shelves.count; runs += 1
    }
    #expect(throws: Refusal.self) {
      try store.write {
        b.novels.append(novel)
        a.novels = []
        #expect(Array(novel.shelves) == [b])
        throw Refusal()
      }
    }
    #expect(Array(novel.shelves) == [a] && runs == 1)
    withExtendedLifetime(effect) {}
  }

  @Test func `an inverse is empty while its object or its owner is not stored`() throws {
    let (loose, owner) = (makeNovel(2), makeShelf("c"))
    owner.novels = [loose]
    #expect(loose.shelves.isEmpty)
    try store.add(owner)
    #expect(Array(loose.shelves) == [owner])
    try store.delete(loose)
    #expect(loose.shelves.isEmpty && owner.novels.isEmpty)
  }

  @Test func `undo brings inverses back in their order`() throws {
    (a.novels, b.novels) = ([novel, novel], [novel])
    try store.delete(a)
    #expect(Array(novel.shelves) == [b])
    try store.undo()
    #expect(Array(novel.shelves) == [a, b] && novel.shelves.multiplicity(of: a) == 2)
    try? store.write {
      try store.delete(a)
      try store.add(a)
      throw Refusal()
    }
    #expect(Array(novel.shelves) == [a, b])
  }

  @Test func `an object with many owners finds each`() throws {
    let shelves = (0..<100).map { makeShelf("s\($0)", [novel]) }
    try store.add(shelves)
    #expect(Array(novel.shelves) == shelves)
    for shelf in shelves.shuffled().prefix(95) { shelf.novels.remove(novel) }
    #expect(novel.shelves.count == 5 && store.brokenInvariants() == [])
  }
}
