import Signals
import TestSupport
import Testing

/// Objects that are part of exactly one other.
@Suite struct `Graph, embedded objects` {
  let store = Store()
  let ada = makePerson(1, city: "London", phones: ["1", "2", "3"])
  let bob = makePerson(2)
  let refused: RefusalLog

  init() throws {
    refused = RefusalLog(store)
    try store.add([ada, bob])
  }

  @Test func `it is stored with its owner and found by results, with its owner`() throws {
    let home = try #require(ada.home)
    #expect(home.store === store && home.owner === ada && home.geo?.owner === home)
    #expect(store.results(Phone.self).map(\.number) == ["1", "2", "3"])
    #expect(Array(home.people) == [ada] && store.brokenInvariants() == [])
  }

  @Test func `deleting the owner deletes it, deep, and undo brings the same instances back`() throws
  {
    let (home, phones) = (try #require(ada.home), Array(ada.phones))
    let geo = try #require(home.geo)
    try store.delete(ada)
    #expect(home.isDeleted && geo.isDeleted && phones.allSatisfy(\.isDeleted))
    #expect(home.city == "London" && home.owner == nil && phones[1].number == "2")
    try store.undo()
    #expect(ada.home === home && home.geo === geo && Array(ada.phones) == phones)
    #expect(home.owner === ada && store.brokenInvariants() == [])
  }

  @Test func `unlinking it deletes it in the same commit, and undo brings it back`() throws {
    let home = try #require(ada.home)
    let geo = try #require(home.geo)
    var commits: [[String]] = []
    let token = store.commits.sink {
      commits.append($0.changes.map { "\($0.kind) \($0.className)" })
    }
    ada.home = nil
    #expect(home.isDeleted && geo.isDeleted && home.city == "London" && home.geo == nil)
    #expect(commits == [["modified Person", "deleted Address", "deleted Geo"]])
    try store.undo()
    #expect(ada.home === home && home.geo === geo && store.brokenInvariants() == [])
    ada.phones.remove(at: 1)
    #expect(store.results(Phone.self).map(\.number) == ["1", "3"])
    withExtendedLifetime(token) {}
  }

  @Test func `one that lost its owner can't be linked beside something new that owns it`() throws {
    let machine = Machine()
    let part = Part()
    machine.part = part
    try store.add(machine)
    let taker = Part()
    taker.parts = [part]
    #expect(
      throws: StoreError.alreadyEmbedded(
        .init(machine, property: "parts"), target: .init(part),
        owner: .init(taker, property: "parts"))
    ) {
      try store.write {
        machine.part = nil
        machine.parts = [part, taker]
        #expect(machine.parts.isEmpty && taker.store == nil && part.owner == nil)
      }
    }
    #expect(machine.part === part && store.brokenInvariants() == [])
    try store.write {
      machine.part = nil
      machine.parts = [taker]
    }
    #expect(part.owner === taker && store.brokenInvariants() == [])
  }

  @Test func `replacing it deletes the one before`() throws {
    let home = try #require(ada.home)
    let other = Address()
    other.city = "Paris"
    ada.home = other
    #expect(home.isDeleted && other.owner === ada && store.results(Address.self).count == 1)
    ada.phones[0] = makePhone("9")
    #expect(store.results(Phone.self).map(\.number).sorted() == ["2", "3", "9"])
    ada.phones = []
    #expect(store.results(Phone.self).isEmpty && store.brokenInvariants() == [])
  }

  @Test func `one that has an owner elsewhere is refused, naming both`() throws {
    let home = try #require(ada.home)
    bob.home = home
    #expect(bob.home == nil && ada.home === home)
    #expect(
      refused.errors == [
        .alreadyEmbedded(
          .init(bob, property: "home"), target: .init(home), owner: .init(ada, property: "home"))
      ])
    #expect(
      refused.errors[0].description
        == "Person(id: \(bob.id)).home can't own Address(city: \"London\"), "
        + "which Person(id: \(ada.id)).home owns")
    bob.phones.append(ada.phones[0])
    #expect(bob.phones.isEmpty && refused.errors.count == 2)
    #expect(throws: refused.errors[0]) { try store.write { bob.home = home } }
    #expect(store.brokenInvariants() == [])
  }

  @Test func `it moves by being unlinked and linked in one write, with what it embeds`() throws {
    let home = try #require(ada.home)
    let geo = try #require(home.geo)
    var owners: [Int?] = []
    let effect = Effect { owners.append((home.owner as? Person)?.id) }
    try store.write {
      ada.home = nil
      #expect(!home.isDeleted)
      bob.home = home
    }
    #expect(bob.home === home && home.geo === geo && !home.isDeleted && owners == [1, 2])
    try store.undo()
    #expect(ada.home === home && bob.home == nil && owners == [1, 2, 1])
    let phone = ada.phones[0]
    try store.write {
      ada.phones.remove(phone)
      ada.phones.append(phone)
    }
    #expect(ada.phones.map(\.number) == ["2", "3", "1"] && store.brokenInvariants() == [])
    withExtendedLifetime(effect) {}
  }

  @Test func `moving within a list deletes nothing, and a second place is refused`() throws {
    let phones = Array(ada.phones)
    ada.phones.move(fromOffsets: [0], toOffset: 3)
    ada.phones.swapAt(0, 1)
    ada.phones.sort { $0.number < $1.number }
    #expect(Array(ada.phones) == phones && phones.allSatisfy { !$0.isDeleted })
    ada.phones.append(phones[0])
    ada.phones = List([phones[0], phones[0]])
    let twice = makePhone("x")
    bob.phones = [twice, twice]
    #expect(Array(ada.phones) == phones && bob.phones.isEmpty && refused.errors.count == 3)
    #expect(
      refused.errors[0]
        == .alreadyEmbedded(
          .init(ada, property: "phones"), target: .init(phones[0]),
          owner: .init(ada, property: "phones")))
    #expect(store.brokenInvariants() == [])
  }

  @Test func `it can't be added on its own`() throws {
    let phone = makePhone("7")
    #expect(throws: StoreError.embeddedWithoutOwner(.init(phone))) { try store.add(phone) }
    #expect(throws: StoreError.embeddedWithoutOwner(.init(phone))) {
      try store.add(phone, onConflict: .theirs)
    }
    #expect(phone.store == nil)
    let carl = makePerson(3)
    carl.phones = [phone]
    try store.add([phone, carl] as [Object])
    #expect(phone.owner === carl)
  }

  @Test func `objects that share one are refused when they are added`() throws {
    let (a, b, home) = (makePerson(5), makePerson(6), Address())
    (a.home, b.home) = (home, home)
    let error = #expect(throws: StoreError.self) { try store.add([a, b]) }
    #expect(
      error
        == .alreadyEmbedded(
          .init(b, property: "home"), target: .init(home), owner: .init(a, property: "home")))
    #expect(a.store == nil && home.store == nil && home.owner == nil)
    let thief = makePerson(7)
    thief.home = ada.home
    #expect(throws: StoreError.self) { try store.add(thief) }
    #expect(thief.store == nil && ada.home?.owner === ada && store.brokenInvariants() == [])
  }

  @Test func `ownership has no rings`() throws {
    let (a, b, c, machine) = (Part(), Part(), Part(), Machine())
    machine.part = a
    a.part = b
    b.part = c
    try store.add(machine)
    #expect(
      throws: StoreError.embeddedInItself(.init(c, property: "part"), target: .init(a))
    ) {
      try store.write {
        machine.part = nil
        c.part = a
      }
    }
    let (d, e) = (Part(), Part())
    (d.part, e.part) = (e, d)
    #expect(throws: StoreError.self) { try store.add(d) }
    c.parts = [d]
    #expect(c.parts.isEmpty && d.store == nil && store.brokenInvariants() == [])
    e.part = nil
    // What is unlinked takes the place of what it embedded: no ring.
    try store.write {
      machine.part = nil
      a.part = nil
      machine.part = b
    }
    #expect(a.isDeleted && b.owner === machine && c.owner === b)
    #expect(store.brokenInvariants() == [])
  }

  @Test func `a deleted one is not linked again, but a copy is`() throws {
    let home = try #require(ada.home)
    try store.delete(home)
    #expect(ada.home == nil && home.isDeleted)
    bob.home = home
    #expect(refused.errors == [.deletedObject(.init(bob, property: "home"), target: .init(home))])
    let copy = home.copy()
    bob.home = copy
    #expect(bob.home?.city == "London" && copy.store === store)
  }

  @Test func `a copy is deep, and its other links lead where they did`() throws {
    let home = try #require(ada.home)
    home.geo?.latitude = 51
    let seller = Writer()
    ada.phones[0].seller = seller
    let (copy, phone) = (home.copy(), ada.phones[0].copy())
    #expect(copy.geo?.latitude == 51 && copy.geo !== home.geo && copy.store == nil)
    #expect(phone.seller === seller && phone.number == "1")
    copy.geo?.latitude = 0
    #expect(home.geo?.latitude == 51)
  }

  @Test func `a write that throws leaves everything, and deletes nothing`() throws {
    let (home, phones) = (try #require(ada.home), Array(ada.phones))
    try? store.write {
      ada.home = nil
      ada.phones = [makePhone("x")]
      try? store.write {
        bob.home = home
        throw Refusal()
      }
      bob.phones = [phones[2]]
      throw Refusal()
    }
    #expect(ada.home === home && Array(ada.phones) == phones && bob.home == nil)
    #expect(phones.allSatisfy { $0.owner === ada } && store.brokenInvariants() == [])
  }

  @Test func `a hook sees what an unlinking deletes, and may unlink more`() throws {
    var seen: [String] = []
    store.beforeCommit { [unowned store] change in
      seen += change.changes.map { "\($0.kind) \($0.className)" }
      for person in store.results(Person.self) where person.id == 1 { person.phones = [] }
    }
    ada.home?.geo = nil
    #expect(seen.prefix(2) == ["modified Address", "deleted Geo"])
    #expect(seen.count { $0 == "deleted Phone" } == 3 && store.results(Phone.self).isEmpty)
  }

  @Test func `undo after a later move is refused rather than giving it two owners`() throws {
    let home = try #require(ada.home)
    try store.write {
      ada.home = nil
      bob.home = home
    }
    let carl = makePerson(3)
    try store.write(undoable: false) {
      try store.add(carl)
      bob.home = nil
      carl.home = home
    }
    #expect(throws: StoreError.self) { try store.undo() }
    #expect(carl.home === home && home.owner === carl && store.canUndo)
    #expect(store.brokenInvariants() == [])
  }

  @Test func `an upsert updates it in place, and position by position in a list`() throws {
    let (home, phones) = (try #require(ada.home), Array(ada.phones))
    var geos = 0
    let effect = Effect {
      _ = home.geo?.latitude
      geos += 1
    }
    let new = makePerson(1, city: "Paris", phones: ["1", "x"])
    try store.add(new, onConflict: .theirs)
    #expect(ada.home === home && home.city == "Paris" && geos == 1)
    #expect(Array(ada.phones) == Array(phones.prefix(2)) && phones[1].number == "x")
    #expect(phones[2].isDeleted && new.home?.store == nil && store.brokenInvariants() == [])
    try store.add(makePerson(1, phones: ["1", "x", "y", "z"]), onConflict: .theirs)
    #expect(home.isDeleted && ada.phones.map(\.number) == ["1", "x", "y", "z"])
    #expect(ada.phones[0] === phones[0] && store.brokenInvariants() == [])
    try store.undo()
    try store.undo()
    #expect(ada.home === home && Array(ada.phones) == phones && phones[1].number == "2")
    withExtendedLifetime(effect) {}
  }

  @Test func `a class that has a primary key can't be embedded`() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let keyed = KeyedHolder()
      keyed.part = KeyedPart()
      try Store().add(keyed)
    }
    expectError(result, "Signals: KeyedPart is an EmbeddedObject: it can't have a primary key")
  }

  @Test func `a chain of embedded objects may be as long as memory allows`() {
    onSmallStack {
      let (store, machine) = (Store(), Machine())
      let count = runLength(usually: 20_000)
      var last = Part()
      machine.part = last
      for _ in 1..<count {
        let next = Part()
        last.part = next
        last = next
      }
      try store.add(machine)
      let copy = try #require(machine.part?.copy())
      try store.delete(machine)
      #expect(last.isDeleted && store.results(Part.self).isEmpty)
      try store.undo()
      #expect(last.store === store)
      machine.part = copy
      #expect(last.isDeleted && store.results(Part.self).count == count)
    }
  }
}

private final class KeyedPart: EmbeddedObject {
  @PrimaryKey var key = 0
}

private final class KeyedHolder: Object {
  @Link var part: KeyedPart?
}
