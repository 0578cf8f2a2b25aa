import Signals
import SignalsTesting
import TestSupport
import Testing

/// Deletion and its rules.
@Suite struct `Graph, deleting` {
  let store = Store()
  let novel = makeNovel(1, "Emma", pages: 400)
  let shelf = makeShelf("s")

  init() throws {
    shelf.novels = [novel, makeNovel(2), novel]
    shelf.best = novel
    novel.author = Writer()
    try store.add(shelf)
  }

  @Test func `a deleted object leaves links, lists, inverses and lookups in the same commit`()
    throws
  {
    var seen: [String] = []
    let effect = Effect {
      let names = self.shelf.novels.map(\.name)
      seen.append("\(names) \(self.shelf.best?.name ?? "-") \(self.novel.isDeleted)")
    }
    let writer = try #require(novel.author)
    try store.delete(novel)
    #expect(seen == ["[\"Emma\", \"\", \"Emma\"] Emma false", "[\"\"] - true"])
    #expect(writer.novels.isEmpty && novel.author == nil && novel.shelves.isEmpty)
    #expect(store.object(Novel.self, primaryKey: 1) == nil && novel.store == nil)
    #expect(store.brokenInvariants() == [])
    withExtendedLifetime(effect) {}
  }

  @Test func `a deleted object keeps its fields, and writes to it stay local`() throws {
    try store.delete(novel)
    var (commits, seen) = (0, [String]())
    let token = store.commits.sink { _ in commits += 1 }
    let effect = Effect { seen.append(self.novel.name) }
    #expect(novel.name == "Emma" && novel.pages == 400)
    novel.name = "x"
    novel.tags.append("y")
    novel.author = Writer()
    #expect(seen == ["Emma", "x"] && commits == 0 && novel.author?.store == nil)
    withExtendedLifetime((token, effect)) {}
  }

  @Test func `local writes to an object deleted in a write that throws are undone`() throws {
    #expect(throws: Refusal.self) {
      try store.write {
        try store.delete(novel)
        novel.name = "x"
        novel.key = 2
        novel.author = Writer()
        throw Refusal()
      }
    }
    #expect(novel.name == "Emma" && novel.key == 1 && novel.author?.store === store)
    #expect(store.brokenInvariants() == [])
  }

  @Test func `a cascading link takes its target along, in rings and in long chains too`() throws {
    novel.cover = Page()
    let cover = try #require(novel.cover)
    let ring = (0..<10).map { key in
      let chain = Chain()
      chain.key = key
      return chain
    }
    for (index, chain) in ring.enumerated() { chain.next = ring[(index + 1) % 10] }
    try store.add(ring[0])
    try store.delete(novel)
    try store.delete(ring[5])
    #expect(cover.isDeleted && ring.allSatisfy { $0.isDeleted && $0.next == nil })
    try store.undo()
    #expect(ring.allSatisfy { !$0.isDeleted } && ring[9].next === ring[0])
    #expect(store.brokenInvariants() == [])
  }

  @Test func `a denying link refuses the deletion of its owner, not of its target`() throws {
    let writer = Writer()
    novel.lender = writer
    let error = #expect(throws: StoreError.self) { try store.delete(novel) }
    #expect(
      error?.description
        == "Novel(key: \(novel.key)).lender denies the deletion while it links to Writer of \(writer.objectID)"
    )
    #expect(!novel.isDeleted && shelf.novels.count == 3)
    try store.delete(writer)
    #expect(novel.lender == nil)
    try store.delete(novel)
  }

  @Test func `isDeleted is observable, also through undo`() throws {
    var seen: [Bool] = []
    let effect = Effect { seen.append(self.novel.isDeleted) }
    try store.delete(novel)
    try store.undo()
    #expect(seen == [false, true, false])
    withExtendedLifetime(effect) {}
  }

  @Test func `deleting and adding again in one write is no change of the object`() throws {
    let other = makeNovel(5)
    try store.add(other)
    var commits = 0
    let token = store.commits.sink { _ in commits += 1 }
    try store.write {
      try store.delete(other)
      try store.add(other)
    }
    #expect(commits == 0)
    try store.write {
      try store.delete(other)
      other.name = "local"
      try store.add(other)
    }
    #expect(commits == 1 && other.name == "local")
    try store.undo()
    #expect(other.name == "" && store.brokenInvariants() == [])
    withExtendedLifetime(token) {}
  }

  @Test func `a deleted object leaves a list wherever edits have moved it`() throws {
    let seed: UInt64 = 5
    var random = SeededRandom(seed: seed)
    var members = (10..<1200).map { makeNovel($0) }
    try store.write {
      try store.add(members)
      shelf.novels = List(members)
    }
    for step in 0..<runLength(usually: 300) {
      switch Int.random(in: 0..<8, using: &random) {
      case 0:
        members.shuffle(using: &random)
        shelf.novels = List(members)
      case 1:
        let moved = Int.random(in: 0..<members.count, using: &random)
        shelf.novels.move(fromOffsets: [moved], toOffset: members.count)
        members.append(members.remove(at: moved))
      case 2, 3:
        let added = (0..<5).map { makeNovel(10_000 + step * 10 + $0) }
        let place = Int.random(in: 0...members.count, using: &random)
        shelf.novels.insert(contentsOf: added, at: place)
        members.insert(contentsOf: added, at: place)
      case 4:
        let twice = members[Int.random(in: 0..<members.count, using: &random)]
        let place = Int.random(in: 0...members.count, using: &random)
        shelf.novels.insert(twice, at: place)
        members.insert(twice, at: place)
      default:
        let gone = members[Int.random(in: 0..<members.count, using: &random)]
        try store.delete(gone)
        members.removeAll { $0 === gone }
        if step % 3 == 0 {
          try store.undo()
          members = Array(shelf.novels)
          #expect(members.contains { $0 === gone }, "seed \(seed), step \(step)")
        }
      }
      #expect(Array(shelf.novels) == members, "seed \(seed), step \(step)")
    }
    #expect(store.brokenInvariants() == [])
  }
}
