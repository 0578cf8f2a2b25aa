import Signals
import TestSupport
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

  @Test(arguments: [ConflictPolicy.mine, .theirs])
  func `one that was given to two has the owner that the policy chooses`(
    policy: ConflictPolicy
  ) throws {
    let (bob, eve) = (makePerson(2, phones: []), makePerson(3, phones: []))
    try there.apply(commit { try here.add([bob, eve]) })
    func move(_ store: Store, to id: Int) throws {
      let from = try #require(store.object(Person.self, primaryKey: 1))
      let to = try #require(store.object(Person.self, primaryKey: id))
      try store.write { to.phones.append(from.phones.remove(at: 0)) }
    }
    let moved = ada.phones[0].objectID
    let change = try commit { try move(here, to: 2) }
    try move(there, to: 3)
    #expect(throws: ChangeConflictError.self) { try there.apply(change) }
    let report = try there.apply(change, onConflict: policy)
    let holder = try #require(there.object(Person.self, primaryKey: policy == .mine ? 3 : 2))
    let owned = report.conflicts.map { conflict -> [ObjectID] in
      if case .owned(let part, let owner) = conflict.reason { [part.id, owner.id] } else { [] }
    }
    #expect(owned == [[moved, eve.objectID]])
    #expect(holder.phones.map(\.objectID) == [moved] && there.brokenInvariants() == [])
    #expect(there.results(Phone.self).count == 2)
  }

  @Test func `what would become part of itself goes, and the rest is made`() throws {
    let machine = Machine()
    let (a, b) = (Part(), Part())
    (machine.part, machine.parts) = (a, [b])
    try there.apply(commit { try here.add(machine) })
    let change = try commit {
      try here.write {
        machine.name = "made"
        machine.part = nil
        b.part = a
      }
    }
    let copy = try #require(there.results(Machine.self).first)
    try there.write { copy.part?.part = copy.parts.remove(at: 0) }
    #expect(throws: ChangeConflictError.self) { try there.apply(change) }
    #expect(copy.name == "" && there.results(Part.self).count == 2)
    let report = try there.apply(change, onConflict: .mine)
    #expect(
      report.conflicts.map(\.description) == [
        "\(StoreError.Subject(b, property: "part")) can't own \(StoreError.Subject(a)), being part of it"
      ])
    #expect(copy.name == "made" && there.results(Part.self).isEmpty)
    #expect(there.brokenInvariants() == [])
  }

  @Test func `one without an owner in the end goes, whatever its links deny`() throws {
    let keeper = Keeper()
    keeper.box = Box()
    try there.apply(commit { try here.add([keeper, Keeper()]) })
    let change = try commit { keeper.box = nil }
    let copies = Array(there.results(Keeper.self))
    copies[0].box?.witness = copies[1]
    let report = try there.apply(change, onConflict: .mine)
    #expect(report.conflicts.count == 1 && copies[0].box == nil)
    #expect(there.results(Box.self).isEmpty && there.brokenInvariants() == [])
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

private final class Keeper: Object {
  @Link var box: Box?
}

private final class Box: EmbeddedObject {
  @Link(onDelete: .deny) var witness: Keeper?
}
