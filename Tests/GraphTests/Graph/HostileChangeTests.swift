import Foundation
import Signals
import TestSupport
import Testing

/// Change sets that meet stores they were not made for.
@Suite struct `Change sets, used hard` {
  let here = Store()
  let there: Store
  let novel = makeNovel(1, "Emma", pages: 400)
  let other = makeNovel(2, "two")
  let shelf: Shelf

  init() throws {
    let shelf = makeShelf("s", [novel, other])
    self.shelf = shelf
    try here.add(shelf)
    there = Store(here.snapshot())
  }

  private func commit(_ body: () throws -> Void) throws -> ChangeSet {
    var all = ChangeSet()
    let token = here.commits.sink { all = all.merging($0) }
    try here.write { try body() }
    token.cancel()
    return all
  }

  /// Applies a change of `here` to `there`, back, and again.
  private func expectExact(_ body: () throws -> Void) throws {
    let before = here.snapshot()
    let change = try commit(body)
    let after = here.snapshot()
    #expect(before.changes(to: after) == change)
    let coded = try JSONDecoder().decode(ChangeSet.self, from: JSONEncoder().encode(change))
    #expect(coded == change && change.merging(change.inverted()).isEmpty)
    for _ in 0..<2 {
      let report = try there.apply(coded)
      #expect(report.isClean && there.snapshot() == after, "\(report.conflicts)")
      let back = try there.apply(change.inverted())
      #expect(back.isClean && there.snapshot() == before, "\(back.conflicts)")
      #expect(there.brokenInvariants() == [])
    }
    try there.apply(change)
  }

  @Test func `list edits, deletions and returns are exact, and so are their inverses`() throws {
    try expectExact { shelf.novels.swapAt(0, 1) }
    try expectExact { shelf.novels.append(contentsOf: [novel, makeNovel(3), novel]) }
    try expectExact { shelf.novels.removeAll { $0 === novel } }
    try expectExact { try here.delete(novel) }
    try expectExact {
      try here.delete(shelf)
      shelf.novels = []
      try here.add(shelf)
      shelf.novels = [other, other]
    }
    try expectExact { try here.delete(shelf) }
  }

  @Test(arguments: [ConflictPolicy.mine, .theirs])
  func `of objects that want one key the first gets it, and nothing else is lost`(
    _ policy: ConflictPolicy
  ) throws {
    let novels = [novel, other, makeNovel(3)]
    shelf.novels.append(novels[2])
    let store = Store(here.snapshot())
    // The second object is to make room for the third, and can't.
    let changes = [(0, 1, 5), (2, 3, 2), (1, 2, 5)].map { index, old, new in
      ObjectChange(
        id: novels[index].objectID, kind: .modified,
        properties: [.init(name: "key", old: old, new: new)], type: Novel.self)
    }
    let report = try store.apply(ChangeSet(changes, origin: nil), onConflict: policy)
    #expect(report.conflicts.count == 2 && store.brokenInvariants() == [])
    let keys = Set(store.results(Novel.self).map(\.key))
    #expect(keys == [5, 2])
    #expect(store.object(Novel.self, primaryKey: 5)?.objectID == novel.objectID)
    let second = policy == .mine ? other : novels[2]
    #expect(store.object(Novel.self, primaryKey: 2)?.objectID == second.objectID)
    try store.undo()
    #expect(Set(store.results(Novel.self).map(\.key)) == [1, 2, 3])
    #expect(store.brokenInvariants() == [])
  }

  @Test func `where one instance took the place of another, an object was modified`() throws {
    let gone = try commit { try here.delete(novel) }
    let back = gone.inverted()
    try here.apply(back)
    let present = try #require(here.results(Novel.self).first { $0.objectID == novel.objectID })
    // The same again within one transaction, as it was and otherwise.
    try expectExact {
      try here.delete(present)
      try here.apply(back)
    }
    try expectExact {
      try here.results(Novel.self).filter { $0.objectID == novel.objectID }.forEach(here.delete)
      try here.apply(back)
      here.results(Novel.self).first { $0.objectID == novel.objectID }?.pages = 7
    }
    let change = try commit {
      try here.results(Novel.self).filter { $0.objectID == novel.objectID }.forEach(here.delete)
      try here.apply(back)
    }
    #expect(change.changes.map(\.kind) == [.modified])
    #expect(change[novel.objectID]?.properties.map(\.name) == ["pages"])
  }

  @Test func `keys that are swapped, passed on and freed arrive`() throws {
    try expectExact {
      try here.delete(novel)
      try here.delete(other)
      (novel.key, other.key) = (2, 1)
      try here.add([novel, other])
    }
    try expectExact {
      try here.delete(novel)
      novel.key = 3
      try here.add([novel, makeNovel(2, "took the key that was freed")])
    }
    #expect(there.object(Novel.self, primaryKey: 2)?.name == "took the key that was freed")
  }

  @Test(arguments: [ConflictPolicy.mine, .theirs])
  func `the loser of a primary key is deleted, and no other object`(policy: ConflictPolicy) throws {
    let holder = makeNovel(9, "holder")
    try there.add(holder)
    let change = try commit {
      try here.delete(novel)
      try here.delete(other)
      (novel.key, other.key) = (9, 1)
      try here.add([novel, other])
    }
    #expect(throws: ChangeConflictError.self) { try there.apply(change) }
    let report = try there.apply(change, onConflict: policy)
    #expect(report.conflicts.map(\.reason) == [.keyTaken(by: StoreError.Subject(holder))])
    #expect(there.brokenInvariants() == [])
    #expect(holder.isDeleted == (policy == .theirs))
    let keys = [1, 9].map { there.object(Novel.self, primaryKey: $0)?.objectID }
    #expect(keys == [other.objectID, policy == .theirs ? novel.objectID : holder.objectID])
  }

  @Test func `an object of another class under the same id is named, and left alone`() throws {
    let text = String(
      decoding: try JSONEncoder().encode(try commit { novel.pages = 1 }), as: UTF8.self)
    let symbols = (novel: ClassName(Novel.self).symbol, page: ClassName(Page.self).symbol)
    let page = text.replacing(symbols.novel, with: symbols.page)
      .replacing("\"pages\"", with: "\"number\"")
    let change = try JSONDecoder().decode(ChangeSet.self, from: Data(page.utf8))
    let before = there.snapshot()
    let report = try there.apply(change, onConflict: .theirs)
    #expect(report.conflicts.map(\.reason) == [.otherClass("Novel")] && there.snapshot() == before)
  }

  @Test func `a store that has none of it takes what it can, and says what it can't`() throws {
    let empty = Store()
    let change = try commit {
      novel.pages = 1
      shelf.novels.append(makeNovel(5))
      try here.delete(other)
    }
    #expect(throws: ChangeConflictError.self) { try empty.apply(change) }
    let report = try empty.apply(change, onConflict: .theirs)
    #expect(report.conflicts.allSatisfy { $0.reason == .missing } && report.conflicts.count == 3)
    #expect(empty.results(Novel.self).map(\.key) == [5] && empty.brokenInvariants() == [])
  }

  @Test func `merged contradictions are resolved for the later one, and do no harm`() throws {
    let insertion = try commit { try here.add(makeNovel(7, "seven")) }
    let twice = insertion.merging(insertion)
    #expect(twice == insertion)
    let deletion = insertion.inverted()
    #expect(try there.apply(twice).isClean)
    #expect(try there.apply(deletion.merging(deletion)).isClean)
    #expect(there.brokenInvariants() == [])
  }

  @Test func `a description is the same each time, and reads well`() throws {
    let sample = Sample()
    let change = try commit {
      sample.settings = ["b": "2", "a": "1", "c": "3"]
      sample.words = ["y", "x", "z"]
      sample.maybe = 3
      sample.text = "tab\t\"quoted\""
      try here.add(sample)
    }
    let lines = change.description.split(separator: "\n").map { $0.dropFirst(4) }
    #expect(lines.contains(#"settings: ["a": "1", "b": "2", "c": "3"]"#), "\(change)")
    #expect(lines.contains(#"words: ["x", "y", "z"]"#))
    #expect(lines.contains("maybe: 3") && lines.contains("url: nil"))
    #expect(lines.contains(#"text: "tab\t\"quoted\"""#))
    let edit = try commit { sample.maybe = nil }
    #expect(edit.description.hasSuffix("    maybe: 3 -> nil"))
    let decoded = try JSONDecoder().decode(ChangeSet.self, from: JSONEncoder().encode(change))
    #expect(decoded.description == change.description)
  }
}
