import Signals
import TestSupport
import Testing

/// The misuse table of the design, cell by cell: an operation, and the state of the object.
///
/// Here what reads and writes; MisuseLinkTests.swift has what links, adds and deletes.
@Suite struct `Graph, misuse table` {
  let store = Store()
  let other = Store()
  let unstored = makeNovel(1, "unstored")
  let stored = makeNovel(2, "stored")
  let deleted = makeNovel(3, "deleted")
  let foreign = makeNovel(4, "foreign")
  let shelf = makeShelf("s")
  let refused: RefusalLog
  let commits = CommitCount()

  init() throws {
    refused = RefusalLog(store)
    for novel in [unstored, stored, deleted, foreign] { novel.author = Writer() }
    try store.add([stored, deleted, shelf] as [Object])
    try store.delete(deleted)
    try other.add(foreign)
    commits.watch(store)
    commits.watch(other)
  }

  /// What an effect sees of an object before and after a change.
  func observed<Value>(_ read: @escaping () -> Value, _ change: () throws -> Void) rethrows
    -> [Value]
  {
    var seen: [Value] = []
    let effect = Effect { seen.append(read()) }
    try change()
    effect.cancel()
    return seen
  }

  // MARK: - Read a field

  @Test func `read a field, unstored: the value, tracked`() {
    #expect(observed({ unstored.name }) { unstored.name = "x" } == ["unstored", "x"])
  }

  @Test func `read a field, stored: the value, tracked`() {
    #expect(observed({ stored.name }) { stored.name = "x" } == ["stored", "x"])
  }

  @Test func `read a field, deleted: the last value, tracked`() throws {
    #expect(observed({ deleted.name }) { deleted.name = "x" } == ["deleted", "x"])
    // Undo brings back what it had when it was deleted, and that is told too.
    #expect(try observed({ deleted.name }) { try store.undo() } == ["x", "deleted"])
  }

  @Test func `read a field, of another store: as stored there`() throws {
    #expect(observed({ foreign.name }) { foreign.name = "x" } == ["foreign", "x"])
    #expect(try observed({ foreign.name }) { try other.undo() } == ["x", "foreign"])
  }

  // MARK: - Read a link or list

  @Test func `read a link or list, unstored: strong references`() {
    weak var author: Writer?
    weak var member: Novel?
    let bookcase = makeShelf("unstored")
    do {
      (unstored.author, bookcase.novels) = (Writer(), [makeNovel(9)])
      (author, member) = (unstored.author, bookcase.novels[0])
    }
    #expect(author != nil && unstored.author === author && author?.store == nil)
    #expect(member != nil && bookcase.novels.first === member)
    #expect(author?.novels.isEmpty == true)
    unstored.author = nil
    bookcase.novels = []
    #expect(author == nil && member == nil)
  }

  @Test func `read a link or list, stored: live`() throws {
    shelf.novels = [stored, stored]
    let author = try #require(stored.author)
    #expect(Array(author.novels) == [stored] && stored.shelves.multiplicity(of: shelf) == 2)
    let links = try observed({ stored.author == nil }) { try store.delete(author) }
    #expect(links == [false, true])
    #expect(try observed({ shelf.novels.count }) { try store.delete(stored) } == [2, 0])
  }

  @Test func `read a link or list, deleted: nil, empty`() throws {
    let bookcase = makeShelf("deleted", [stored])
    bookcase.best = stored
    try store.add(bookcase)
    try store.delete(bookcase)
    #expect(deleted.author == nil && bookcase.best == nil && bookcase.novels.isEmpty)
    #expect(deleted.shelves.isEmpty && deleted.bestOf.isEmpty && stored.bestOf.isEmpty)
    #expect(try observed({ bookcase.novels.count }) { try store.undo() } == [0, 1])
    #expect(bookcase.best === stored && Array(stored.bestOf) == [bookcase])
  }

  @Test func `read a link or list, of another store: as stored there`() throws {
    let bookcase = makeShelf("foreign", [foreign])
    try other.add(bookcase)
    let author = try #require(foreign.author)
    #expect(author.store === other && Array(author.novels) == [foreign])
    #expect(try observed({ bookcase.novels.count }) { try other.delete(foreign) } == [1, 0])
    #expect(foreign.author == nil && author.novels.isEmpty)
  }

  // MARK: - Write a field

  @Test func `write a field, unstored: plain`() throws {
    #expect(throws: Refusal.self) {
      try store.write {
        unstored.pages = 1
        unstored.key = 7
        throw Refusal()
      }
    }
    #expect(unstored.pages == 1 && unstored.key == 7 && commits.count == 0)
  }

  @Test func `write a field, stored: in the transaction, or its own`() throws {
    #expect(throws: Refusal.self) {
      try store.write {
        stored.pages = 1
        throw Refusal()
      }
    }
    #expect(stored.pages == 0 && commits.count == 0)
    stored.pages = 1
    #expect(commits.count == 1)
    try store.undo()
    #expect(stored.pages == 0)
    stored.key = 9
    #expect(stored.key == 2 && store.object(Novel.self, primaryKey: 2) === stored)
    #expect(refused.errors == [.primaryKeyIsFixed(.init(stored, property: "key"), key: "9")])
  }

  @Test func `write a field, deleted: local only`() throws {
    #expect(throws: Refusal.self) {
      try store.write {
        deleted.pages = 1
        deleted.shelf = "local"
        throw Refusal()
      }
    }
    deleted.key = 2
    #expect(deleted.pages == 1 && deleted.shelf == "local" && deleted.key == 2)
    #expect(commits.count == 0 && store.object(Novel.self, primaryKey: 2) === stored)
    #expect(store.results(Novel.self).where(\.shelf, equals: "local").isEmpty)
  }

  @Test func `write a field, of another store: in its own store`() throws {
    try store.write {
      foreign.pages = 1
      #expect(commits.count == 0)
    }
    #expect(commits.count == 1 && foreign.pages == 1)
    try other.undo()
    #expect(foreign.pages == 0)
  }
}

/// How many commits there were.
final class CommitCount {
  private(set) var count = 0
  private var tokens: [any Cancellable] = []

  func watch(_ store: Store) {
    tokens.append(store.commits.sink { [unowned self] _ in count += 1 })
  }

  func reset() { count = 0 }
}
