import Signals
import SignalsTesting
import TestSupport
import Testing

@testable import SignalsSync

/// Connections that are carried over byte streams.
@Suite struct `Connections between processes` {
  @Test(arguments: [1, 7, 100_000])
  func `commits are shared, in whatever pieces the bytes come`(_ size: Int) async throws {
    try await SteppingActor.run { stage in
      let (sharing, cables) = (Sharing(3), (Cable(size), Cable(size)))
      sharing.run()
      cables.0.connect(sharing.replicas[0], to: sharing.server, as: "user0")
      cables.1.connect(sharing.replicas[1], to: sharing.server, as: "user1")
      try await sharing.start("plans")
      await stage.settle()
      let copy = try #require(sharing.replicas[1].store.object(Board.self, primaryKey: 1))
      copy.title = String(repeating: "ä", count: 1_000)
      copy.cards.append(makeCard(1, "one"))
      await stage.settle()
      for replica in sharing.replicas {
        #expect(contents(replica.store) == contents(sharing.server.store))
        #expect(replica.pendingCount == 0 && replica.isOnline)
      }
      #expect(contents(sharing.server.store).count == 2)
    }
  }

  @Test func `a closed connection, a cancelled task or the end of a stream ends both sides`() async
  {
    await SteppingActor.run { stage in
      let sharing = Sharing(4)
      sharing.run()
      let cables = (0..<4).map { _ in Cable(100) }
      for (index, cable) in cables.enumerated() {
        cable.connect(sharing.replicas[index], to: sharing.server, as: "user\(index)")
      }
      await stage.settle()
      #expect(sharing.onlineCount == 4)
      sharing.replicas[0].disconnect()
      cables[1].replicaTask?.cancel()
      cables[2].serverTask?.cancel()
      cables[3].toServer.finish()
      await stage.settle()
      #expect(sharing.onlineCount == 0)
      #expect(sharing.server.load.connections == 0)
      let ends = Set(cables.flatMap(\.ends))
      #expect(ends == ["ended"])
    }
  }

  @Test func `something is sent each 15 seconds, so that a quiet connection stays`() async {
    await SteppingActor.run { stage in
      let (sharing, cable, clock) = (Sharing(1), Cable(100), ManualClock())
      sharing.run()
      cable.connect(sharing.replicas[0], to: sharing.server, as: "user0", clock: clock)
      await stage.settle()
      let before = (cable.toServer.count, cable.toReplica.count)
      await clock.advance(by: .seconds(300), on: stage)
      #expect(sharing.replicas[0].isOnline)
      #expect(cable.toServer.count - before.0 == 19 && cable.toReplica.count - before.1 == 19)
    }
  }

  @Test func `a peer that is silent for 45 seconds is given up, and the reason is known`()
    async throws
  {
    try await SteppingActor.run { stage in
      let (sharing, cable, clock) = (Sharing(1), Cable(100), ManualClock())
      sharing.run()
      let replica = sharing.replicas[0]
      cable.connect(replica, to: sharing.server, as: "user0", clock: clock)
      try await sharing.start()
      await stage.settle()
      cable.toReplica.isLost = true
      cable.toServer.isLost = true
      try replica.store.add(makeCard(1))
      await clock.advance(by: .seconds(44), on: stage)
      #expect(replica.isOnline && replica.delay == nil)
      await clock.advance(by: .seconds(16), on: stage)
      #expect(!replica.isOnline && sharing.server.load.connections == 0)
      let reason = "nothing has arrived for 45.0 seconds"
      #expect(replica.delay == .offline(reason: reason) && cable.ends == [reason, reason])
    }
  }

  @Test func `a reader that takes nothing holds no other, and gets all when it takes again`()
    async throws
  {
    try await SteppingActor.run { stage in
      let (sharing, cable) = (Sharing(2), Cable(100_000))
      sharing.run()
      let (slow, fast) = (sharing.replicas[0], sharing.replicas[1])
      cable.connect(slow, to: sharing.server, as: "user0")
      let board = try await sharing.start()
      await stage.settle()
      cable.toReplica.isBlocked = true
      let copy = try #require(fast.store.object(Board.self, primaryKey: 1))
      for number in 0..<1_000 { copy.title = "\(number)" + String(repeating: "x", count: 1_000) }
      await stage.settle()
      #expect(fast.pendingCount == 0 && board.title == "")
      // A megabyte of facts wasn't queued.
      let backlog = sharing.server.load.outgoing
      #expect(backlog > 200_000 && backlog < 600_000)
      cable.toReplica.isBlocked = false
      await stage.settle()
      #expect(contents(slow.store) == contents(fast.store) && slow.state(of: "board=1") == .joined)
    }
  }

  @Test func `a replica that sends faster than the server handles is read more slowly`()
    async throws
  {
    try await SteppingActor.run { stage in
      let (sharing, cable, clock) = (Sharing(1), Cable(1_000), ManualClock())
      let replica = sharing.replicas[0]
      sharing.run()
      cable.connect(replica, to: sharing.server, as: "user0", clock: clock)
      let board = try await sharing.start()
      await stage.settle()
      sharing.stop()
      for number in 0..<1_000 { board.title = "\(number)" + String(repeating: "x", count: 1_000) }
      await stage.settle()
      #expect(replica.pendingCount == 1_000)
      #expect(sharing.server.load.incoming < 300_000)
      // Nor is it called silent, which it isn't.
      await clock.advance(by: .seconds(120), on: stage)
      #expect(replica.isOnline && sharing.server.load.connections == 1)
      sharing.run()
      await stage.settle()
      #expect(replica.pendingCount == 0 && replica.isOnline)
      #expect(contents(replica.store) == contents(sharing.server.store))
    }
  }

  @Test func `sides without a common version say so, and the server continues`() async throws {
    try await SteppingActor.run { stage in
      let sharing = Sharing(2)
      let (replica, fast) = (sharing.replicas[0], sharing.replicas[1])
      sharing.run()
      // A replica of a later version.
      let (later, answers) = (ByteStream(100), ByteStream(100))
      let serving = Future {
        try await sharing.server.serve(
          "anna", receiving: later.chunks, isolation: stage, sending: answers.send)
      }.sink { _ in
      } receiveValue: { _ in
      }
      try await later.send([12, 0, 7, 9, 1] + Array(repeating: 7, count: 8))
      await stage.settle()
      #expect(answers.sent == [3, 0, 6, 6])
      // A server of a later version.
      let cable = Cable(100)
      cable.connect(replica, to: nil, as: "user0")
      try replica.store.add(makeBoard(1))
      try await cable.toReplica.send([3, 0, 7, 8])
      await stage.settle()
      let error = SyncConnectionError.versions(here: 6...6, there: 7...8)
      #expect(!replica.isOnline && cable.ends == ["\(error)"])
      #expect(
        replica.delay
          == .offline(
            reason: "this side speaks versions 6 to 6 of the protocol, the other one 7 to 8"))
      #expect(fast.isOnline)
      withExtendedLifetime(serving) {}
    }
  }

  @Test(arguments: seeds(8))
  func `bytes that are no messages end the connection with a typed error, and change nothing`(
    seed: UInt64
  ) async throws {
    try await SteppingActor.run { stage in
      var random = SeededRandom(seed: seed)
      let (sharing, cable) = (Sharing(2), Cable(100))
      sharing.run()
      cable.connect(sharing.replicas[0], to: sharing.server, as: "user0")
      try await sharing.start("plans")
      await stage.settle()
      let good = cable.toServer.sent
      let before = contents(sharing.server.store)
      for round in 0..<runLength(usually: 200) {
        let (bytes, answers) = (ByteStream(50), ByteStream(50))
        var end = "open"
        let serving = Future {
          try await sharing.server.serve(
            "anna", receiving: bytes.chunks, isolation: stage, sending: answers.send)
        }.sink { completion in
          if case .failure(let error) = completion {
            end = error is SyncConnectionError ? "typed" : "\(error)"
          } else {
            end = "closed"
          }
        } receiveValue: { _ in
        }
        // What a replica has sent, damaged.
        var damaged = good
        for _ in 0..<Int.random(in: 1...4, using: &random) {
          let place = Int.random(in: 0..<damaged.count, using: &random)
          damaged[place] = UInt8.random(in: 0...255, using: &random)
        }
        if round % 3 == 0 { damaged = (0..<100).map { _ in .random(in: 0...255, using: &random) } }
        try await bytes.send(damaged)
        await stage.settle()
        #expect(end == "typed" || end == "open", "seed \(seed), round \(round)")
        serving.cancel()
        await stage.settle()
        let now = contents(sharing.server.store)
        // A commit that is damaged and can be read is another commit.
        if round % 3 == 0 { #expect(now == before, "seed \(seed), round \(round)") }
        try #require(sharing.server.store.brokenInvariants() == [])
      }
      #expect(sharing.onlineCount == 2)
    }
  }

  @Test func `a peer that joins and takes nothing gets no more than a connection holds`()
    async throws
  {
    try await SteppingActor.run { stage in
      let sharing = Sharing(1)
      sharing.run()
      try await sharing.start(String(repeating: "x", count: 100_000))
      await stage.settle()
      let (joins, answers) = (ByteStream(20), ByteStream(100))
      answers.isBlocked = true
      let serving = Future {
        try await sharing.server.serve(
          "mallory", receiving: joins.chunks, isolation: stage, sending: answers.send)
      }.sink { _ in
      } receiveValue: { _ in
      }
      let join = ReplicaMessageWriter.join("board=1", facts: 0, chain: 0)
      let messages = [ReplicaMessageWriter(authors: [9]).hello] + Array(repeating: join, count: 100)
      try await joins.send(MessageStream.bytes(of: messages))
      await stage.settle()
      #expect(sharing.server.load.outgoing < 700_000)
      answers.isBlocked = false
      await stage.settle()
      #expect(answers.sent.count > 200_000 && sharing.server.load.outgoing == 0)
      withExtendedLifetime(serving) {}
    }
  }

  @Test func `a server that fails after it has accepted a connection gets longer pauses`()
    async throws
  {
    await SteppingActor.run { stage in
      let (sharing, clock) = (Sharing(1), ManualClock())
      sharing.run()
      let replica = sharing.replicas[0]
      var attempts: [Duration] = []
      let connecting = Future {
        await replica.stayConnected(clock: clock, backOff: { .seconds(1 << $0) }) {
          attempts.append(ManualClock.Instant(offset: .zero).duration(to: clock.now))
          replica.connect(sharing.server.connection(for: "user0"))
          while !replica.isOnline { await Task.yield() }
          replica.disconnect()
          throw Refused("full")
        }
      }.sink { _ in }
      await clock.advance(by: .seconds(15), on: stage)
      #expect(attempts == [.zero, .seconds(2), .seconds(6), .seconds(14)])
      connecting.cancel()
    }
  }

  @Test func `the replica knows what the server can't read, and that the log has failed`()
    async throws
  {
    let sharing = Sharing(2)
    let (one, two) = (sharing.replicas[0], sharing.replicas[1])
    await sharing.settle()
    sharing.connections[0]?.send([77], to: \.toServer)
    let start = "the server has ended the connection: "
    #expect(one.offlineReason == start + "a message can't be read: it is of the unknown kind 77")
    try await sharing.log.close()
    two.join("board=2")
    await sharing.settle()
    #expect(two.offlineReason == start + "\(ChangeLogError.closed)")
    #expect(two.state(of: "board=2") == .joining(progress: 0))
  }

  @Test func `an effect of the first facts that disconnects leaves the partition unjoined`()
    async throws
  {
    let sharing = Sharing(2)
    let (one, two) = (sharing.replicas[0], sharing.replicas[1])
    two.join("board=1")
    try two.store.add(makeBoard(1))
    await sharing.settle()
    let effect = Effect { if !one.store.results(Board.self).isEmpty { one.disconnect() } }
    one.join("board=1")
    await sharing.settle()
    #expect(!one.isOnline && one.state(of: "board=1") == .joining(progress: 0))
    withExtendedLifetime(effect) {}
  }

  @Test func `a replica that introduces itself twice can't claim another's commits`() async throws {
    try await SteppingActor.run { stage in
      let sharing = Sharing(2)
      let (anna, mallory) = (sharing.replicas[0], sharing.replicas[1])
      sharing.run()
      try await sharing.start()
      await stage.settle()
      // The versions, and the author of the other replica.
      let claim: [UInt8] = [0, 9, 9, 1, 1, 0, 0, 0, 0, 0, 0, 0]
      let connection = try #require(sharing.connections[1])
      connection.send(claim, to: \.toServer)
      await stage.settle()
      #expect(!mallory.isOnline && anna.isOnline)
      let reason = "the server has ended the connection: a message can't be read: "
      #expect(mallory.offlineReason == reason + "it introduces the replica again")
    }
  }

  @Test func `an effect that connects when the connection has ended leaves one connection`()
    async throws
  {
    try await SteppingActor.run { stage in
      let sharing = Sharing(1)
      let (one, server) = (sharing.replicas[0], sharing.server)
      sharing.run()
      let board = try await sharing.start()
      await stage.settle()
      let effect = Effect {
        if !one.isOnline, one.offlineReason == nil {
          untracked { one.connect(server.connection(for: "user0")) }
        }
      }
      for _ in 0..<3 {
        one.disconnect()
        await stage.settle()
        #expect(one.isOnline && server.load.connections == 1)
        one.connect(server.connection(for: "user0"))
        await stage.settle()
        #expect(one.isOnline && server.load.connections == 1)
        board.visits += 1
        await stage.settle()
        #expect(one.pendingCount == 0 && one.state(of: "board=1") == .joined)
      }
      withExtendedLifetime(effect) {}
    }
  }

  @Test func `a reader that loses a right in the batch that it reads gets the facts before`()
    async throws
  {
    let sharing = Sharing(2) {
      MayRead { user, _, store in
        if user == "user0", store.object(Board.self, primaryKey: 1)?.title == "secret" {
          throw Refused("secret")
        }
      }
    }
    let (one, two) = (sharing.replicas[0], sharing.replicas[1])
    let board = try await sharing.start()
    sharing.connect(0, isHeld: true, fullBacklog: 1)
    await sharing.settle()
    sharing.connections[0]?.isHeld = true
    let copy = try #require(two.store.object(Board.self, primaryKey: 1))
    for _ in 0..<2 {
      copy.visits += 1
      await sharing.server.handleMessages()
    }
    board.visits += 5
    sharing.connections[0]?.deliver(toServer: .max, toReplica: 0)
    copy.title = "secret"
    // The connection can take facts again, in the same batch.
    sharing.connections[0]?.deliver(toServer: 0, toReplica: .max)
    await sharing.settle()
    #expect(one.state(of: "board=1") == .refused("secret"))
    #expect(one.pendingCount == 0 && board.visits == 7 && board.title == "")
  }

  @Test func `an effect that disconnects when it sees the users leaves none behind`() async throws {
    try await SteppingActor.run { stage in
      let sharing = Sharing(3)
      let (one, two) = (sharing.replicas[0], sharing.replicas[1])
      sharing.run()
      try await sharing.start()
      await stage.settle()
      let effect = Effect {
        if two.users(in: "board=1").contains(where: { $0.status == "go" }) { two.disconnect() }
      }
      try one.setStatus("go", in: "board=1")
      await stage.settle()
      #expect(one.users(in: "board=1").map(\.user) == ["user0", "user2"])
      withExtendedLifetime(effect) {}
    }
  }

  @Test func `a replica connects again after pauses that grow until a server accepts it`()
    async throws
  {
    try await SteppingActor.run { stage in
      let (sharing, clock) = (Sharing(1), ManualClock())
      sharing.run()
      let replica = sharing.replicas[0]
      replica.disconnect()
      var (attempts, cable) = ([Duration](), Cable?.none)
      var isThere = false
      let connecting = Future {
        await replica.stayConnected(clock: clock, backOff: { .seconds(1 << $0) }) {
          attempts.append(ManualClock.Instant(offset: .zero).duration(to: clock.now))
          if !isThere { throw Refused("no server") }
          let new = Cable(100)
          cable = new
          try await new.carry(
            replica, to: sharing.server, as: "user0", clock: clock, isolation: stage)
        }
      }.sink { _ in }
      try replica.store.add(makeBoard(1))
      await clock.advance(by: .seconds(15), on: stage)
      #expect(attempts == [.zero, .seconds(2), .seconds(6), .seconds(14)])
      #expect(replica.delay == .offline(reason: "no server"))
      isThere = true
      await clock.advance(by: .seconds(15), on: stage)
      #expect(replica.isOnline && replica.delay == .notJoined("board=1"))
      replica.join("board=1")
      await stage.settle()
      #expect(replica.delay == nil && replica.pendingCount == 0)
      cable?.toReplica.finish()
      await stage.settle()
      #expect(!replica.isOnline)
      // The first pause again.
      await clock.advance(by: .seconds(2), on: stage)
      #expect(replica.isOnline && attempts.count == 6)
      connecting.cancel()
      await stage.settle()
      #expect(!replica.isOnline && sharing.server.load.connections == 0)
    }
  }

  @Test func `a user who loses a right while the connection is full gets the facts before`()
    async throws
  {
    try await SteppingActor.run { stage in
      let sharing = Sharing(2) {
        MayRead { user, _, store in
          if user == "user0", store.object(Board.self, primaryKey: 1)?.title == "secret" {
            throw Refused("secret")
          }
        }
      }
      sharing.run()
      let (replica, other, cable) = (sharing.replicas[0], sharing.replicas[1], Cable(100_000))
      cable.connect(replica, to: sharing.server, as: "user0")
      let board = try await sharing.start()
      await stage.settle()
      cable.toReplica.isBlocked = true
      let copy = try #require(other.store.object(Board.self, primaryKey: 1))
      for number in 1...600 { copy.title = "\(number)" + String(repeating: "x", count: 1_000) }
      copy.title = "last"
      await stage.settle()
      copy.title = "secret"
      copy.visits = 5
      await stage.settle()
      cable.toReplica.isBlocked = false
      await stage.settle()
      #expect(board.title == "last" && board.visits == 0)
      #expect(replica.state(of: "board=1") == .refused("secret"))
      #expect(other.pendingCount == 0)
    }
  }
}

/// A byte stream that a test can hold, lose or end.
final class ByteStream {
  let chunks: AsyncStream<ArraySlice<UInt8>>
  private let continuation: AsyncStream<ArraySlice<UInt8>>.Continuation
  private let size: Int
  private let changes = WaitQueue()
  /// The bytes that were sent.
  private(set) var sent: [UInt8] = []
  /// The number of calls that have sent something.
  private(set) var count = 0
  var isLost = false
  var isBlocked = false { didSet { changes.wake() } }

  init(_ size: Int) {
    (chunks, continuation) = AsyncStream.makeStream()
    self.size = size
  }

  nonisolated(nonsending) func send(_ bytes: [UInt8]) async throws {
    while isBlocked {
      try Task.checkCancellation()
      await changes.wait(after: changes.count)
    }
    count += 1
    sent += bytes
    if isLost { return }
    for start in stride(from: 0, to: bytes.count, by: size) {
      continuation.yield(bytes[start..<min(start + size, bytes.count)])
    }
  }

  func finish() { continuation.finish() }
}

/// The byte streams between a replica and a server.
final class Cable {
  let toServer: ByteStream
  let toReplica: ByteStream
  /// What has ended the two sides.
  private(set) var ends: [String] = []
  private(set) var replicaTask: (any Cancellable)?
  private(set) var serverTask: (any Cancellable)?

  init(_ size: Int) { (toServer, toReplica) = (ByteStream(size), ByteStream(size)) }

  func connect(
    _ replica: Replica, to server: SyncServer?, as user: String,
    clock: some Clock<Duration> = ManualClock(), isolation: isolated (any Actor)? = #isolation
  ) {
    if let server { serve(server, as: user, clock: clock) }
    let (stream, incoming) = (toServer, toReplica.chunks)
    replicaTask = Future {
      defer { stream.finish() }
      try await replica.connect(
        receiving: incoming, clock: clock, isolation: isolation, sending: stream.send)
    }.sink { [unowned self] in
      note($0)
    } receiveValue: { _ in
    }
  }

  /// Carries a connection until it ends.
  func carry(
    _ replica: Replica, to server: SyncServer, as user: String, clock: some Clock<Duration>,
    isolation: isolated (any Actor)? = #isolation
  ) async throws {
    serve(server, as: user, clock: clock)
    defer { toServer.finish() }
    try await replica.connect(
      receiving: toReplica.chunks, clock: clock, isolation: isolation, sending: toServer.send)
  }

  private func serve(
    _ server: SyncServer, as user: String, clock: some Clock<Duration>,
    isolation: isolated (any Actor)? = #isolation
  ) {
    let (stream, incoming) = (toReplica, toServer.chunks)
    serverTask = Future {
      defer { stream.finish() }
      try await server.serve(
        user, receiving: incoming, clock: clock, isolation: isolation, sending: stream.send)
    }.sink { [unowned self] in
      note($0)
    } receiveValue: { _ in
    }
  }

  private func note(_ completion: Completion<any Error>) {
    if case .failure(let error) = completion {
      ends.append("\(error)")
    } else {
      ends.append("ended")
    }
  }
}
