import Signals
import TestSupport
import Testing

/// Links of change sets to objects that aren't in the store.
@Suite struct `Graph, links to absent objects` {
  let here = Store()
  let there = Store()
  let shelf = makeShelf("s")
  let a = makeNovel(1), b = makeNovel(2), c = makeNovel(3)
  /// The insertions of the novels, and of the shelf without novels.
  let made: [ChangeSet]
  /// The change sets that fill the shelf with the novels in order, and select the second.
  let filled: ChangeSet
  let selected: ChangeSet

  init() throws {
    let (here, shelf, novels) = (here, shelf, [a, b, c])
    var sets: [ChangeSet] = []
    let token = here.commits.sink { sets.append($0) }
    for novel in novels { try here.add(novel) }
    try here.add(shelf)
    shelf.novels = List(novels)
    shelf.best = novels[1]
    token.cancel()
    made = Array(sets[0...3])
    (filled, selected) = (sets[4], sets[5])
    try there.apply(made[3])
  }

  private var copy: Shelf? { there.object(Shelf.self, primaryKey: "s") }
  private var keys: [Int] { copy?.novels.map(\.key) ?? [] }

  private func expectDangling(_ report: ConflictReport, _ count: Int) {
    #expect(report.conflicts.count == count)
    for conflict in report.conflicts {
      guard case .danglingLink = conflict.reason else {
        Issue.record("\(conflict.reason)")
        continue
      }
    }
  }

  @Test func `a link is set when its target arrives`() throws {
    expectDangling(try there.apply(selected, onConflict: .theirs), 1)
    #expect(copy?.best == nil)
    #expect(try there.apply(made[1]).isClean)
    #expect(copy?.best?.key == 2)
    #expect(there.brokenInvariants() == [])
  }

  @Test(arguments: [[0, 1, 2], [2, 1, 0], [1, 2, 0], [2, 0, 1]])
  func `a list gets its members in their places, in whatever order they arrive`(order: [Int]) throws
  {
    expectDangling(try there.apply(filled, onConflict: .theirs), 3)
    for index in order { try there.apply(made[index]) }
    #expect(keys == [1, 2, 3])
  }

  @Test func `members that arrive together are in order, after those added before`() throws {
    try there.apply(made[0])
    try there.apply(filled, onConflict: .theirs)
    let own = makeNovel(9)
    copy?.novels.append(own)
    try there.apply(made[2].merging(made[1]))
    #expect(keys == [1, 2, 3, 9])
  }

  @Test func `a link that was written before its target arrives, or set to nil, stays`() throws {
    try there.apply(selected, onConflict: .theirs)
    copy?.best = makeNovel(9)
    copy?.best = nil
    try there.apply(made[1])
    #expect(copy?.best == nil)
  }

  @Test func `a later change set replaces what a list waits for`() throws {
    try there.apply(filled, onConflict: .theirs)
    let token = here.commits.sink { [there] in _ = try? there.apply($0, onConflict: .theirs) }
    shelf.novels.remove(at: 1)
    token.cancel()
    for set in made[0...2] { try there.apply(set) }
    #expect(keys == [1, 3])
  }

  @Test func `a deleted object waits for nothing, also when an undo brings it back`() throws {
    try there.apply(selected, onConflict: .theirs)
    try there.delete(try #require(copy))
    try there.undo()
    try there.apply(made[1])
    #expect(copy?.best == nil && copy != nil)
  }

  @Test func `a failed transaction changes nothing of what links wait for`() throws {
    struct Stop: Error {}
    #expect(throws: Stop.self) {
      try there.write {
        try there.apply(selected, onConflict: .theirs)
        throw Stop()
      }
    }
    try there.apply(made[1])
    #expect(copy?.best == nil)
    try there.apply(made[1].inverted())
    try there.apply(selected, onConflict: .theirs)
    #expect(throws: Stop.self) {
      try there.write {
        try there.apply(made[1])
        throw Stop()
      }
    }
    #expect(throws: Stop.self) {
      try there.write {
        copy?.best = makeNovel(9)
        throw Stop()
      }
    }
    try there.apply(made[1])
    #expect(copy?.best?.key == 2)
  }

  @Test func `undoing the arrival unlinks the object, and a redo links it again`() throws {
    try there.apply(selected, onConflict: .theirs)
    try there.apply(made[1])
    try there.undo()
    #expect(copy?.best == nil && there.object(Novel.self, primaryKey: 2) == nil)
    try there.redo()
    #expect(copy?.best?.key == 2 && there.brokenInvariants() == [])
  }

  @Test func `an undo that brings a deleted target back links it`() throws {
    try there.apply(made[1])
    try there.delete(try #require(there.object(Novel.self, primaryKey: 2)))
    try there.write(undoable: false) { _ = try there.apply(selected, onConflict: .theirs) }
    #expect(copy?.best == nil)
    try there.undo()
    #expect(copy?.best?.key == 2)
  }

  @Test func `a link that this store hasn't changed waits under the policy mine, too`() throws {
    expectDangling(try there.apply(selected, onConflict: .mine), 1)
    try there.apply(made[1])
    #expect(copy?.best?.key == 2)
  }

  @Test func `an embedded object that arrives later has its owner`() throws {
    let person = makePerson(1)
    var sets: [ChangeSet] = []
    let token = here.commits.sink { sets.append($0) }
    try here.add(person)
    let address = Address()
    person.home = address
    token.cancel()
    try there.apply(sets[0])
    let link = ChangeSet(sets[1].changes.filter { $0.id == person.objectID }, origin: nil)
    let home = ChangeSet(sets[1].changes.filter { $0.id == address.objectID }, origin: nil)
    try there.apply(link, onConflict: .theirs)
    try there.apply(home)
    #expect(there.object(Person.self, primaryKey: 1)?.home?.objectID == address.objectID)
    #expect(there.brokenInvariants() == [])
  }

  @Test func `an embedded object that is owned when it arrives keeps its owner`() throws {
    let (first, second) = (makePerson(1), makePerson(2))
    var sets: [ChangeSet] = []
    let token = here.commits.sink { sets.append($0) }
    try here.add([first, second])
    let address = Address()
    first.home = address
    try here.write {
      first.home = nil
      second.home = address
    }
    token.cancel()
    try there.apply(sets[0])
    let link = ChangeSet(sets[1].changes.filter { $0.id == first.objectID }, origin: nil)
    try there.apply(link, onConflict: .theirs)
    let rest = sets[1].merging(sets[2])
    try there.apply(
      ChangeSet(rest.changes.filter { $0.id != first.objectID }, origin: nil), onConflict: .theirs)
    let owners = [1, 2].map { there.object(Person.self, primaryKey: $0)?.home?.objectID }
    #expect(owners == [nil, address.objectID])
    #expect(there.brokenInvariants() == [])
  }

  @Test func `a member that arrives with its list is linked once`() throws {
    let (list, member) = (makeShelf("list"), makeNovel(77))
    let store = Store()
    var sets: [ChangeSet] = []
    let token = store.commits.sink { sets.append($0) }
    try store.add(list)
    try store.add(member)
    list.novels.append(member)
    try store.delete(member)
    try store.undo()
    let other = Store()
    try other.apply(sets[0])
    try other.apply(sets[2], onConflict: .theirs)
    try other.apply(sets[4], onConflict: .theirs)
    let copy = other.object(Shelf.self, primaryKey: "list")
    #expect(copy?.novels.map(\.key) == [77] && other.brokenInvariants() == [])
    withExtendedLifetime(token) {}
  }

  @Test func `an edit that moves a member which is absent is named, and links it once`() throws {
    let list = makeShelf("list", [makeNovel(70)])
    let store = Store()
    var sets: [ChangeSet] = []
    let token = store.commits.sink { sets.append($0) }
    try store.add(list)
    list.novels.append(makeNovel(77))
    list.novels.move(fromOffsets: [1], toOffset: 0)
    let other = Store()
    try other.apply(sets[0])
    let report = try other.apply(sets[2], onConflict: .theirs)
    #expect(report.conflicts.count == 1)
    try other.apply(sets[1])
    let copy = other.object(Shelf.self, primaryKey: "list")
    #expect(copy?.novels.map(\.key) == [70, 77])
    withExtendedLifetime(token) {}
  }
}
