import Signals
import TestSupport
import Testing

/// What a commit says of itself.
@Suite struct `Graph, change sets` {
  let store = Store()
  let novel = makeNovel(1, "Emma", pages: 400)
  let shelf = makeShelf("s")

  init() throws { try store.add([novel, shelf] as [Object]) }

  func changes(_ body: () throws -> Void) rethrows -> [ChangeSet] {
    var changes: [ChangeSet] = []
    let token = store.commits.sink { changes.append($0) }
    try body()
    token.cancel()
    return changes
  }

  @Test func `a change carries old and new values, typed`() throws {
    let writer = Writer()
    let change = try #require(
      try changes {
        try store.write(origin: "desk") {
          novel.pages = 1
          novel.price = 2
          novel.author = writer
          shelf.novels = [novel, novel]
        }
      }.first)
    let one = try #require(change[novel])
    #expect(change.origin == "desk" && one.kind == .modified && one.className == "Novel")
    #expect(one.old(\.pages) == 400 && one.new(\.pages) == 1)
    #expect(one.old(\.price) == .some(nil) && one.new(\.price) == 2)
    #expect(one.old(\.author) == nil && one.new(\.author) == writer.objectID)
    #expect(one.old(\.name) == nil && one["name"] == nil)
    let list = try #require(change[shelf])
    #expect(list.old(\.novels) == [])
    #expect(list.new(\.novels) == [novel.objectID, novel.objectID])
    #expect(change.changes(of: Work.self).map(\.id) == [novel.objectID])
    #expect(change.changes(of: Writer.self).map(\.kind) == [.inserted])
  }

  @Test func `objects that came have new values, those that went old ones`() throws {
    let page = Page()
    page.text = "x"
    let all = try changes {
      try store.add(page)
      try store.write {
        page.text = "y"
        try store.delete(page)
      }
    }
    #expect(all[0][page.objectID]?.kind == .inserted && all[1][page.objectID]?.kind == .deleted)
    #expect(all[0][page]?.new(\.text) == "x" && all[0][page]?.old(\.text) == nil)
    #expect(all[1][page]?.old(\.text) == "x" && all[1][page]?.new(\.text) == nil)
  }

  @Test func `what came and went, and what is unchanged, is not in it`() throws {
    let all = try changes {
      try store.write {
        let page = Page()
        try store.add(page)
        try store.delete(page)
        novel.pages = 1
        novel.pages = 400
        shelf.novels = [novel]
        shelf.novels = []
      }
      try store.write {
        novel.name = "x"
        novel.pages = 2
        try store.write { novel.pages = 400 }
      }
    }
    #expect(all.map(\.description) == ["~ Novel \(novel.objectID)\n    name: \"Emma\" -> \"x\""])
  }

  @Test func `commits come one by one, in order, also those made by a sink`() throws {
    var (first, second) = ([Int](), [Int]())
    let a = store.commits.sink { change in
      let pages = change[self.novel]?.new(\.pages) ?? -1
      first.append(pages)
      if pages < 3 {
        self.novel.pages = pages + 1
        self.novel.pages = pages + 2
      }
    }
    let b = store.commits.sink { second.append($0[self.novel]?.new(\.pages) ?? -1) }
    novel.pages = 1
    #expect(first == [1, 3] && second == [1, 3])
    a.cancel()
    novel.pages = 7
    #expect(first.count == 2 && second.last == 7)
    withExtendedLifetime(b) {}
  }

  @Test func `a sink that is released hears nothing more`() {
    var count = 0
    do { _ = store.commits.sink { _ in count += 1 } }
    novel.pages = 1
    #expect(count == 0)
  }

  @Test func `of many sinks those that are left hear each commit, in order, whichever end before`()
  {
    var heard: [Int] = []
    var sinks: [Int: any Cancellable] = [:]
    for number in 0..<4_000 {
      sinks[number] = store.commits.sink { _ in heard.append(number) }
      // Some end at once, others much later, by either way.
      if number % 2 == 1 { sinks[number] = nil }
      if number >= 2_000, number % 400 != 0 {
        if number % 4 == 0 {
          sinks[number - 2_000]?.cancel()
        } else {
          sinks[number - 2_000] = nil
        }
      }
    }
    for number in 2_000..<3_995 { sinks[number] = nil }
    novel.pages = 1
    #expect(heard == [0, 400, 800, 1_200, 1_600, 3_996, 3_998])
    withExtendedLifetime(sinks) {}
  }

  @Test func `a change set can be sent`() async throws {
    let change = try #require(changes { novel.pages = 1 }.first)
    let name = await Task.detached { change.changes[0].className }.value
    #expect(name == "Novel")
  }
}
