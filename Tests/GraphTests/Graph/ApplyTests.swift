import Signals
import TestSupport
import Testing

/// Change sets made in another store.
@Suite struct `Graph, applying change sets` {
  let here = Store()
  let there = Store()
  let novel = makeNovel(1, "Emma", pages: 400)
  let shelf = makeShelf("s")

  init() throws {
    let first = try commit { try here.add([novel, shelf] as [Object]) }
    try there.apply(first)
  }

  func commit(_ body: () throws -> Void) throws -> ChangeSet {
    var changes = ChangeSet()
    let token = here.commits.sink { changes = changes.merging($0) }
    try body()
    token.cancel()
    return changes
  }

  var copy: Novel? { there.object(Novel.self, primaryKey: 1) }
  var shelfCopy: Shelf? { there.object(Shelf.self, primaryKey: "s") }

  @Test func `objects arrive with their ids, values, links and places`() throws {
    let change = try commit {
      try here.write(origin: "desk") {
        shelf.novels = [novel, makeNovel(2), novel]
        shelf.best = novel
        novel.author = Writer()
        novel.tags = ["x"]
      }
    }
    var origins: [Origin?] = []
    let token = there.commits.sink { origins.append($0.origin) }
    #expect(try there.apply(change).isClean)
    let (copy, shelfCopy) = try (#require(copy), #require(shelfCopy))
    #expect(copy !== novel && copy.objectID == novel.objectID && copy.tags == ["x"])
    #expect(shelfCopy.novels.map(\.objectID) == shelf.novels.map(\.objectID))
    #expect(shelfCopy.best === copy && copy.author?.objectID == novel.author?.objectID)
    #expect(copy.shelves.count == 1 && origins == ["desk"])
    #expect(there.brokenInvariants() == [])
    withExtendedLifetime(token) {}
  }

  @Test func `an object that went goes there too, and only it`() throws {
    let change = try commit {
      novel.cover = Page()
      shelf.novels = [novel]
    }
    try there.apply(change)
    let last = try #require(copy)
    try there.apply(try commit { try here.delete(novel) })
    #expect(last.isDeleted && shelfCopy?.novels.isEmpty == true && copy == nil)
    #expect(there.results(Page.self).isEmpty && there.brokenInvariants() == [])
  }

  @Test func `an apply is one commit, which can be undone`() throws {
    let change = try commit { novel.pages = 1 }
    try there.apply(change)
    try there.undo()
    #expect(copy?.pages == 400)
    try there.apply(change, undoable: false)
    #expect(throws: ChangeConflictError.self) { try there.undo() }
    try there.undo(onConflict: .mine)
    #expect(copy == nil)
  }

  @Test func `what is not as expected is named, and the policy decides`() throws {
    let change = try commit {
      try here.write {
        novel.pages = 1
        novel.name = "Sense"
      }
    }
    copy?.pages = 7
    let error = #expect(throws: ChangeConflictError.self) { try there.apply(change) }
    #expect(error?.conflicts.map(\.reason) == [.changed])
    #expect(
      error?.description == "\(StoreError.Subject(novel, property: "pages")) is 7 here, and not 400"
    )
    #expect(error?.conflicts.first?.present as? Int == 7)
    #expect(copy?.name == "Emma" && copy?.pages == 7)
    let report = try there.apply(change, onConflict: .mine)
    #expect(report.conflicts == error?.conflicts && copy?.name == "Sense" && copy?.pages == 7)
    copy?.name = "Emma"
    #expect(try !there.apply(change, onConflict: .theirs).isClean)
    #expect(copy?.pages == 1 && copy?.name == "Sense")
    #expect(try there.apply(change).isClean, "what is so already is no conflict")
  }

  @Test func `a deletion wins over an edit under both policies, and is a conflict`() throws {
    let change = try commit { try here.delete(novel) }
    copy?.pages = 7
    #expect(throws: ChangeConflictError.self) { try there.apply(change) }
    #expect(copy != nil)
    #expect(try there.apply(change, onConflict: .mine).conflicts.map(\.reason) == [.changed])
    #expect(copy == nil)
    try there.undo()
    #expect(copy?.pages == 7)
    #expect(try there.apply(change, onConflict: .theirs).conflicts.map(\.reason) == [.changed])
    #expect(copy == nil)
    #expect(try there.apply(change, onConflict: .theirs).conflicts.map(\.reason) == [.missing])
  }

  @Test func `missing objects, present ones, taken keys and dangling links are named`() throws {
    let other = makeNovel(5, "other")
    let insertion = try commit { try here.add(other) }
    let edit = try commit { other.pages = 3 }
    let link = try commit { shelf.novels = [other, novel] }
    #expect(try there.apply(edit, onConflict: .theirs).conflicts.map(\.reason) == [.missing])
    let dangling = try there.apply(link, onConflict: .mine)
    #expect(dangling.conflicts.map(\.reason) == [.danglingLink(to: StoreError.Subject(other))])
    #expect(shelfCopy?.novels.map(\.key) == [1])
    let taker = makeNovel(5)
    try there.add(taker)
    let taken = try there.apply(insertion, onConflict: .mine)
    #expect(taken.conflicts.map(\.reason) == [.keyTaken(by: StoreError.Subject(taker))])
    #expect(there.object(Novel.self, primaryKey: 5) === taker)
    #expect(try there.apply(insertion, onConflict: .theirs).conflicts == taken.conflicts)
    #expect(taker.isDeleted && shelfCopy?.novels.map(\.key) == [5, 1])
    there.object(Novel.self, primaryKey: 5)?.name = "mine"
    let again = try there.apply(insertion, onConflict: .mine)
    #expect(again.conflicts.map(\.reason) == [.alreadyThere])
    #expect(there.object(Novel.self, primaryKey: 5)?.name == "mine")
    try there.apply(insertion, onConflict: .theirs)
    #expect(there.object(Novel.self, primaryKey: 5)?.name == "other")
    #expect(there.brokenInvariants() == [])
  }

  @Test func `a primary key that changed by way of a deletion changes there too`() throws {
    let other = makeNovel(2, "two")
    try there.apply(try commit { try here.add(other) })
    let change = try commit {
      try here.write {
        shelf.novels = [novel]
        try here.delete(novel)
        try here.delete(other)
        novel.key = 2
        other.key = 3
        try here.add([novel, other])
      }
    }
    #expect(try there.apply(change).isClean)
    #expect(there.object(Novel.self, primaryKey: 2)?.objectID == novel.objectID)
    #expect(there.object(Novel.self, primaryKey: 3)?.objectID == other.objectID)
    #expect(there.object(Novel.self, primaryKey: 1) == nil && there.brokenInvariants() == [])
    try there.undo()
    #expect(copy?.objectID == novel.objectID && there.brokenInvariants() == [])
  }

  @Test func `keys that change hands in one commit do so there, inserted or kept`() throws {
    let other = makeNovel(2, "two")
    try there.apply(try commit { try here.add(other) })
    let swap = try commit {
      try here.write {
        try here.delete(novel)
        try here.delete(other)
        (novel.key, other.key) = (2, 1)
        try here.add([novel, other])
      }
    }
    let heir = makeNovel(2, "heir")
    let passing = try commit {
      try here.write {
        try here.delete(novel)
        novel.key = 3
        try here.add([heir, novel])
      }
    }
    for change in [swap, passing] { #expect(try there.apply(change).isClean) }
    let holders = (1...3).map { there.object(Novel.self, primaryKey: $0)?.objectID }
    #expect(holders == [other.objectID, heir.objectID, novel.objectID])
    #expect(there.brokenInvariants() == [])
    try there.undo()
    try there.undo()
    #expect(copy?.objectID == novel.objectID && there.brokenInvariants() == [])
    // One that stays keeps its key, and whoever would have followed it keeps theirs.
    try there.apply(swap.merging(passing))
    let refused = try there.apply(passing, onConflict: .mine)
    #expect(!refused.isClean && there.brokenInvariants() == [])
  }

  @Test func `an instance that was deleted can't come back beside the one made for it`() throws {
    let deletion = try commit { try here.delete(novel) }
    try here.apply(deletion.inverted(), undoable: false)
    let made = here.object(Novel.self, primaryKey: 1)
    #expect(made !== novel && made?.objectID == novel.objectID && novel.isDeleted)
    #expect(throws: StoreError.self) { try here.add(novel) }
    try here.write(undoable: false) {
      made.map { try? here.delete($0) }
      try here.add(novel)
    }
    #expect(!novel.isDeleted && here.brokenInvariants() == [])
  }

  @Test func `a refused change set changes nothing`() throws {
    let change = try commit { novel.pages = 1 }
    there.beforeCommit { _ in throw Refusal() }
    #expect(throws: Refusal.self) { try there.apply(change) }
    #expect(copy?.pages == 400)
  }
}
