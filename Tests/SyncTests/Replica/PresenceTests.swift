import Signals
import SignalsTesting
import TestSupport
import Testing

@testable import SignalsSync

/// Users that are present in a partition.
@Suite @MainActor struct `Presence` {
  private func users(_ replica: Replica, _ partition: String = "board=1") -> [String] {
    replica.users(in: partition).map { $0.status.isEmpty ? $0.user : "\($0.user): \($0.status)" }
  }

  @Test func `a user is present in the partitions that it has joined, while it is connected`()
    async throws
  {
    let sharing = Sharing(3)
    let (one, two, three) = (sharing.replicas[0], sharing.replicas[1], sharing.replicas[2])
    for replica in [one, two] { replica.join("board=1") }
    for replica in [two, three] { replica.join("board=2") }
    await sharing.settle()
    #expect(users(one) == ["user0", "user1"] && users(two) == ["user0", "user1"])
    #expect(users(three, "board=2") == ["user1", "user2"] && users(three) == [])
    two.leave("board=1")
    await sharing.settle()
    #expect(users(one) == ["user0"] && users(two) == [])
    #expect(users(three, "board=2") == ["user1", "user2"])
    sharing.connections[1]?.close()
    await sharing.settle()
    #expect(users(three, "board=2") == ["user2"] && users(two, "board=2") == [])
    sharing.connect(1)
    await sharing.settle()
    #expect(users(three, "board=2") == ["user1", "user2"])
    #expect(users(two, "board=2") == ["user1", "user2"])
  }

  @Test func `a status is seen by all, and again after a reconnection`() async throws {
    let sharing = Sharing(2)
    let (one, two) = (sharing.replicas[0], sharing.replicas[1])
    try one.setStatus("typing", in: "board=1")
    for replica in sharing.replicas { replica.join("board=1") }
    await sharing.settle()
    #expect(users(two) == ["user0: typing", "user1"])
    var shown: [[String]] = []
    let effect = Effect { shown.append(users(two)) }
    try one.setStatus("", in: "board=1")
    try one.setStatus("reading", in: "board=1")
    await sharing.settle()
    #expect(shown == [["user0: typing", "user1"], ["user0: reading", "user1"]])
    sharing.connections[0]?.close()
    sharing.connect(0)
    await sharing.settle()
    #expect(users(two) == ["user0: reading", "user1"])
    withExtendedLifetime(effect) {}
  }

  @Test func `several replicas of one user are one user, with the latest status`() async throws {
    let sharing = Sharing(1)
    let (watcher, phone, desk) = (
      sharing.replicas[0], Replica(sharing: sharedBoards()), Replica(sharing: sharedBoards())
    )
    for replica in [watcher, phone, desk] { replica.join("board=1") }
    let connections = (0..<2).map { _ in sharing.server.connection(for: "ann") }
    phone.connect(connections[0])
    desk.connect(connections[1])
    await sharing.settle()
    #expect(users(watcher) == ["ann", "user0"])
    try phone.setStatus("typing", in: "board=1")
    try desk.setStatus("reading", in: "board=1")
    await sharing.settle()
    #expect(users(watcher) == ["ann: reading", "user0"])
    connections[1].close()
    await sharing.settle()
    #expect(users(watcher) == ["ann: typing", "user0"])
    connections[0].close()
    await sharing.settle()
    #expect(users(watcher) == ["user0"])
  }

  @Test func `a user that loses the right to read is gone, and sees none`() async throws {
    let sharing = Sharing(2) {
      MayRead { user, _, store in
        if user == "user1", store.object(Board.self, primaryKey: 1)?.title == "secret" {
          throw Refused("secret")
        }
      }
    }
    let (one, two) = (sharing.replicas[0], sharing.replicas[1])
    let board = try await sharing.start()
    #expect(users(one) == ["user0", "user1"])
    board.title = "secret"
    await sharing.settle()
    #expect(users(one) == ["user0"] && users(two) == [])
  }

  @Test func `a reader whose connection was full gets all users`() async throws {
    let sharing = Sharing(2)
    let one = sharing.replicas[0]
    sharing.connect(0, isHeld: true, fullBacklog: 1)
    try await sharing.start()
    var others: [Replica] = []
    for number in 0..<5 {
      let other = Replica(sharing: sharedBoards())
      other.connect(sharing.server.connection(for: "other\(number)"))
      other.join("board=1")
      others.append(other)
      await sharing.server.handleMessages()
      if number == 2 { others.removeFirst().disconnect() }
    }
    await sharing.settle()
    #expect(users(one) == ["other1", "other2", "other3", "other4", "user0", "user1"])
    #expect(users(one) == users(others[0]))
  }

  @Test func `a status that is too long is refused, and one from a hostile replica ends it`()
    async throws
  {
    let sharing = Sharing(1)
    let one = sharing.replicas[0]
    let error = PresenceError.statusTooLong(size: 1_001, limit: 1_000)
    #expect(error.description == "a status of 1001 bytes is longer than 1000 bytes")
    try one.setStatus("here", in: "board=1")
    #expect(throws: error) {
      try one.setStatus(String(repeating: "x", count: 1_001), in: "board=1")
    }
    try await sharing.start()
    #expect(users(one) == ["user0: here"])
    let hostile = ReplicaMessageWriter.status(String(repeating: "x", count: 1_001), in: 1)
    sharing.connections[0]?.send(hostile, to: \.toServer)
    #expect(!one.isOnline && users(one) == [])
  }

  @Test func `with ten thousand users, a change is one message to each`() async throws {
    let sharing = Sharing(1)
    let one = sharing.replicas[0]
    try await sharing.start()
    // Connections that take all messages, since ten thousand replicas would know a hundred million users.
    var (others, messages, bytes) = ([SyncConnection](), 0, 0)
    for index in 1..<10_000 {
      let connection = sharing.server.connection(for: "other\(index)")
      connection.toReplica.receive = { [unowned connection] message in
        (messages, bytes) = (messages + 1, bytes + message.count)
        connection.didHandle(message.count, from: \.toReplica)
      }
      connection.send(ReplicaMessageWriter(authors: [UInt64(index + 100)]).hello, to: \.toServer)
      connection.send(ReplicaMessageWriter.join("board=1", facts: 0, chain: 0), to: \.toServer)
      others.append(connection)
      if index % 500 == 0 { await sharing.server.handleMessages() }
    }
    await sharing.settle()
    #expect(one.users(in: "board=1").count == 10_000)
    (messages, bytes) = (0, 0)
    try one.setStatus("typing", in: "board=1")
    await sharing.settle()
    #expect(messages == 9_999 && bytes < 30 * messages)
    #expect(users(one).contains("user0: typing"))
    for connection in others.dropFirst(10) { connection.close() }
    await sharing.settle()
    #expect(one.users(in: "board=1").count == 11)
  }

  @Test(arguments: seeds(4))
  func `users are those of the connections, after any history`(seed: UInt64) async throws {
    var random = SeededRandom(seed: seed)
    let sharing = Sharing(4)
    for index in 0..<4 { sharing.replicas[index].join("board=1") }
    var model = (0..<4).map { _ in (isOnline: true, isJoined: true, status: "") }
    for step in 0..<runLength(usually: 400) {
      let index = Int.random(in: 0..<4, using: &random)
      let replica = sharing.replicas[index]
      switch Int.random(in: 0..<6, using: &random) {
      case 0:
        sharing.connections[index]?.close()
        model[index].isOnline = false
      case 1:
        let full = [1, 1 << 18].randomElement(using: &random) ?? 1
        sharing.connect(index, isHeld: Bool.random(using: &random), fullBacklog: full)
        model[index].isOnline = true
      case 2:
        replica.leave("board=1")
        model[index].isJoined = false
      case 3:
        replica.join("board=1")
        model[index].isJoined = true
      case 4:
        model[index].status = ["", "a", "b"].randomElement(using: &random) ?? ""
        try replica.setStatus(model[index].status, in: "board=1")
      default: await sharing.settle()
      }
      if step % 10 != 9 { continue }
      for _ in 0..<3 { await sharing.settle() }
      let present = model.enumerated().filter { $0.element.isOnline && $0.element.isJoined }
      let expected = present.map {
        PresentUser(user: "user\($0.offset)", status: $0.element.status)
      }
      for (index, _) in present {
        #expect(
          sharing.replicas[index].users(in: "board=1") == expected, "seed \(seed), step \(step)")
      }
      for index in 0..<4 where !model[index].isOnline || !model[index].isJoined {
        #expect(sharing.replicas[index].users(in: "board=1") == [], "seed \(seed), step \(step)")
      }
    }
  }
}
