import Signals
import TestSupport
import Testing

/// What an undo does where others have written since, and what it tells of that.
@Suite struct `Graph, conflicts of undo` {
  let store = Store()
  let soup = StockedDish("soup", stock: 2)
  let fish = StockedDish("fish")
  let salad = StockedDish("salad")

  init() throws {
    try store.write(undoable: false) { try store.add([soup, fish, salad]) }
  }

  private func others(_ body: () throws -> Void) throws {
    try store.write(origin: "others", undoable: false, body)
  }

  /// The properties of conflicts, and what they say of them.
  private func places(_ conflicts: [ChangeConflict]) -> [String] {
    conflicts.map(\.description)
  }

  @Test func `an undo throws its conflicts, and changes nothing`() throws {
    try store.write {
      soup.price = 1
      soup.name = "stew"
    }
    try others { soup.price = 5 }
    let error = try #require(throws: ChangeConflictError.self) { try store.undo() }
    let conflict = try #require(error.conflicts.first)
    #expect(error.conflicts.count == 1)
    #expect((conflict.subject.id, conflict.subject.className) == (soup.objectID, "StockedDish"))
    #expect(conflict.property?.name == "price" && conflict.reason == .changed)
    #expect(conflict.property?.old as? Int == 1)
    #expect(conflict.property?.new as? Int == 0)
    #expect(conflict.present as? Int == 5)
    #expect(error.description == #"StockedDish(name: "soup").price is 5 here, and not 1"#)
    #expect((soup.price, soup.name) == (5, "stew"))
    #expect(store.history.undoCount == 1 && !store.canRedo)
  }

  @Test func `a conflict names its object, and where it leads to, by keys and labels`() throws {
    soup.side = fish
    soup.side = nil
    try others { try store.delete(fish) }
    let error = #expect(throws: ChangeConflictError.self) { try store.undo() }
    #expect(
      error?.description
        == #"StockedDish(name: "soup").side leads to StockedDish(name: "fish"), which is not here"#)
  }

  @Test func `.theirs leaves what others wrote, and reports it`() throws {
    try store.write {
      soup.price = 1
      soup.name = "stew"
    }
    try others { soup.price = 5 }
    let report = try store.undo(onConflict: .theirs)
    #expect(
      places(report.conflicts) == [
        "\(StoreError.Subject(soup, property: "price")) is 5 here, and not 1"
      ])
    #expect(!report.isClean)
    #expect((soup.price, soup.name) == (5, "soup"))
    let again = try store.redo()
    #expect(again.isClean)
    #expect((soup.price, soup.name) == (5, "stew"))
  }

  @Test func `.mine takes back all the same, and reports it; its redo brings theirs back`() throws {
    soup.price = 1
    try others { soup.price = 5 }
    let report = try store.undo(onConflict: .mine)
    #expect(report.conflicts.count == 1 && soup.price == 0)
    try store.redo()
    #expect(soup.price == 5)
  }

  @Test func `a redo reports as an undo does`() throws {
    soup.price = 1
    try store.undo()
    try others { soup.price = 5 }
    #expect(throws: ChangeConflictError.self) { try store.redo() }
    #expect(soup.price == 5 && store.canRedo)
    #expect(try store.redo(onConflict: .theirs).conflicts.count == 1)
    #expect(soup.price == 5)
  }

  @Test func `what has its value from before already is no conflict`() throws {
    soup.price = 1
    try others { soup.price = 0 }
    #expect(try store.undo().isClean)
    #expect(soup.price == 0)
  }

  @Test func `an undo without conflicts is clean`() throws {
    soup.price = 1
    try others { fish.price = 5 }
    #expect(try store.undo() == store.redo())
    #expect(try store.undo().isClean)
  }

  @Test(arguments: [ConflictPolicy.fail, .theirs, .mine])
  func `what a step has added and linked is no conflict, whatever it had linked before`(
    policy: ConflictPolicy
  ) throws {
    let store = Store()
    let history = UndoHistory(store, origins: ["me"])
    let (novel, first, second) = (makeNovel(1), Writer(), Writer())
    novel.author = first
    try store.add([novel, first, second] as [Object])
    try store.write(origin: "me") {
      novel.author = second
      novel.author = Writer()
    }
    let (added, after) = (novel.author, store.snapshot())
    for _ in 0..<3 {
      #expect(try history.undo(onConflict: policy).isClean)
      #expect(novel.author === first)
      #expect(try history.redo(onConflict: policy).isClean)
      #expect(novel.author === added && store.snapshot() == after)
    }
  }

  @Test func `a history of origins reports what other origins wrote`() throws {
    let history = UndoHistory(store, origins: ["mine"])
    try store.write(origin: "mine") { soup.price = 1 }
    try store.write(origin: "yours") { soup.price = 5 }
    #expect(throws: ChangeConflictError.self) { try history.undo() }
    #expect(try history.undo(onConflict: .theirs).conflicts.count == 1)
    #expect(soup.price == 5)
  }

  @Test(arguments: [ConflictPolicy.fail, .theirs, .mine])
  func `a link that others have changed is a conflict as a field is`(policy: ConflictPolicy) throws
  {
    soup.side = fish
    try others { soup.side = salad }
    let before =
      "\(StoreError.Subject(soup, property: "side")) is \(salad.objectID) here, and not \(fish.objectID)"
    switch policy {
    case .fail:
      let error = #expect(throws: ChangeConflictError.self) { try store.undo() }
      #expect(error?.description == before)
    case .theirs, .mine:
      #expect(places(try store.undo(onConflict: policy).conflicts) == [before])
    }
    #expect(soup.side === (policy == .mine ? nil : salad))
    #expect(store.brokenInvariants() == [])
  }

  @Test(arguments: [ConflictPolicy.fail, .theirs, .mine])
  func `an object that others have deleted is missing`(policy: ConflictPolicy) throws {
    try store.write {
      soup.price = 1
      fish.price = 1
    }
    try others { try store.delete(soup) }
    let expected = ["\(StoreError.Subject(soup)) is not here"]
    if policy == .fail {
      let error = #expect(throws: ChangeConflictError.self) { try store.undo() }
      #expect(places(error?.conflicts ?? []) == expected)
      #expect(fish.price == 1)
    } else {
      #expect(places(try store.undo(onConflict: policy).conflicts) == expected)
      #expect(fish.price == 0)
    }
  }

  @Test(arguments: [ConflictPolicy.fail, .theirs, .mine])
  func `a link to what others have deleted can't be put back`(policy: ConflictPolicy) throws {
    try store.write(undoable: false) { soup.side = fish }
    soup.side = salad
    try others { try store.delete(fish) }
    let expected = [
      "\(StoreError.Subject(soup, property: "side")) leads to \(StoreError.Subject(fish)), which is not here"
    ]
    if policy == .fail {
      let error = #expect(throws: ChangeConflictError.self) { try store.undo() }
      #expect(places(error?.conflicts ?? []) == expected)
      #expect(soup.side === salad)
    } else {
      #expect(places(try store.undo(onConflict: policy).conflicts) == expected)
      #expect(soup.side == nil)
    }
  }

  @Test func `a list can't be given back what others have deleted`() throws {
    try store.write(undoable: false) { soup.parts = [fish, salad] }
    soup.parts.removeAll()
    try others { try store.delete(fish) }
    let expected = [
      "\(StoreError.Subject(soup, property: "parts")) leads to \(StoreError.Subject(fish)), which is not here"
    ]
    let error = #expect(throws: ChangeConflictError.self) { try store.undo() }
    #expect(places(error?.conflicts ?? []) == expected)
    #expect(places(try store.undo(onConflict: .theirs).conflicts) == expected)
    #expect(soup.parts.elementsEqual([salad]))
    #expect(store.brokenInvariants() == [])
  }

  @Test(arguments: [ConflictPolicy.fail, .theirs, .mine])
  func `lists merge, whatever the policy`(policy: ConflictPolicy) throws {
    try store.write(undoable: false) { soup.parts = [fish] }
    soup.parts.append(salad)
    let bread = StockedDish("bread")
    try others { soup.parts.insert(bread, at: 0) }
    #expect(try store.undo(onConflict: policy).isClean)
    #expect(soup.parts.map(\.name) == ["bread", "fish"])
  }

  @Test func `a move in a list that others have changed is taken back`() throws {
    try store.write(undoable: false) { soup.parts = [fish, salad, soup] }
    soup.parts = [soup, fish, salad]
    let bread = StockedDish("bread")
    try others { soup.parts.append(bread) }
    #expect(try store.undo().isClean)
    #expect(soup.parts.map(\.name) == ["fish", "salad", "soup", "bread"])
    #expect(store.brokenInvariants() == [])
  }

  @Test(arguments: [ConflictPolicy.fail, .theirs, .mine])
  func `an object that others have added again is there already`(policy: ConflictPolicy) throws {
    try store.delete(soup)
    try others {
      soup.price = 9
      try store.add(soup)
    }
    if policy == .fail {
      let error = #expect(throws: ChangeConflictError.self) { try store.undo() }
      #expect(
        places(error?.conflicts ?? []) == [
          "\(StoreError.Subject(soup, property: "price")) is here already"
        ])
    } else {
      #expect(try store.undo(onConflict: policy).conflicts.count == 1)
    }
    #expect(soup.price == (policy == .mine ? 0 : 9))
  }

  @Test(arguments: [ConflictPolicy.fail, .theirs, .mine])
  func `an object that the step added and others have written to is a conflict`(
    policy: ConflictPolicy
  ) throws {
    let bread = StockedDish("bread")
    try store.add(bread)
    try others { bread.price = 3 }
    if policy == .fail {
      #expect(throws: ChangeConflictError.self) { try store.undo() }
    } else {
      let conflict = try #require(try store.undo(onConflict: policy).conflicts.first)
      #expect(conflict.reason == .changed && conflict.property?.new == nil)
      #expect(conflict.present as? Int == 3 && conflict.property?.old as? Int == 0)
    }
    #expect(bread.isDeleted == (policy == .mine) && bread.price == 3)
    if policy == .mine {
      #expect(try store.redo().isClean)
      #expect(bread.price == 3 && !bread.isDeleted)
    }
  }

  @Test func `what others have deleted that the step had added is gone as it should be`() throws {
    let bread = StockedDish("bread")
    try store.write {
      try store.add(bread)
      soup.side = bread
    }
    bread.price = 1
    try others { try store.delete(bread) }
    #expect(try store.undo(onConflict: .theirs).conflicts.map(\.reason) == [.missing])
    #expect(try store.undo().isClean)
    #expect(soup.side == nil)
  }

  @Test func `what others have deleted, changed and added again is not overwritten`() throws {
    soup.price = 1
    try others { try store.delete(soup) }
    soup.price = 7
    try others { try store.add(soup) }
    #expect(throws: ChangeConflictError.self) { try store.undo() }
    #expect(try store.undo(onConflict: .theirs).conflicts.count == 1)
    #expect(soup.price == 7)
  }

  @Test func `what others write in the middle of a group is kept, and reported`() throws {
    for origins: Set<Origin>? in [nil, ["mine"]] {
      let history = UndoHistory(store, origins: origins)
      try store.write(undoable: false) {
        soup.price = 0
        soup.stock = 10
      }
      try history.group {
        try store.write(origin: "mine") {
          soup.price = 1
          soup.stock -= 1
        }
        try others {
          soup.price = 5
          soup.stock += 20
        }
        try store.write(origin: "mine") {
          soup.price = 6
          soup.stock -= 2
        }
      }
      #expect(history.undoCount == 1)
      #expect(throws: ChangeConflictError.self) { try history.undo() }
      #expect((soup.price, soup.stock) == (6, 27))
      let report = try history.undo(onConflict: .theirs)
      #expect(
        places(report.conflicts) == [
          "\(StoreError.Subject(soup, property: "price")) is 5 here, and not 1"
        ])
      #expect((soup.price, soup.stock) == (5, 30))
      try history.redo()
      #expect((soup.price, soup.stock) == (6, 27))
      try history.undo(onConflict: .mine)
      #expect((soup.price, soup.stock) == (5, 30))
    }
  }

  @Test func `in a write the report comes back, and an error takes the write back`() throws {
    soup.price = 1
    try others { soup.price = 5 }
    let report = try store.write {
      let report = try store.undo(onConflict: .theirs)
      fish.price = 3
      return report
    }
    #expect(report.conflicts.count == 1 && fish.price == 3)
    soup.price = 6
    try others { soup.price = 7 }
    #expect(throws: ChangeConflictError.self) {
      try store.write {
        try store.undo()
        fish.price = 4
      }
    }
    #expect(fish.price == 3 && soup.price == 7 && store.history.undoCount == 1)
  }

  @Test func `values that write and undo while they are compared break nothing`() throws {
    soup.price = 1
    try others { soup.price = 5 }
    let effect = Effect {
      if soup.price == 5 { _ = try? store.undo(onConflict: .mine) }
    }
    #expect(soup.price == 0 && store.brokenInvariants() == [])
    effect.cancel()
  }
}
