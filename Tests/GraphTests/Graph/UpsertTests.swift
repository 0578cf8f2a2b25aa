import Signals
import TestSupport
import Testing

/// Adding objects whose primary keys are taken.
@Suite struct `Graph, upsert` {
  let store = Store()
  let stored = makeNovel(1, "Emma", pages: 400)

  init() throws { try store.add(stored) }

  @Test func `update gives the stored object what differs, and tells only that`() throws {
    var (names, pages) = ([String](), [Int]())
    let effects = [
      Effect { names.append(self.stored.name) }, Effect { pages.append(self.stored.pages) },
    ]
    var commits: [String] = []
    let token = store.commits.sink { commits.append($0.description) }
    let new = makeNovel(1, "Emma", pages: 401)
    let result = try store.add(new, onConflict: .theirs)
    #expect(result === stored && new.store == nil && stored.pages == 401)
    #expect(names == ["Emma"] && pages == [400, 401])
    #expect(commits == ["~ Novel \(stored.objectID)\n    pages: 400 -> 401"])
    withExtendedLifetime((effects, token)) {}
  }

  @Test func `update with equal values is no commit`() throws {
    var commits = 0
    let token = store.commits.sink { _ in commits += 1 }
    #expect(try store.add(makeNovel(1, "Emma", pages: 400), onConflict: .theirs) === stored)
    #expect(commits == 0)
    try store.undo()
    #expect(stored.isDeleted)
    withExtendedLifetime(token) {}
  }

  @Test func `ignore keeps the stored object and adds nothing that the new one links to`() throws {
    let new = makeNovel(1, "other")
    new.author = Writer()
    #expect(try store.add(new, onConflict: .mine) === stored)
    #expect(stored.name == "Emma" && new.author?.store == nil)
    #expect(try store.add(makeNovel(2), onConflict: .mine).store === store)
  }

  @Test func `objects reached by links update theirs, and links lead to the stored ones`() throws {
    let shelf = makeShelf("s", [stored])
    shelf.best = stored
    try store.add(shelf)
    let incoming = makeShelf("s", [makeNovel(2, "Persuasion"), makeNovel(1, "Emma!", pages: 400)])
    incoming.best = incoming.novels[0]
    incoming.novels[1].author = Writer()
    var changed: [String: [String]] = [:]
    let token = store.commits.sink { commit in
      for change in commit.changes {
        changed[change.className, default: []] += change.properties.map(\.name)
      }
    }
    #expect(try store.add(incoming, onConflict: .theirs) === shelf)
    #expect(shelf.novels[1] === stored && shelf.novels[0].name == "Persuasion")
    #expect(shelf.best === shelf.novels[0] && stored.name == "Emma!")
    #expect(stored.author?.store === store)
    #expect(Set(changed.keys) == ["Shelf", "Novel", "Writer"])
    #expect(changed["Shelf"] == ["novels", "best"] && changed["Novel"]?.contains("pages") == true)
    #expect(store.brokenInvariants() == [])
    try store.undo()
    #expect(shelf.novels.map(\.key) == [1] && shelf.best === stored && stored.name == "Emma")
    #expect(store.brokenInvariants() == [] && store.results(Writer.self).isEmpty)
    withExtendedLifetime(token) {}
  }

  @Test func `a new object that links to a taken key links to the stored one`() throws {
    let shelf = makeShelf("t", [makeNovel(1, "Emma"), makeNovel(1, "Emma", pages: 3)])
    let new = shelf.novels[0]
    #expect(try store.add(shelf, onConflict: .theirs) === shelf)
    #expect(Array(shelf.novels) == [stored, stored] && stored.pages == 3)
    #expect(stored.shelves.multiplicity(of: shelf) == 2 && new.store == nil)
    try store.undo()
    #expect(shelf.isDeleted && stored.shelves.isEmpty && stored.pages == 400)
    #expect(store.brokenInvariants() == [])
  }

  @Test func `cycles are followed once`() throws {
    func ring(_ keys: ClosedRange<Int>) -> Chain {
      let chains = keys.map { key in
        let chain = Chain()
        chain.key = key
        return chain
      }
      for (index, chain) in chains.enumerated() { chain.next = chains[(index + 1) % chains.count] }
      return chains[0]
    }
    let first = ring(1...3)
    try store.add(first)
    let second = ring(1...4)
    defer { second.next = nil }
    #expect(try store.add(second, onConflict: .theirs) === first)
    #expect(store.results(Chain.self).map(\.key) == [1, 2, 3, 4])
    #expect(first.next?.next?.next?.next === first && store.brokenInvariants() == [])
  }

  @Test func `of two new objects with one key the first is added, and the second counts too`()
    throws
  {
    let (a, b) = (makeNovel(7, "a", pages: 1), makeNovel(7, "b"))
    #expect(try store.add([a, b], onConflict: .theirs) == [a, a])
    #expect(a.name == "b" && a.pages == 0 && b.store == nil)
    let (c, d) = (makeNovel(8, "c"), makeNovel(8, "d"))
    #expect(try store.add([c, d], onConflict: .mine) == [c, c])
    #expect(c.name == "c" && store.brokenInvariants() == [])
  }

  @Test func `a key that an object of another class has is refused, with everything`() throws {
    let work = Work()
    (work.key, work.name) = (9, "w")
    try store.add(work)
    let shelf = makeShelf("s", [makeNovel(1, "x"), makeNovel(9)])
    let error = #expect(throws: StoreError.self) { try store.add(shelf, onConflict: .theirs) }
    #expect(error == StoreError.duplicateKey(.init(shelf.novels[1], property: "key"), key: "9"))
    #expect(shelf.store == nil && stored.name == "Emma" && shelf.novels[0] !== stored)
    #expect(store.brokenInvariants() == [])
    // A subclass has what its superclass has.
    let update = Work()
    (update.key, update.name) = (1, "Emma II")
    #expect(try store.add(update, onConflict: .theirs) === stored && stored.name == "Emma II")
  }

  @Test func `a link to a deleted or foreign object refuses the whole`() throws {
    let other = Store()
    let foreign = Writer()
    try other.add(foreign)
    let new = makeNovel(1, "x")
    new.author = foreign
    #expect(
      throws: StoreError.foreignObject(.init(new, property: "author"), target: .init(foreign))
    ) {
      try store.add([makeNovel(5), new], onConflict: .theirs)
    }
    #expect(stored.name == "Emma" && store.results(Novel.self).count == 1)
    #expect(throws: StoreError.alreadyOwned(.init(foreign))) {
      try store.add(foreign, onConflict: .theirs)
    }
  }

  @Test func `a write that throws takes an upsert back, with the links of what came`() throws {
    let shelf = makeShelf("t", [makeNovel(1, "x"), makeNovel(2)])
    let (one, two) = (shelf.novels[0], shelf.novels[1])
    try? store.write {
      try store.add(shelf, onConflict: .theirs)
      #expect(shelf.novels[0] === stored && stored.name == "x")
      throw Refusal()
    }
    #expect(Array(shelf.novels) == [one, two] && stored.name == "Emma" && shelf.store == nil)
    #expect(two.store == nil && store.brokenInvariants() == [])
    try store.add(shelf, onConflict: .theirs)
    #expect(Array(shelf.novels) == [stored, two] && store.brokenInvariants() == [])
  }

  @Test func `what is deleted comes back by the same instance, or updates who took its key`() throws
  {
    try store.delete(stored)
    #expect(try store.add(stored, onConflict: .theirs) === stored && !stored.isDeleted)
    try store.delete(stored)
    let heir = makeNovel(1, "heir")
    try store.add(heir)
    #expect(try store.add(stored, onConflict: .theirs) === heir && heir.name == "Emma")
    #expect(stored.isDeleted)
  }

  @Test func `indexes and results follow an upsert`() throws {
    let new = makeNovel(1, "Emma", pages: 10)
    new.shelf = "z"
    let long = store.results(Novel.self).where { $0.pages > 300 }
    #expect(long.count == 1)
    try store.add(new, onConflict: .theirs)
    #expect(long.isEmpty && store.results(Novel.self).where(\.shelf, equals: "z").count == 1)
    #expect(store.brokenInvariants() == [])
  }

  @Test func `a part of two new objects with one key is stored once`() throws {
    let (one, other) = (makePerson(1, phones: ["a", "b"]), makePerson(1, phones: ["c"]))
    other.phones.append(one.phones[1])
    let person = try store.add([one, other], onConflict: .theirs)[1]
    #expect(person === one && person.phones.map(\.number) == ["c", "b"])
    #expect(store.results(Phone.self).count == 2 && store.brokenInvariants() == [])
  }

  @Test func `a part at another place of the other new object is stored, too`() throws {
    let (one, other) = (makePerson(1, phones: ["a", "b"]), makePerson(1))
    other.phones = [one.phones[1], makePhone("c")]
    let person = try store.add([one, other], onConflict: .theirs)[1]
    #expect(person.phones.map(\.number) == ["b", "c"] && store.brokenInvariants() == [])
  }
}
