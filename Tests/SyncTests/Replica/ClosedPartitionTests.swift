import Signals
import SignalsTesting
import TestSupport
import Testing

@testable import SignalsSync

/// Partitions that no replica has joined, which a server closes, and opens again.
@Suite @MainActor struct `Partitions that are closed` {
  /// Adds boards in partitions that the first replica joins.
  private func addBoards(_ count: Int, in sharing: Sharing) async throws {
    for id in 1...count {
      sharing.replicas[0].join("board=\(id)")
      try sharing.replicas[0].store.add(makeBoard(id))
    }
    await sharing.settle()
  }

  @Test func `a partition without readers is closed, and opened again with its objects`()
    async throws
  {
    let sharing = Sharing(2, unreadLimit: 0)
    let board = try await sharing.start("Plans")
    board.cards = [makeCard(1, "one"), makeCard(2, "two")]
    board.notes = [makeNote("a part")]
    await sharing.settle()
    let expected = contents(sharing.server.store)
    sharing.connections.forEach { $0?.close() }
    await sharing.settle()
    #expect(sharing.server.partitions.isEmpty)
    #expect(contents(sharing.server.store).isEmpty)
    #expect(sharing.server.store.brokenInvariants() == [])
    sharing.connect(0)
    await sharing.settle()
    #expect(contents(sharing.server.store) == expected)
    let new = Replica(sharing: sharedBoards())
    new.connect(sharing.server.connection(for: "new"))
    new.join("board=1")
    await sharing.settle()
    #expect(contents(new.store) == expected)
  }

  @Test func `commits made while a partition was closed are decided by all of its facts`()
    async throws
  {
    let sharing = Sharing(2, unreadLimit: 0)
    let board = try await sharing.start()
    let copy = try #require(sharing.replicas[1].store.object(Board.self, primaryKey: 1))
    sharing.connections.forEach { $0?.close() }
    sharing.time += 10
    copy.title = "later"
    sharing.moveClock(of: 0, by: -5)
    (board.title, board.visits) = ("earlier", 3)
    await sharing.settle()
    sharing.connect(1)
    await sharing.settle()
    sharing.connections.forEach { $0?.close() }
    await sharing.settle()
    #expect(sharing.server.partitions.isEmpty)
    var lost: [String] = []
    let token = sharing.replicas[0].losses.sink { lost.append("\($0.property)") }
    for index in 0..<2 { sharing.connect(index) }
    await sharing.settle()
    #expect(board.title == "later" && copy.title == "later")
    #expect(board.visits == 3 && copy.visits == 3)
    #expect(lost == ["title"])
    withExtendedLifetime(token) {}
  }

  @Test func `a submission that is sent again after that counts once`() async throws {
    let sharing = Sharing(1, unreadLimit: 0)
    let board = try await sharing.start()
    sharing.connect(0, isHeld: true)
    await sharing.settle()
    board.visits += 1
    sharing.connections[0]?.deliver(toServer: .max, toReplica: 0)
    await sharing.server.handleMessages()
    sharing.connections[0]?.close()
    await sharing.server.handleMessages()
    #expect(sharing.server.partitions.isEmpty && sharing.replicas[0].pendingCount == 1)
    sharing.connect(0)
    await sharing.settle()
    #expect(board.visits == 1 && sharing.replicas[0].pendingCount == 0)
    #expect(sharing.server.store.object(Board.self, primaryKey: 1)?.visits == 1)
  }

  @Test func `those that weren't used for the longest time are closed first`() async throws {
    let sharing = Sharing(2, unreadLimit: 2)
    let one = sharing.replicas[0]
    try await addBoards(4, in: sharing)
    #expect(sharing.server.partitions.count == 4)
    for id in [2, 4, 1, 3] {
      one.leave("board=\(id)")
      await sharing.settle()
    }
    #expect(Set(sharing.server.partitions.keys.map(\.name)) == ["board=1", "board=3"])
    #expect(Set(sharing.server.store.results(Board.self).map(\.id)) == [1, 3])
  }

  @Test func `a partition that is joined again in time isn't closed`() async throws {
    let sharing = Sharing(2, unreadLimit: 1)
    let one = sharing.replicas[0]
    try await addBoards(3, in: sharing)
    one.leave("board=1")
    one.leave("board=2")
    one.join("board=1")
    await sharing.settle()
    #expect(sharing.server.partitions.count == 3)
    one.leave("board=3")
    await sharing.settle()
    #expect(Set(sharing.server.partitions.keys.map(\.name)) == ["board=1", "board=3"])
  }

  @Test func `one to which an open one links remains open, until the other is closed`() async throws
  {
    let sharing = Sharing(1, unreadLimit: 0)
    let one = sharing.replicas[0]
    one.join("board=1")
    one.join("board=2")
    let (source, target) = (makeCard(1, board: 1), makeCard(2, board: 2))
    try one.store.add(target)
    try one.store.add(source)
    source.next = target
    await sharing.settle()
    one.leave("board=2")
    await sharing.settle()
    #expect(sharing.server.partitions.count == 2)
    #expect(sharing.server.store.object(Card.self, primaryKey: 1)?.next?.key == 2)
    let facts = try await sharing.log.head(of: "board=1").position
    one.leave("board=1")
    await sharing.settle()
    #expect(sharing.server.partitions.isEmpty)
    #expect(try await sharing.log.head(of: "board=1").position == facts)
    for name in ["board=2", "board=1"] { one.join(name) }
    await sharing.settle()
    #expect(sharing.server.store.object(Card.self, primaryKey: 1)?.next?.key == 2)
    #expect(source.next === target)
  }

  @Test func `a right that depends on one isn't lost, and keeps it open`() async throws {
    let sharing = Sharing(2, unreadLimit: 0) {
      MayRead { user, partition, store in
        let isOpen = store.object(Board.self, primaryKey: 2)?.title == "open"
        if user == "user1", partition == "board=1", !isOpen { throw Refused("not open") }
      }
    }
    let (one, two) = (sharing.replicas[0], sharing.replicas[1])
    one.join("board=2")
    let key = makeBoard(2, "open")
    try one.store.add(key)
    await sharing.settle()
    try await sharing.start()
    #expect(two.state(of: "board=1") == .joined)
    one.leave("board=2")
    await sharing.settle()
    #expect(two.state(of: "board=1") == .joined)
    #expect(sharing.server.store.object(Board.self, primaryKey: 2) != nil)
    one.join("board=2")
    await sharing.settle()
    key.title = "closed"
    await sharing.settle()
    #expect(two.state(of: "board=1") == .refused("not open"))
    one.leave("board=2")
    await sharing.settle()
    #expect(Set(sharing.server.partitions.keys.map(\.name)) == ["board=1"])
  }

  @Test func `links that wait for a closed partition aren't lost`() async throws {
    let sharing = Sharing(1, unreadLimit: 0)
    let one = sharing.replicas[0]
    for id in 1...2 { one.join("board=\(id)") }
    let (source, target) = (makeCard(1, board: 1), makeCard(2, board: 2))
    try one.store.add([source, target])
    await sharing.settle()
    one.leave("board=2")
    await sharing.settle()
    // The server doesn't have the target.
    source.next = target
    await sharing.settle()
    one.leave("board=1")
    await sharing.settle()
    #expect(Set(sharing.server.partitions.keys.map(\.name)) == ["board=1"])
    for name in ["board=1", "board=2"] { one.join(name) }
    await sharing.settle()
    #expect(sharing.server.store.object(Card.self, primaryKey: 1)?.next?.key == 2)
    #expect(source.next === target)
    for name in ["board=1", "board=2"] { one.leave(name) }
    await sharing.settle()
    #expect(sharing.server.partitions.isEmpty)
  }

  @Test func `a trigger's write to a closed partition opens it, and finds its objects`()
    async throws
  {
    let sharing = Sharing(1, unreadLimit: 0) {
      After(Card.self) { _, store in
        let board = store.object(Board.self, primaryKey: 2) ?? makeBoard(2)
        if board.store == nil { try store.add(board) }
        board.visits += 1
      }
    }
    let one = sharing.replicas[0]
    one.join("board=1")
    for key in 1...5 {
      try one.store.add(makeCard(key))
      await sharing.settle()
    }
    #expect(Set(sharing.server.partitions.keys.map(\.name)) == ["board=1"])
    one.join("board=2")
    await sharing.settle()
    #expect(one.store.object(Board.self, primaryKey: 2)?.visits == 5)
  }

  @Test func `a server that has served two thousand partitions keeps a hundred`() async throws {
    let sharing = Sharing(1, unreadLimit: 100)
    let one = sharing.replicas[0]
    for id in 0..<2_000 {
      one.join("board=\(id)")
      try one.store.add(makeBoard(id))
      one.leave("board=\(id)")
      if id % 5 == 0 { await sharing.settle() }
    }
    await sharing.settle()
    await sharing.settle()
    #expect(sharing.server.partitions.count == 100 && sharing.server.unread.count == 100)
    #expect(sharing.server.store.results(Board.self).count == 100)
  }
}
