import Signals
import SignalsTesting
import TestSupport
import Testing

@testable import SignalsSync

/// A class whose `init()` sets links and values.
private final class Plan: Object {
  @PrimaryKey var id = 0
  @Field var title = "untitled"
  @Link var cover: Remark?
  @Link var next: Plan?
  @Links var parts: List<Plan>

  required init() {
    super.init()
    cover = makeNote("blank")
  }
}

/// Objects that are made when they are read, and stored as they are.
@Suite @MainActor struct `Objects that arrive` {
  private let classes = [SharedClass(Plan.self) { _ in "plans" }] + sharedBoards()

  private func replica(of server: SyncServer, joining name: String) async -> Replica {
    let replica = Replica(sharing: classes)
    replica.connect(server.connection(for: "anna"))
    replica.join(name)
    for _ in 0..<3 { await server.handleMessages() }
    return replica
  }

  @Test(arguments: [false, true])
  func `an object that arrives has the values and links of the one that was added, and no others`(
    inState isState: Bool
  ) async throws {
    let server = SyncServer(sharing: classes)
    let first = await replica(of: server, joining: "plans")
    var second = await replica(of: server, joining: "plans")
    let plans = (0..<3).map { number in
      let plan = Plan()
      plan.id = number
      return plan
    }
    plans[0].title = ""
    plans[0].cover = nil
    plans[0].next = plans[1]
    plans[1].next = plans[2]
    plans[1].parts = List([plans[2], plans[0], plans[2]])
    plans[2].cover = makeNote("sky")
    try first.store.add(plans)
    for _ in 0..<3 { await server.handleMessages() }
    if isState { second = await replica(of: server, joining: "plans") }
    let copies = (0..<3).compactMap { second.store.object(Plan.self, primaryKey: $0) }
    #expect(copies.map(\.title) == ["", "untitled", "untitled"])
    #expect(copies.map { $0.cover?.text } == [nil, "blank", "sky"])
    #expect(copies.map { $0.next?.id } == [1, 2, nil])
    #expect(copies[1].parts.map(\.id) == [2, 0, 2])
    #expect(copies.map(\.objectID) == plans.map(\.objectID))
    #expect(contents(second.store) == contents(first.store))
    #expect(second.store.brokenInvariants() == [])
    let (here, there) = (Array(copies[2].linkingObjects), Array(plans[2].linkingObjects))
    #expect(here.map(\.objectID) == there.map(\.objectID) && !here.isEmpty)
  }

  @Test func `an object that is added here stays the same instance when its fact arrives`()
    async throws
  {
    let server = SyncServer(sharing: classes)
    let replica = await replica(of: server, joining: "board=1")
    let (board, card) = (makeBoard(1), makeCard(1))
    try replica.store.add(board)
    board.cards.append(card)
    for _ in 0..<3 { await server.handleMessages() }
    #expect(replica.pendingCount == 0)
    #expect(replica.store.object(card.objectID) === card)
    #expect(board.cards.first === card)
  }

  @Test func `an object whose deletion is refused returns as the same instance`() async throws {
    let server = SyncServer(sharing: classes) {
      MayWrite(Card.self) { change, _ in
        if change.kind == .deleted { throw Refused("no") }
      }
    }
    let replica = await replica(of: server, joining: "board=1")
    let card = makeCard(1, "kept")
    try replica.store.add(card)
    for _ in 0..<3 { await server.handleMessages() }
    try replica.store.delete(card)
    for _ in 0..<3 { await server.handleMessages() }
    #expect(replica.store.object(card.objectID) === card && card.text == "kept")
  }

  @Test func `links that were cleared while a deletion was pending are cleared`() async throws {
    let sharing = Sharing(2, inFiles: true) {
      MayWrite(Card.self) { change, user in
        if change.kind == .deleted, user == "user1" { throw Refused("no") }
      }
    }
    try await sharing.start()
    let (target, source) = (makeCard(1), makeCard(2))
    source.next = target
    try sharing.replicas[0].store.add([target, source])
    await sharing.settle()
    sharing.connections[1]?.close()
    let copy = try #require(sharing.replicas[1].store.object(Card.self, primaryKey: 2))
    try sharing.replicas[1].store.delete(copy)
    try await sharing.replicas[1].flush()
    try sharing.reopen(1, from: sharing.files[1].afterKill())
    source.next = nil
    await sharing.settle()
    await sharing.shortenLog()
    sharing.connect(1)
    await sharing.settle()
    let back = try #require(sharing.replicas[1].store.object(Card.self, primaryKey: 2))
    #expect(back.next == nil)
    #expect(sharing.replicas[1].pendingCount == 0)
    #expect(contents(sharing.replicas[1].store) == contents(sharing.replicas[0].store))
  }

  @Test func `an object that is deleted and added again in facts of one message arrives once`()
    async throws
  {
    let server = SyncServer(sharing: classes)
    let first = await replica(of: server, joining: "board=1")
    let second = await replica(of: server, joining: "board=1")
    second.disconnect()
    let card = makeCard(1, "one")
    try first.store.add(card)
    try first.store.delete(card)
    try first.store.undo()
    card.text = "two"
    for _ in 0..<3 { await server.handleMessages() }
    second.connect(server.connection(for: "anna"))
    for _ in 0..<3 { await server.handleMessages() }
    #expect(second.store.results(Card.self).map(\.text) == ["two"])
    #expect(contents(second.store) == contents(first.store))
    #expect(second.store.brokenInvariants() == [])
  }

  @Test func `an object whose primary key is taken isn't stored, and the conflict has the key`()
    throws
  {
    let store = Store()
    let known = makeBoard(7, "known")
    try store.add(known)
    let schema = Schema.shared(of: Board.self)
    func report(_ policy: ConflictPolicy, _ id: ObjectID) throws -> ConflictReport {
      var made = ArrivingObject(schema, id: id)
      (made.object as? Board)?.id = 7
      (made.object as? Board)?.title = "new"
      let list = try #require(schema.linking.first { $0.name == "cards" })
      made.setLink(list, to: [ObjectID(replica: 5, counter: 1)])
      let change = ObjectChange(id: id, kind: .inserted, properties: [], type: Board.self)
      return try store.apply(
        ChangeSet([change], origin: nil), arriving: [made], undoable: false, onConflict: .theirs,
        keys: policy)
    }
    let refused = try report(.mine, ObjectID(replica: 3, counter: 1))
    let conflict = try #require(refused.conflicts.first)
    #expect(conflict.reason == .keyTaken(by: StoreError.Subject(known)))
    #expect(conflict.property?.new as? Int == 7)
    #expect(store.results(Board.self).map(\.title) == ["known"])
    _ = try report(.theirs, ObjectID(replica: 3, counter: 2))
    #expect(store.results(Board.self).map(\.title) == ["new"])
    // The id is here: its values are those of the object that arrives.
    let title = store.results(Board.self).first
    title?.title = "other"
    let again = try report(.theirs, ObjectID(replica: 3, counter: 2))
    #expect(again.conflicts.first?.reason == .alreadyThere)
    #expect(store.results(Board.self).map(\.title) == ["new"] && title?.title == "new")
    #expect(store.brokenInvariants() == [])
  }

  @Test func `a hundred thousand objects and their links arrive`() async throws {
    // One state at the end takes less time than one for each megabyte.
    let server = SyncServer(
      log: InProcessLog(), sharing: classes, smallestTail: 1 << 30, now: { 0 })
    let first = await replica(of: server, joining: "board=1")
    for start in stride(from: 0, to: 100_000, by: 2_000) {
      try first.store.write {
        var last: Card?
        for number in start..<start + 2_000 {
          let card = makeCard(number, "\(number)")
          card.next = last
          last = card
          try first.store.add(card)
        }
      }
      await server.handleMessages()
    }
    for _ in 0..<3 { await server.handleMessages() }
    let second = await replica(of: server, joining: "board=1")
    #expect(second.store.results(Card.self).count == 100_000)
    #expect(second.store.object(Card.self, primaryKey: 99_999)?.next?.next?.text == "99997")
    #expect(second.state(of: "board=1") == .joined)
  }

  @Test(arguments: seeds(4))
  func `the objects of a partition are those that commits have left there`(seed: UInt64) throws {
    var random = SeededRandom(seed: seed)
    let (store, table) = (Store(), PartitionTable(classes))
    var split: [String: Int] = [:]
    let token = store.commitObservers.addSynchronousObserver { commit in
      // All three ways to note a commit note the same.
      switch commit.changes.changes.count % 3 {
      case 0: _ = table.noteFacts(commit)
      case 1: _ = table.split(&commit, in: store, except: "board=1")
      default:
        for part in table.split(&commit, in: store).parts {
          split[part.partition.name, default: 0] += part.changes.changes.count
        }
      }
    }
    for _ in 0..<300 {
      try store.write {
        for _ in 0..<Int.random(in: 1...5, using: &random) {
          let cards = store.results(Card.self)
          if cards.count < 5 || Bool.random(using: &random) {
            let key = Int.random(in: 0..<Int.max, using: &random)
            try store.add(makeCard(key, board: Int.random(in: 1...3, using: &random)))
            try store.add(Desk())
          } else {
            let card = cards[Int.random(in: 0..<cards.count, using: &random)]
            if Bool.random(using: &random) { card.text += "x" } else { try store.delete(card) }
          }
        }
      }
      if Int.random(in: 0..<4, using: &random) == 0 { try store.undo() }
      for board in 1...3 {
        let expected = store.results(Card.self).filter { $0.board == board }.map(\.objectID)
        let ids = table.objects(of: Partition("board=\(board)"))
        #expect(ids.sorted() == expected.sorted(), "seed \(seed)")
        #expect(ids.allSatisfy { table.partition(of: $0)?.name == "board=\(board)" }, "\(seed)")
      }
      let desks = store.results(Desk.self)
      #expect(desks.allSatisfy { table.partition(of: $0.objectID) == nil }, "seed \(seed)")
    }
    #expect(split.count == 3)
    withExtendedLifetime(token) {}
  }

  @Test func `an object that was deleted and is back has no earlier writes`() throws {
    let partition = OpenPartition("board=1", number: 1)
    let id = makeCard(1).objectID
    func note(_ kind: ObjectChange.Kind, _ names: [String]) {
      let properties = names.map { ObjectChange.Property(name: $0, old: nil, new: nil) }
      let change = ObjectChange(id: id, kind: kind, properties: properties, type: Card.self)
      partition.note(
        Fact(author: 1, number: 1, time: 5), ChangeSet([change], origin: nil))
    }
    note(.modified, ["text"])
    #expect(partition.stamp(of: "text", in: id, since: 0)?.position == 0)
    note(.inserted, [])
    #expect(partition.stamp(of: "text", in: id, since: 0) == nil)
    note(.modified, ["text", "board"])
    note(.deleted, [])
    #expect(partition.stamp(of: "text", in: id, since: 0) == nil)
    #expect(partition.stamp(of: "board", in: id, since: 0) == nil)
  }
}
