import Signals
import TestSupport
import Testing

/// Fields that are sums.
@Suite struct `Graph, counters` {
  let store = Store()
  let soup = StockedDish("soup", stock: 2)

  init() throws { try store.write(undoable: false) { try store.add(soup) } }

  @Test func `undoing a sale of 2 after a delivery of 5 gives 7`() throws {
    let sale = Sale(soup, 2)
    try store.write {
      try store.add(sale)
      soup.stock -= 2
    }
    try store.write(undoable: false) { soup.stock += 5 }
    #expect(soup.stock == 5)
    #expect(try store.undo().isClean)
    #expect(soup.stock == 7 && sale.isDeleted)
    #expect(try store.redo().isClean)
    #expect(soup.stock == 5 && !sale.isDeleted)
  }

  @Test func `with origins each history takes back its own part of a sum`() throws {
    let mine = UndoHistory(store, origins: ["mine"]), yours = UndoHistory(store, origins: ["yours"])
    try store.write(origin: "mine") { soup.stock -= 2 }
    try store.write(origin: "yours") { soup.stock += 5 }
    try mine.undo()
    #expect(soup.stock == 7)
    try yours.undo()
    #expect(soup.stock == 2)
    try mine.redo()
    #expect(soup.stock == 0)
  }

  @Test func `a difference is added where the sum is by chance what it was before`() throws {
    soup.stock -= 2
    try store.write(undoable: false) { soup.stock += 2 }
    #expect(try store.undo().isClean)
    #expect(soup.stock == 4)
  }

  @Test func `change sets add up, in either order`() throws {
    var changes: [ChangeSet] = []
    let (here, there) = (Store(), Store())
    let token = store.commits.sink { changes.append($0) }
    soup.stock -= 2
    soup.stock += 5
    token.cancel()
    for (replica, order) in [(here, [0, 1]), (there, [1, 0])] {
      let copy = try #require(try replicaOfSoup(in: replica))
      copy.stock = 100
      for place in order { #expect(try replica.apply(changes[place]).isClean) }
      #expect(copy.stock == 103)
    }
  }

  /// A store with the same dish.
  private func replicaOfSoup(in replica: Store) throws -> StockedDish? {
    try replica.apply(makingSoup)
    return replica.results(StockedDish.self).first
  }

  private var makingSoup: ChangeSet {
    get throws {
      var made = ChangeSet()
      let token = store.commits.sink { made = $0 }
      try store.delete(soup)
      token.cancel()
      try store.undo()
      return made.inverted()
    }
  }

  @Test func `a sum that does not fit is a conflict, and no crash`() throws {
    soup.few = 100
    soup.many = 10
    var changes: [ChangeSet] = []
    let token = store.commits.sink { changes.append($0) }
    soup.few = 110
    soup.many = 0
    token.cancel()
    let replica = Store()
    let copy = try #require(try replicaOfSoup(in: replica))
    copy.few = 120
    copy.many = 5
    for (change, name, present) in [(changes[0], "few", "120"), (changes[1], "many", "5")] {
      let error = #expect(throws: ChangeConflictError.self) { try replica.apply(change) }
      #expect(error?.conflicts.map(\.reason) == [.outOfRange])
      #expect(error?.conflicts.first?.property?.name == name)
      #expect(
        error?.description.hasPrefix("\(StoreError.Subject(soup, property: name)) is \(present)")
          == true)
    }
    #expect(try replica.apply(changes[0], onConflict: .mine).conflicts.count == 1)
    #expect(copy.few == 120)
    #expect(try replica.apply(changes[0], onConflict: .theirs).conflicts.count == 1)
    #expect(copy.few == 110)
  }

  @Test(arguments: [ConflictPolicy.fail, .theirs, .mine])
  func `an undo whose sum does not fit is a conflict`(policy: ConflictPolicy) throws {
    soup.many = 3
    soup.many -= 3
    try store.write(undoable: false) { soup.many = 254 }
    if policy == .fail {
      let error = #expect(throws: ChangeConflictError.self) { try store.undo() }
      #expect(
        error?.description == """
          \(StoreError.Subject(soup, property: "many")) is 254 here: what 3 adds to 0 does not fit
          """)
      #expect(soup.many == 254)
    } else {
      #expect(try store.undo(onConflict: policy).conflicts.map(\.reason) == [.outOfRange])
      #expect(soup.many == (policy == .mine ? 3 : 254))
    }
  }

  @Test func `a sum fits if its end does, whatever is on the way`() throws {
    soup.few = -100
    soup.few = 100
    try store.write(undoable: false) { soup.few = 120 }
    try store.undo()
    #expect(soup.few == -80)
    soup.weight = 1.5
    soup.weight += 0.25
    try store.write(undoable: false) { soup.weight *= 2 }
    try store.undo()
    #expect(soup.weight == 3.25)
    soup.weight = .infinity
    try store.write(undoable: false) { soup.weight = 1 }
    #expect(try store.undo(onConflict: .theirs).conflicts.map(\.reason) == [.outOfRange])
  }

  @Test func `a draft adds its difference`() throws {
    let draft = store.draft(of: soup)
    draft.stock += 3
    draft.sold += 1
    soup.stock += 10
    soup.sold += 1
    #expect(draft.conflicts.isEmpty)
    try draft.commit()
    #expect((soup.stock, soup.sold) == (15, 2))
    #expect(draft.stock == 15 && !draft.isDirty)
  }

  @Test func `a draft whose sum does not fit is a conflict`() throws {
    let draft = store.draft(of: soup)
    draft.many = 200
    soup.many = 100
    #expect(draft.conflicts.count == 1)
    #expect(throws: StoreError.self) { try draft.commit() }
    try draft.commit { _ in .mine }
    #expect(soup.many == 200)
  }

  @Test func `it is a field in all else`() throws {
    var seen: [Int] = []
    let effect = Effect { seen.append(soup.stock) }
    soup.stock += 1
    soup.stock = 3
    #expect(seen == [2, 3])
    let rich = store.results(StockedDish.self).where { $0.stock > 5 }
    #expect(rich.isEmpty && store.results(StockedDish.self).value(.sum(\.stock)) == 3)
    var commits: [ChangeSet] = []
    let token = store.commits.sink { commits.append($0) }
    soup.stock = 8
    #expect(rich.count == 1)
    let change = try #require(commits.last?[soup])
    #expect((change.old(\.stock), change.new(\.stock)) == (3, 8))
    let restored = Store(store.snapshot())
    #expect(restored.results(StockedDish.self).first?.stock == 8)
    #expect(throws: Refusal.self) {
      try store.write {
        soup.stock += 1
        throw Refusal()
      }
    }
    #expect(soup.stock == 8)
    effect.cancel()
    token.cancel()
  }

  @Test func `merged change sets add the sum of their differences`() throws {
    var changes: [ChangeSet] = []
    let token = store.commits.sink { changes.append($0) }
    soup.stock -= 2
    soup.stock += 5
    token.cancel()
    let replica = Store()
    let copy = try #require(try replicaOfSoup(in: replica))
    copy.stock = 50
    let both = changes[0].merging(changes[1])
    try replica.apply(both)
    #expect(copy.stock == 53)
    try replica.apply(both.inverted())
    #expect(copy.stock == 50)
  }
}
