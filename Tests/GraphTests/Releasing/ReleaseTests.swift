import Signals
import TestSupport
import Testing

/// What the library lets go of may own what writes when it ends; it ends when every structure is whole.
@Suite struct `Release of what the graph drops` {
  let ledger = Ledger()

  /// An object whose end writes, deleted: only the history of the store has it then.
  private func leaveDeleted(_ store: Store, _ end: @escaping () throws -> Void) throws {
    let bead = Bead()
    bead.ending = Ending { try? end() }
    try store.add(bead)
    try store.delete(bead)
  }

  // MARK: - Steps of histories

  @Test func `an object that goes with the oldest step may write`() throws {
    let store = Store(undoLimit: 3)
    try store.add(ledger)
    try leaveDeleted(store) { ledger.closed += 1 }
    for _ in 0..<10 { ledger.tick += 1 }
    #expect(ledger.closed == 1 && ledger.tick == 10)
    for _ in 0..<3 { try store.undo() }
    #expect(ledger.closed == 1 && ledger.tick == 7 && !store.canUndo)
    #expect(store.brokenInvariants() == [])
  }

  @Test(arguments: 1...5, [false, true])
  func `it may write, transact, undo and delete, whatever the limit and who follows`(
    limit: Int, isFollowed: Bool
  ) throws {
    let acts: [(Store) throws -> Void] = [
      { [ledger] _ in ledger.closed += 1 },
      { [ledger] store in try store.write { ledger.closed += 1 } },
      { try $0.undo() }, { try $0.redo() }, { try $0.add(Bead()) },
      { [ledger] in try $0.delete(ledger) },
    ]
    for act in acts {
      let (store, ledger) = (Store(undoLimit: limit), Ledger())
      try store.add(ledger)
      let effect = isFollowed ? Effect { _ = (ledger.tick, store.canUndo) } : nil
      var ends = 0
      for _ in 0..<3 {
        try leaveDeleted(store) { [weak store] in
          ends += 1
          if let store { try act(store) }
        }
      }
      for _ in 0..<20 { ledger.tick += 1 }
      // An undo may have brought one back.
      #expect(ends > 0 && store.brokenInvariants() == [])
      effect?.cancel()
    }
  }

  @Test func `what could be redone may write when a commit ends that`() throws {
    let store = Store()
    try store.add(ledger)
    do {
      let bead = Bead()
      bead.ending = Ending { ledger.closed += 1 }
      try store.add(bead)
    }
    try store.undo()
    ledger.tick = 4
    #expect(ledger.closed == 1 && ledger.tick == 4 && !store.canRedo)
    try store.undo()
    try store.undo()
    #expect(ledger.closed == 0 && ledger.tick == 0)
  }

  @Test func `an old value of a field may write when its step goes`() throws {
    let store = Store(undoLimit: 2)
    let bead = Bead()
    try store.add([ledger, bead] as [Object])
    bead.charge = Charge(1, Ending { ledger.closed += 1 })
    for number in 2...9 { bead.charge = Charge(number) }
    #expect(ledger.closed == 1 && store.brokenInvariants() == [])
  }

  @Test func `what a group, a key or typing joins may write when it goes`() throws {
    let store = Store(undoLimit: 0)
    let bead = Bead()
    try store.add([ledger, bead] as [Object])
    let histories = [
      UndoHistory(store, limit: 1), UndoHistory(store, limit: 2, coalescing: .property),
      UndoHistory(store, limit: 1, origins: ["me"]),
    ]
    for number in 1...20 {
      try histories[0].group {
        try store.write(origin: "me") {
          bead.charge = Charge(number, Ending { ledger.closed += 1 })
        }
        try leaveDeleted(store) { ledger.closed += 1 }
      }
      histories[1].coalescing("key") { bead.charge = Charge(-number) }
    }
    bead.charge = Charge(100)
    for _ in 0..<4 { ledger.tick += 1 }
    try store.write(origin: "me") { ledger.tick += 1 }
    #expect(ledger.closed == 40 && store.brokenInvariants() == [])
  }

  @Test func `what is forgotten may write to the history that forgets it`() throws {
    let store = Store(undoLimit: 0)
    try store.add(ledger)
    let history = UndoHistory(store)
    try leaveDeleted(store) {
      ledger.closed += 1
      history.removeAll()
    }
    for _ in 0..<10 { ledger.tick += 1 }
    #expect(ledger.closed == 0)
    history.removeAll()
    #expect(ledger.closed == 1 && !history.canUndo && store.brokenInvariants() == [])
  }

  @Test func `a chain of ends that drop each other may have any length`() throws {
    let count = runLength(usually: 20_000)
    let store = Store(undoLimit: count)
    try store.write(undoable: false) { try store.add(ledger) }
    for _ in 0..<count {
      let bead = Bead()
      bead.ending = Ending { ledger.closed += 1 }
      try store.write(undoable: false) { try store.add(bead) }
      try store.delete(bead)
    }
    // Each end's write drops the next step.
    ledger.tick = 1
    #expect(ledger.closed == count && store.brokenInvariants() == [])
  }

  @Test func `the store may go with what its history drops`() throws {
    let holder = Holder()
    do {
      let store = Store(undoLimit: 1)
      holder.store = store
      try store.add(ledger)
      try leaveDeleted(store) { holder.store = nil }
    }
    for _ in 0..<3 { ledger.tick += 1 }
    #expect(holder.store == nil && ledger.isDeleted && ledger.tick == 3)
  }

  // MARK: - Transactions that fail

  @Test func `what an end writes while its transaction is undone is a commit of its own`() throws {
    let store = Store()
    try store.add(ledger)
    var told: [ChangeSet] = []
    let token = store.commits.sink { told.append($0) }
    #expect(throws: Refusal.self) {
      try store.write {
        let bead = Bead()
        bead.ending = Ending { ledger.closed += 1 }
        try store.add(bead)
        ledger.tick = 7
        throw Refusal()
      }
    }
    #expect(ledger.closed == 1 && ledger.tick == 0)
    #expect(told.count == 1 && told[0].changes[0].properties.map(\.name) == ["closed"])
    try store.undo()
    #expect(ledger.closed == 0)
    token.cancel()
  }

  @Test func `it is one too if a savepoint is undone, or all around that`() throws {
    for failsOutside in [false, true] {
      let (store, ledger) = (Store(), Ledger())
      try store.add(ledger)
      try? store.write {
        try? store.write {
          let bead = Bead()
          bead.ending = Ending { ledger.closed += 1 }
          try store.add(bead)
          throw Refusal()
        }
        #expect(ledger.closed == 0)
        ledger.tick = 7
        if failsOutside { throw Refusal() }
      }
      #expect(ledger.closed == 1 && ledger.tick == (failsOutside ? 0 : 7))
      try store.undo()
      #expect(ledger.closed == 0 && ledger.tick == (failsOutside ? 0 : 7))
    }
  }

  @Test func `a value that an undone write had stored may write when it goes`() throws {
    let store = Store()
    let bead = Bead()
    try store.add([ledger, bead] as [Object])
    try? store.write {
      bead.charge = Charge(1, Ending { ledger.closed += 1 })
      bead.tag = Charge(2, Ending { ledger.closed += 1 })
      throw Refusal()
    }
    #expect(ledger.closed == 2 && bead.charge == Charge(0) && bead.tag == Charge(0))
    #expect(store.brokenInvariants() == [])
  }

  @Test func `in a callback it writes after every store is sealed, or undone`() throws {
    for fails in [false, true] {
      let (store, other, ledger) = (Store(undoLimit: 0), Store(), Ledger())
      try other.add(ledger)
      var hooked: [Int] = []
      let rule = other.beforeCommit { _ in untracked { hooked.append(ledger.closed) } }
      store.beforeCommit { _ in if fails { throw Refusal() } }
      for store in [store, other] { store.onRefusal = { _ in } }
      let trigger = Signal(false)
      let effect = Effect {
        guard trigger.value else { return }
        let beads = [Bead(), Bead()]
        _ = try? store.add(beads)
        ledger.tick = 5
        beads[0].ending = Ending { ledger.closed += 1 }
        try? store.delete(beads[0])
      }
      trigger.value = true
      #expect(ledger.closed == 1 && ledger.tick == (fails ? 0 : 5))
      #expect(hooked == (fails ? [1] : [0, 1]))
      #expect(store.objectCount == (fails ? 0 : 1))
      #expect(store.brokenInvariants() + other.brokenInvariants() == [])
      effect.cancel()
      rule.cancel()
    }
  }

  // MARK: - Fields, links and keys

  @Test func `the end of a value finds the new one, whole`() throws {
    for isStored in [false, true] {
      let bead = Bead()
      if isStored { try Store(undoLimit: 0).add(bead) }
      var seen: [[Int]] = []
      let look = { [unowned bead] in seen.append([bead.pair.one.number, bead.pair.other.number]) }
      bead.pair = ChargePair(one: Charge(1, Ending(look)), other: Charge(2, Ending(look)))
      bead.pair = ChargePair(one: Charge(3), other: Charge(4))
      #expect(seen == [[3, 4], [3, 4]])
    }
  }

  @Test func `the end of a value may write the same property, which keeps what it wrote`() throws {
    for limit in [0, 1, 3] {
      let store = Store(undoLimit: limit)
      for isStored in [false, true] {
        for isFollowed in [false, true] {
          let bead = Bead()
          if isStored { try store.add(bead) }
          let effect = isFollowed ? Effect { _ = (bead.charge, bead.tag) } : nil
          bead.charge = Charge(1, Ending { [unowned bead] in bead.charge = Charge(9) })
          bead.tag = Charge(1, Ending { [unowned bead] in bead.tag = Charge(9) })
          for number in 2...8 where bead.charge != Charge(9) { bead.charge = Charge(number) }
          for number in 2...8 where bead.tag != Charge(9) { bead.tag = Charge(number) }
          #expect(bead.charge == Charge(9) && bead.tag == Charge(9))
          #expect(store.brokenInvariants() == [])
          effect?.cancel()
        }
      }
    }
  }

  @Test func `the end of what an unstored object linked to may write the same list or link`() {
    let bead = Bead()
    let other = Bead()
    other.ending = Ending { [unowned bead] in bead.list = List([Bead(), Bead()]) }
    bead.list = List([other])
    let third = Bead()
    third.ending = Ending { [unowned bead] in bead.next = Bead() }
    bead.next = third
    _ = (consume other, consume third)
    bead.list = []
    bead.next = nil
    #expect(bead.list.count == 2 && bead.next != nil)
  }

  @Test func `the end of a key that an index had may write what is indexed`() throws {
    let store = Store(undoLimit: 0)
    let beads = [Bead(), Bead()]
    try store.add(beads)
    var ends = 0
    beads[0].tag = Charge(
      5,
      Ending {
        ends += 1
        for bead in beads { bead.tag = Charge(7) }
      })
    // The index has the value of the first; both are equal.
    beads[1].tag = Charge(5)
    beads[0].tag = Charge(1)
    #expect(ends == 0)
    beads[1].tag = Charge(2)
    #expect(ends == 1 && beads.map(\.tag) == [Charge(7), Charge(7)])
    #expect(store.brokenInvariants() == [])
  }

  @Test func `what a draft no longer compares with may read it when it goes`() throws {
    let store = Store()
    let bead = Bead()
    try store.add([ledger, bead] as [Object])
    bead.part = BeadPart()
    let draft = store.draft(of: bead)
    var seen: [Bool] = []
    let part = BeadPart()
    part.ending = Ending { [unowned draft] in
      seen.append(draft.isDirty)
      ledger.closed += 1
    }
    draft.part = part
    _ = consume part
    draft.part = nil
    draft.discard()
    #expect(seen.count == 1 && ledger.closed == 1 && !draft.isDirty)
  }

  @Test func `the end of a value that only a snapshot had may write, and ask for snapshots`() throws
  {
    let store = Store(undoLimit: 0)
    let bead = Bead()
    try store.add([ledger, bead] as [Object])
    var seen = 0
    for number in 1...3 {
      bead.charge = Charge(
        number,
        Ending {
          ledger.closed += 1
          seen += store.snapshot().objects(Ledger.self).count
        })
      _ = store.snapshot()
    }
    bead.charge = Charge(9)
    try store.delete(bead)
    let last = store.snapshot()
    #expect(ledger.closed == 3 && seen == 3 && store.brokenInvariants() == [])
    #expect(last.objects(Bead.self).isEmpty && Store(store.snapshot()).objectCount == 1)
    #expect(store.snapshot().objects(Ledger.self).map(\.closed) == [3])
  }

  // MARK: - Subscriptions

  @Test func `a subscription may be cancelled again by what its closure owned`() throws {
    let store = Store()
    let bead = Bead()
    try store.add([ledger, bead] as [Object])
    let results = store.results(Bead.self)
    let makes: [(@escaping () -> Void) -> any Cancellable] = [
      { keep in store.commits.sink { _ in keep() } },
      { keep in bead.observe { _ in keep() } },
      { keep in bead.observe(\.charge) { _, _ in keep() } },
      { keep in results.observe { _ in keep() } },
      { keep in results.sectioned(by: \.text).observe { _ in keep() } },
      { keep in Effect { withExtendedLifetime(bead.charge, keep) } },
    ]
    for make in makes {
      let box = TokenBox()
      do {
        let ending = Ending { [unowned box] in
          box.token?.cancel()
          ledger.closed += 1
        }
        box.token = make { withExtendedLifetime(ending) {} }
      }
      let before = ledger.closed
      box.token?.cancel()
      #expect(ledger.closed == before + 1)
    }
  }

  @Test func `an observer that has not been notified yet may own what it would receive`() throws {
    let store = Store(undoLimit: 0)
    try store.add(ledger)
    var token: (any Cancellable)? = store.results(Bead.self).observe { _ in }
    let stop = Signal(false)
    let effect = Effect { if stop.value { token?.cancel() } }
    do {
      let bead = Bead()
      bead.ending = Ending { _ = try? store.add(Bead()) }
      try store.add(bead)
    }
    try batch {
      for bead in Array(store.results(Bead.self)) { try store.delete(bead) }
      stop.value = true
    }
    #expect(store.results(Bead.self).count == 1 && store.brokenInvariants() == [])
    effect.cancel()
    token = nil
  }
}

private final class Holder { var store: Store? }

private final class TokenBox { var token: (any Cancellable)? }
