import Signals
import TestSupport
import Testing

/// Fields of stored and unstored objects.
@Suite struct `Graph, fields` {
  let store = Store()
  let novel = makeNovel(1, "Emma", pages: 400)

  init() throws { try store.add(novel) }

  @Test func `a field holds any Codable, Equatable and Sendable value`() {
    novel.price = 9.5
    novel.genre = .poetry
    novel.size.width = 7
    novel.tags = ["a"]
    #expect(novel.price == 9.5 && novel.genre == .poetry && novel.tags == ["a"])
    #expect(novel.size == Size(width: 7, height: 2))
    novel.price = nil
    #expect(novel.price == nil)
  }

  @Test func `a write of an equal value runs nothing and commits nothing`() {
    var (runs, commits) = (0, 0)
    let effect = Effect {
      _ = (self.novel.pages, self.novel.price, self.novel.tags); runs += 1
    }
    let token = store.commits.sink { _ in commits += 1 }
    novel.pages = 400
    novel.price = nil
    novel.tags = []
    novel.pages += 0
    #expect(runs == 1 && commits == 0)
    withExtendedLifetime((effect, token)) {}
  }

  @Test func `what reads a field runs again after it changed, and after no other`() {
    var seen: [Int] = []
    let effect = Effect { seen.append(self.novel.pages) }
    novel.name = "Persuasion"
    novel.pages = 300
    #expect(seen == [400, 300])
    withExtendedLifetime(effect) {}
  }

  @Test func `an unstored object is observed too`() {
    let page = Page()
    var seen: [Int] = []
    let effect = Effect { seen.append(page.number) }
    page.number = 2
    page.number = 2
    batch {
      page.number = 3
      page.number = 2
    }
    #expect(seen == [0, 2])
    withExtendedLifetime(effect) {}
  }

  @Test func `inherited fields belong to the object as its own`() throws {
    var seen: [String] = []
    let effect = Effect { seen.append(self.novel.name) }
    try store.write { novel.name = "Persuasion" }
    #expect(throws: Refusal.self) {
      try store.write {
        novel.name = "?"
        throw Refusal()
      }
    }
    #expect(seen == ["Emma", "Persuasion"] && novel.name == "Persuasion")
    withExtendedLifetime(effect) {}
  }

  @Test func `a computed property depends on what it reads and writes what it sets`() {
    var seen: [String] = []
    let effect = Effect { seen.append(self.novel.label) }
    novel.label = "Persuasion"
    novel.pages = 1
    #expect(seen == ["Emma (400)", "Persuasion (400)", "Persuasion (1)"])
    withExtendedLifetime(effect) {}
  }

  @Test func `a value without a size does not disturb its neighbors`() throws {
    let odd = Odd()
    try store.add(odd)
    #expect(throws: Refusal.self) {
      try store.write {
        odd.nothing = Nothing()
        odd.title = "x"
        throw Refusal()
      }
    }
    #expect(odd.title == "")
    odd.title = "y"
    try store.undo()
    #expect(odd.title == "")
  }

  @Test func `an object is equal to itself alone`() {
    let other = makeNovel(1, "Emma", pages: 400)
    #expect(novel == novel && novel != other && Set([novel, novel, other]).count == 2)
    #expect(novel.objectID != other.objectID && novel.objectID < other.objectID)
  }

  @Test func `object.write is one commit, and a plain call on an unstored object`() throws {
    var commits = 0
    let token = store.commits.sink { _ in commits += 1 }
    try novel.write {
      novel.pages = 1
      novel.name = "x"
    }
    #expect(commits == 1)
    let page = Page()
    #expect(throws: Refusal.self) {
      try page.write {
        page.number = 3
        throw Refusal()
      }
    }
    #expect(page.number == 3 && commits == 1)
    withExtendedLifetime(token) {}
  }
}
