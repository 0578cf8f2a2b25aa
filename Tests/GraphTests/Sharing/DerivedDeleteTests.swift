import Foundation
import Signals
import TestSupport
import Testing

/// Deletions that follow from another change.
@Suite struct `Graph, derived deletions` {
  let store = Store()

  /// The classes of the objects that `body` deletes, and whether their deletions are derived.
  private func deletions(_ body: () throws -> Void) throws -> [String: Bool] {
    var all: [String: Bool] = [:]
    let token = store.commits.sink { commit in
      for change in commit.deleted { all[change.className] = change.isDerived }
    }
    try body()
    token.cancel()
    return all
  }

  private func makeNovelWithCover() throws -> Novel {
    let novel = makeNovel(1)
    novel.cover = Page()
    try store.add(novel)
    return novel
  }

  @Test func `the target of a cascade is deleted with its owner`() throws {
    let novel = try makeNovelWithCover()
    #expect(try deletions { try store.delete(novel) } == ["Novel": false, "Page": true])
  }

  @Test func `a redo derives what the first deletion derived`() throws {
    let novel = try makeNovelWithCover()
    try store.delete(novel)
    try store.undo()
    #expect(try deletions { try store.redo() } == ["Novel": false, "Page": true])
    try store.undo()
    #expect(try deletions { try store.redo() } == ["Novel": false, "Page": true])
  }

  @Test func `what the app deletes itself isn't derived, whatever owns it`() throws {
    let novel = try makeNovelWithCover()
    let cover = try #require(novel.cover)
    let all = try deletions {
      try store.write {
        try store.delete(cover)
        try store.delete(novel)
      }
    }
    #expect(all == ["Novel": false, "Page": false])
  }

  @Test func `an embedded object goes with its owner, or when it is unlinked`() throws {
    let (first, second) = (makePerson(1, city: "Rome"), makePerson(2, city: "Pisa"))
    try store.add([first, second])
    let all = try deletions { try store.delete(first) }
    #expect(all == ["Person": false, "Address": true, "Geo": true])
    #expect(try deletions { second.home = nil } == ["Address": true, "Geo": true])
    try store.undo()
    let home = try #require(second.home)
    #expect(try deletions { try store.delete(home) } == ["Address": false, "Geo": true])
  }

  @Test func `an undo of an insertion deletes what it inserted`() throws {
    try store.add(makePerson(1, city: "Rome"))
    let all = try deletions { try store.undo() }
    #expect(all == ["Person": false, "Address": false, "Geo": false])
  }

  @Test func `change sets carry the mark, and data without it can still be read`() throws {
    let novel = try makeNovelWithCover()
    let cover = try #require(novel.cover)
    var set = ChangeSet()
    let token = store.commits.sink { set = $0 }
    try store.delete(novel)
    token.cancel()
    let data = try JSONEncoder().encode(set)
    let decoded = try JSONDecoder().decode(ChangeSet.self, from: data)
    #expect(decoded[cover.objectID]?.isDerived == true)
    #expect(decoded[novel.objectID]?.isDerived == false)
    let text = String(decoding: data, as: UTF8.self)
    let old = text.replacingOccurrences(
      of: #""derived":true,?"#, with: "", options: .regularExpression)
    #expect(old != text)
    let earlier = try JSONDecoder().decode(ChangeSet.self, from: Data(old.utf8))
    #expect(earlier[cover.objectID]?.isDerived == false)
    #expect(earlier == decoded)
    #expect(
      "\(try #require(decoded[cover.objectID]))".hasPrefix("- Page \(cover.objectID) (derived)"))
  }

  @Test func `applying, renaming and merging change sets keep the mark`() throws {
    var sets: [ChangeSet] = []
    let token = store.commits.sink { sets.append($0) }
    let novel = try makeNovelWithCover()
    let cover = try #require(novel.cover)
    novel.pages = 3
    try store.delete(novel)
    token.cancel()
    let last = sets[1].merging(sets[2])
    #expect(last[cover.objectID]?.isDerived == true && last[novel.objectID]?.isDerived == false)
    #expect(last.renamed { $0 }[cover.objectID]?.isDerived == true)
    #expect(last.inverted().changes.allSatisfy { !$0.isDerived })
    let other = Store()
    try other.apply(sets[0])
    var applied = ChangeSet()
    let second = other.commits.sink { applied = $0 }
    try other.apply(last)
    second.cancel()
    #expect(applied[cover.objectID]?.isDerived == true)
    #expect(applied[novel.objectID]?.isDerived == false)
  }
}
