import Signals
import TestSupport
import Testing

@testable import SignalsSync

/// Commits in partitions that a user may no longer read, or leaves.
@Suite @MainActor struct `Partitions that end with pending commits` {
  /// Two replicas with a board; the user of the second one may not read a secret one, nor write what was
  /// read.
  private struct Shared {
    let sharing: Sharing
    let board: Board
    let two: Replica
    let copy: Board

    init(inFiles: Bool = false) async throws {
      sharing = Sharing(2, inFiles: inFiles) {
        MayRead { user, _, store in
          if user == "user1", store.object(Board.self, primaryKey: 1)?.title == "secret" {
            throw Refused("it is secret")
          }
        }
        MayWrite(Board.self) { change, user in
          if user == "user1", change["read"] != nil { throw Refused("not yours") }
        }
      }
      board = try await sharing.start()
      two = sharing.replicas[1]
      copy = try #require(two.store.object(Board.self, primaryKey: 1))
    }

    /// Gives the board another title, and connects the second replica.
    func rename(_ title: String) async {
      board.title = title
      await sharing.settle()
      sharing.connect(1)
      await sharing.settle()
    }

    /// Closes the connection of the second replica, after the server has what it sent, without an answer.
    func loseAnswers(to write: () -> Void) async {
      sharing.connections[1]?.isHeld = true
      write()
      sharing.connections[1]?.deliver(toServer: 9, toReplica: 0)
      await sharing.server.handleMessages()
      sharing.connections[1]?.close()
    }
  }

  @Test func `commits made without a connection are refused once the user may not read`()
    async throws
  {
    let shared = try await Shared()
    let (sharing, two, copy) = (shared.sharing, shared.two, shared.copy)
    var refusals: [SyncRefusal] = []
    let token = two.refusals.sink { refusals.append($0) }
    sharing.connections[1]?.close()
    copy.visits = 3
    let card = makeCard(5)
    try two.store.write {
      try two.store.add(card)
      copy.cards.append(card)
    }
    await shared.rename("secret")
    #expect(two.state(of: "board=1") == .refused("it is secret"))
    #expect(two.pendingCount == 0 && two.delay == nil)
    #expect(refusals.map(\.reason) == ["it is secret", "it is secret"])
    #expect(refusals.first?.changes.changes.first?["visits"]?.new as? Int == 3)
    #expect(copy.visits == 0 && copy.cards.isEmpty && card.isDeleted)
    #expect(sharing.server.store.results(Card.self).isEmpty)
    withExtendedLifetime(token) {}
  }

  @Test func `a user who may read again submits further, and has what others wrote`()
    async throws
  {
    let shared = try await Shared()
    let (sharing, board, two, copy) = (shared.sharing, shared.board, shared.two, shared.copy)
    copy.visits = 1
    await sharing.settle()
    sharing.connections[1]?.close()
    copy.visits = 5
    await shared.rename("secret")
    await shared.rename("open")
    #expect(two.state(of: "board=1") == .joined)
    copy.visits += 1
    await sharing.settle()
    #expect(two.pendingCount == 0 && board.visits == 2)
    #expect(contents(two.store) == contents(sharing.server.store))
  }

  @Test func `a commit that counted before the right was lost isn't refused`() async throws {
    let shared = try await Shared()
    let (sharing, board, two, copy) = (shared.sharing, shared.board, shared.two, shared.copy)
    var reasons: [String] = []
    let token = two.refusals.sink { reasons.append($0.reason) }
    await shared.loseAnswers { copy.visits = 1 }
    copy.visits = 2
    await shared.rename("secret")
    #expect(two.pendingCount == 0 && reasons == ["it is secret"])
    #expect(board.visits == 1)
    await shared.rename("open")
    #expect(copy.visits == 1)
    copy.visits += 1
    await sharing.settle()
    #expect(board.visits == 2)
    withExtendedLifetime(token) {}
  }

  @Test func `a right that is lost while connected refuses what arrives after that`() async throws {
    let shared = try await Shared()
    let (sharing, board, two, copy) = (shared.sharing, shared.board, shared.two, shared.copy)
    var reasons: [String] = []
    let token = two.refusals.sink { reasons.append($0.reason) }
    sharing.connections[1]?.isHeld = true
    copy.visits = 1
    board.title = "secret"
    await sharing.settle()
    sharing.connections[1]?.isHeld = false
    sharing.connections[1]?.deliver(toServer: 9, toReplica: 9)
    await sharing.settle()
    #expect(two.pendingCount == 0 && reasons == ["it is secret"])
    #expect(copy.visits == 0 && board.visits == 0)
    withExtendedLifetime(token) {}
  }

  @Test func `refused commits aren't in the file anymore`() async throws {
    let shared = try await Shared(inFiles: true)
    let (sharing, board, two, copy) = (shared.sharing, shared.board, shared.two, shared.copy)
    sharing.connections[1]?.close()
    copy.visits = 3
    await shared.rename("secret")
    try await two.flush()
    try sharing.reopen(1, from: sharing.files[1].afterKill())
    let again = sharing.replicas[1]
    #expect(again.pendingCount == 0)
    #expect(again.store.object(Board.self, primaryKey: 1)?.visits == 0)
    await shared.rename("open")
    again.store.object(Board.self, primaryKey: 1)?.visits += 1
    await sharing.settle()
    #expect(board.visits == 1 && again.pendingCount == 0)
  }

  @Test func `a partition is left when its commits are decided`() async throws {
    let shared = try await Shared()
    let (sharing, board, two, copy) = (shared.sharing, shared.board, shared.two, shared.copy)
    copy.visits = 1
    two.leave("board=1")
    #expect(two.state(of: "board=1") == .joined)
    await sharing.settle()
    #expect(two.state(of: "board=1") == .notJoined)
    #expect(two.pendingCount == 0 && board.visits == 1)
    board.visits = 2
    await sharing.settle()
    #expect(copy.visits == 1)
  }

  @Test
  func `a partition that is left without a connection is joined once more to send its commits`()
    async throws
  {
    let shared = try await Shared()
    let (sharing, board, two, copy) = (shared.sharing, shared.board, shared.two, shared.copy)
    sharing.connections[1]?.close()
    copy.visits = 1
    two.leave("board=1")
    sharing.connect(1)
    await sharing.settle()
    #expect(board.visits == 1)
    #expect(two.state(of: "board=1") == .notJoined && two.delay == nil)
  }

  @Test func `a partition that is joined again before its commits are decided isn't left`()
    async throws
  {
    let shared = try await Shared()
    let (sharing, board, two, copy) = (shared.sharing, shared.board, shared.two, shared.copy)
    copy.visits = 1
    two.leave("board=1")
    two.join("board=1")
    await sharing.settle()
    board.visits += 1
    await sharing.settle()
    #expect(two.state(of: "board=1") == .joined && copy.visits == 2)
  }

  @Test func `a refusal that didn't arrive before the right was lost is told`() async throws {
    let shared = try await Shared()
    let (two, copy) = (shared.two, shared.copy)
    var reasons: [String] = []
    let token = two.refusals.sink { reasons.append($0.reason) }
    await shared.loseAnswers { copy.read = 1 }
    copy.visits = 2
    await shared.rename("secret")
    #expect(reasons == ["not yours", "it is secret"])
    #expect(two.pendingCount == 0 && copy.read == 0 && copy.visits == 0)
    withExtendedLifetime(token) {}
  }

  @Test func `a right that is lost and regained at once ends nothing`() async throws {
    let shared = try await Shared()
    let (sharing, board, two, copy) = (shared.sharing, shared.board, shared.two, shared.copy)
    sharing.connections[0]?.isHeld = true
    board.title = "secret"
    board.title = "open"
    sharing.connections[0]?.isHeld = false
    sharing.connections[0]?.deliver(toServer: 9, toReplica: 9)
    await sharing.settle()
    #expect(two.state(of: "board=1") == .joined && copy.title == "open")
    copy.visits = 1
    await sharing.settle()
    #expect(two.pendingCount == 0 && board.visits == 1)
  }

  @Test func `what is sent between the loss and the regain of a right is sent again`() async throws
  {
    let shared = try await Shared()
    let (sharing, board, two, copy) = (shared.sharing, shared.board, shared.two, shared.copy)
    for connection in sharing.connections { connection?.isHeld = true }
    board.title = "secret"
    sharing.connections[0]?.deliver(toServer: 1, toReplica: 0)
    copy.visits = 1
    sharing.connections[1]?.deliver(toServer: 1, toReplica: 0)
    board.title = "open"
    sharing.connections[0]?.deliver(toServer: 1, toReplica: 0)
    await sharing.server.handleMessages()
    for connection in sharing.connections { connection?.isHeld = false }
    for connection in sharing.connections { connection?.deliver(toServer: 9, toReplica: 9) }
    await sharing.settle()
    // The server hasn't decided about it, and says so by ending the connection.
    #expect(!two.isOnline && two.pendingCount == 1)
    sharing.connect(1)
    await sharing.settle()
    #expect(two.pendingCount == 0 && board.visits == 1 && copy.title == "open")
  }

  @Test func `a partition that can't be opened is left with its pending commits`() async throws {
    let sharing = Sharing(2)
    let (one, two) = (sharing.replicas[0], sharing.replicas[1])
    one.join("board=1")
    let card = makeCard(5, "first")
    try one.store.add(card)
    await sharing.settle()
    sharing.connections[0]?.close()
    sharing.restart()
    sharing.connect(1)
    two.join("board=2")
    try two.store.add(makeCard(5, "second", board: 2))
    await sharing.settle()
    card.text = "changed"
    one.leave("board=1")
    sharing.connect(0)
    await sharing.settle()
    #expect(one.state(of: "board=1") == .notJoined && one.pendingCount == 1)
    #expect(one.delay == .notJoined("board=1") && card.text == "changed")
  }

  @Test
  func `a partition whose objects have the keys of others isn't opened, and nothing is deleted`()
    async throws
  {
    let sharing = Sharing(2)
    let (one, two) = (sharing.replicas[0], sharing.replicas[1])
    one.join("board=1")
    try one.store.add(makeCard(5, "first"))
    await sharing.settle()
    sharing.connections[0]?.close()
    sharing.restart()
    sharing.connect(1)
    two.join("board=2")
    let card = makeCard(5, "second", board: 2)
    try two.store.add(card)
    await sharing.settle()
    sharing.connect(0)
    await sharing.settle()
    guard case .refused(let reason) = one.state(of: "board=1") else {
      Issue.record("\(one.state(of: "board=1"))")
      return
    }
    #expect(reason.hasPrefix("board=1 can't be opened: "))
    #expect(!card.isDeleted && two.pendingCount == 0)
    #expect(one.store.object(Card.self, primaryKey: 5)?.text == "first")
  }
}
