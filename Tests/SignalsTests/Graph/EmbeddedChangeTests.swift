import Signals
import Testing

/// Change sets and histories of embedded objects.
@Suite struct `Graph, changes of embedded objects` {
  let here = Store()
  let there = Store()
  let ada = makePerson(1, city: "London", phones: ["1", "2"])

  init() throws { try there.apply(commit { try here.add(ada) }) }

  func commit(_ body: () throws -> Void) throws -> ChangeSet {
    var changes = ChangeSet()
    let token = here.commits.sink { changes = changes.merging($0) }
    try body()
    token.cancel()
    return changes
  }

  var copy: Person? { there.object(Person.self, primaryKey: 1) }

  @Test func `they arrive, change hands and go with their owner`() throws {
    #expect(copy?.home?.city == "London" && copy?.phones.count == 2)
    #expect(copy?.home?.owner === copy)
    let bob = makePerson(2, city: "Paris", phones: [])
    try there.apply(commit { try here.add(bob) })
    let moved = ada.phones[0]
    let move = try commit {
      try here.write {
        ada.phones.remove(at: 0)
        bob.phones.append(moved)
      }
    }
    #expect(try there.apply(move).isClean)
    #expect(copy?.phones.count == 1)
    let other = try #require(there.object(Person.self, primaryKey: 2))
    #expect(other.phones.map(\.objectID) == [moved.objectID])
    #expect(other.phones.first?.owner === other)
    try there.apply(commit { try here.delete(ada) })
    #expect(copy == nil && there.results(Phone.self).count == 1)
    #expect(there.brokenInvariants() == [])
    try there.apply(commit { bob.home = nil })
    #expect(there.results(Address.self).isEmpty && there.brokenInvariants() == [])
  }

  @Test func `one whose owner is not here is not added`() throws {
    let bob = makePerson(2, city: "Paris", phones: [])
    try here.add(bob)
    let change = try commit { bob.phones.append(Phone()) }
    let report = try there.apply(change, onConflict: .theirs)
    #expect(report.conflicts.map(\.reason) == [.missing])
    #expect(there.results(Phone.self).count == 2 && there.brokenInvariants() == [])
  }

  @Test func `they are undone and redone with their owners`() throws {
    let history = UndoHistory(here)
    let home = try #require(ada.home)
    ada.home = nil
    try here.delete(ada)
    for _ in 0..<2 {
      try history.undo()
      #expect(!ada.isDeleted && ada.phones.count == 2 && ada.home == nil)
      try history.undo()
      #expect(ada.home === home && home.owner === ada && here.brokenInvariants() == [])
      try history.redo()
      #expect(home.isDeleted && ada.home == nil)
      try history.redo()
      #expect(ada.isDeleted && here.results(Phone.self).isEmpty)
      #expect(here.brokenInvariants() == [])
    }
  }
}
