import Signals
import SignalsTesting
import TestSupport
import Testing

@testable import SignalsSync

/// Replicas and a server in one thread, with lost messages, lost connections, restarts, and clocks that
/// are moved.
@Suite @MainActor struct `Replicas, simulated` {
  @Test(arguments: seeds(18))
  func `replicas converge, and each is the facts with what is pending on top`(
    seed: UInt64
  ) async throws {
    try await simulate(seed, inFiles: false)
  }

  @Test(arguments: seeds(18))
  func `replicas of a log without its early facts converge, and no loss is untold`(
    seed: UInt64
  ) async throws {
    try await simulate(seed, inFiles: seed % 2 == 0, smallestTail: 600)
  }

  @Test(arguments: seeds(18))
  func `replicas in files that crash lose no confirmed commit, and repeat none`(
    seed: UInt64
  ) async throws {
    try await simulate(seed, inFiles: true)
  }

  @Test(arguments: seeds(18))
  func `replicas of several servers with one log converge, and each commit counts once`(
    seed: UInt64
  ) async throws {
    let smallestTail = seed % 2 == 0 ? 600 : 1 << 20
    try await simulate(
      seed, inFiles: seed % 3 == 0, smallestTail: smallestTail, servers: 2 + Int(seed % 2))
  }

  private func simulate(
    _ seed: UInt64, inFiles: Bool, smallestTail: Int = 1 << 20, servers: Int = 1
  ) async throws {
    var random = SeededRandom(seed: seed)
    let isLong = smallestTail > 600
    // A partition is closed whenever all are away.
    let unreadLimit = seed % 3 == 0 ? 0 : 100
    let sharing = Sharing(
      3, servers: servers, inFiles: inFiles, smallestTail: smallestTail, unreadLimit: unreadLimit
    ) {
      MayWrite(Card.self) { change, _ in
        if change.new(\.text) == "no" { throw Refused("no") }
      }
      After(Card.self) { change, store in
        if change.kind == .inserted { store.object(Board.self, primaryKey: 1)?.visits += 1 }
      }
    }
    try await sharing.start()
    let folds = (0..<4).map { _ in Fold() }
    let serverFolds = (0..<servers).map { _ in Fold() }
    var (refused, answers, lost) = (0, 0, 0)
    var tokens: [any Cancellable] = []
    func watch(_ replica: Replica) {
      replica.store.onRefusal = { _ in }
      tokens.append(replica.refusals.sink { _ in refused += 1 })
      tokens.append(replica.losses.sink { _ in lost += 1 })
    }
    sharing.replicas.forEach(watch)
    for step in 0..<simulationSteps {
      let comment: Comment = "seed \(seed), step \(step)"
      let index = Int.random(in: 0..<3, using: &random)
      let place = servers == 1 ? 0 : Int.random(in: 0..<servers, using: &random)
      if servers > 1, Int.random(in: 0..<20, using: &random) == 0 { sharing.notify() }
      sharing.time += UInt64.random(in: 0...2, using: &random)
      switch Int.random(in: 0..<20, using: &random) {
      case 0..<11: edit(sharing.replicas[index], &random)
      case 11..<15:
        sharing.connections[index]?.deliver(
          toServer: Int.random(in: 0...3, using: &random),
          toReplica: Int.random(in: 0...3, using: &random))
        await sharing.servers[place].handleMessages()
      case 15: await sharing.servers[place].handleMessages()
      case 16:
        sharing.connections[index]?.close()
        let offset = [0, 0, 1, -1, -5_000, 5_000].randomElement(using: &random) ?? 0
        sharing.moveClock(of: index, by: offset)
      // With a short log, one replica is away for long.
      case 17 where isLong || index < 2 || Int.random(in: 0..<10, using: &random) == 0:
        let full = [1, 300, 1 << 18].randomElement(using: &random) ?? 1
        sharing.connect(index, to: place, isHeld: true, fullBacklog: full)
      case 18:
        if Int.random(in: 0..<10, using: &random) == 0 { sharing.restart(place) }
        if inFiles {
          let files = sharing.files[index]
          if Bool.random(using: &random) { try await sharing.replicas[index].flush() }
          try sharing.reopen(
            index,
            from: Bool.random(using: &random)
              ? files.afterKill() : files.afterLossOfPower(&random))
          watch(sharing.replicas[index])
        }
      case 17:
        if let partition = sharing.servers[place].partitions["board=1"] {
          await sharing.servers[place].replaceSnapshot(of: partition)
        }
      default:
        if Int.random(in: 0..<(isLong ? 4 : 40), using: &random) == 0 {
          try await expectRest(sharing, folds[3], comment)
        }
      }
      let replica = sharing.replicas[index]
      try #require(replica.store.brokenInvariants() == [], comment)
      try #require(sharing.servers[place].store.brokenInvariants() == [], comment)
      if servers > 1, step % 10 == 0 {
        for (server, fold) in zip(sharing.servers, serverFolds) {
          try await expectFold(server, fold, sharing.archive, comment)
        }
      }
      if step % 5 == 0 {
        try await expectConfirmed(replica, folds[index], sharing.archive, comment)
      }
    }
    try await expectRest(sharing, folds[3], "seed \(seed), end")
    var (position, facts, names) = (LogPosition.start, [Fact](), ChangeReader())
    while true {
      let entries = try await sharing.archive.entries(of: "board=1", from: position, limit: 1_000)
      if entries.isEmpty { break }
      facts += try entries.map { try Fact.read($0.bytes, &names).fact }
      position = position.advanced(by: entries.count)
    }
    // Each submission is answered once, in the order of its author.
    for author in Set(facts.map(\.author)) where author != 0 {
      let numbers = facts.filter { $0.author == author }.map(\.number)
      answers += numbers.count
      #expect(numbers == Array(1...UInt64(max(numbers.count, 1))).dropLast(numbers.isEmpty ? 1 : 0))
    }
    // After a crash, a refusal may be told again.
    if !inFiles {
      #expect(refused == facts.count { $0.refusal != nil })
      let losses = facts.reduce(0) { $0 + $1.losses.count }
      // A replica finds others itself, if it lacks facts that the log has no longer.
      #expect(isLong ? lost == losses : lost >= losses)
    }
    #expect(answers > 0)
    withExtendedLifetime(tokens) {}
  }

  /// With all messages delivered, each replica is what the server is.
  private func expectRest(_ sharing: Sharing, _ fold: Fold, _ place: Comment) async throws {
    for index in 0..<3 { sharing.connect(index, to: index % sharing.servers.count) }
    await sharing.settle()
    // A server that was late for too long has ended its connections.
    for index in 0..<3 where !sharing.replicas[index].isOnline {
      #expect(sharing.servers.count > 1, place)
      sharing.connect(index, to: index % sharing.servers.count)
    }
    await sharing.settle()
    let expected = contents(sharing.server.store)
    for server in sharing.servers where server.partitions["board=1"] != nil {
      try #require(contents(server.store) == expected, place)
    }
    for replica in sharing.replicas {
      #expect(replica.pendingCount == 0, place)
      #expect(replica.state(of: "board=1") == .joined, place)
      try #require(contents(replica.store) == expected, place)
    }
    try await fold.advance(to: .max, in: sharing.archive)
    try #require(contents(fold.store) == expected, place)
  }

  /// A server is the fold of the facts that it has.
  private func expectFold(
    _ server: SyncServer, _ fold: Fold, _ log: InProcessLog, _ place: Comment
  ) async throws {
    guard let partition = server.partitions["board=1"] else { return }
    let facts = partition.head.position.rawValue
    if facts < fold.count { fold.restart() }
    try await fold.advance(to: facts, in: log)
    try #require(contents(server.store) == contents(fold.store), place)
    #expect(partition.count == facts, place)
  }

  /// Without what is pending, a replica is the fold of the facts that it has.
  private func expectConfirmed(
    _ replica: Replica, _ fold: Fold, _ log: InProcessLog, _ place: Comment
  ) async throws {
    let facts = replica.partitions["board=1"]?.facts ?? 0
    if facts < fold.count { fold.restart() }
    try await fold.advance(to: facts, in: log)
    let copy = Store(replica.store.snapshot())
    try copy.apply(ChangeSet.sum(of: replica.overlay).inverted(), onConflict: .theirs)
    for id in replica.added { try copy.object(id).map { try copy.delete($0) } }
    try #require(contents(copy) == contents(fold.store), place)
  }

  private func edit(_ replica: Replica, _ random: inout SeededRandom) {
    let store = replica.store
    let boards = Array(store.results(Board.self))
    let cards = Array(store.results(Card.self))
    func text() -> String { ["a", "b", "c", "no"].randomElement(using: &random) ?? "" }
    let (board, card) = (boards.randomElement(using: &random), cards.randomElement(using: &random))
    _ = try? store.write {
      for _ in 0..<Int.random(in: 1...2, using: &random) {
        switch Int.random(in: 0..<16, using: &random) {
        case 0: board?.title = text()
        case 1: board?.visits += 1
        case 2: board?.read = Int.random(in: 0..<100, using: &random)
        case 3, 4:
          let new = makeCard(Int.random(in: 0..<12, using: &random), text())
          if Bool.random(using: &random) {
            _ = try? store.add(new)
          } else {
            board?.cards.append(new)
          }
        case 5: card?.text = text()
        case 6: card?.votes -= 1
        // A deleted object that links to itself would never be released.
        case 7: if card?.store != nil { card?.next = cards.randomElement(using: &random) }
        case 8: if let card { try? store.delete(card) }
        case 9: if let card { board?.cards.insert(card, at: 0) }
        case 10: if let board, !board.cards.isEmpty { board.cards.remove(at: 0) }
        case 11:
          if let board, board.cards.count > 1 { board.cards.swapAt(0, board.cards.count - 1) }
        case 12: board?.notes.append(makeNote(text()))
        case 13: if let board, !board.notes.isEmpty { board.notes.removeLast() }
        case 14: card?.note = Bool.random(using: &random) ? makeNote(text()) : nil
        default:
          board?.best = card
          board?.notes.first?.text = text()
        }
      }
    }
    if Int.random(in: 0..<8, using: &random) == 0 { _ = try? store.undo(onConflict: .theirs) }
  }
}

/// The facts of a partition, applied one after the other: the model of everything else.
private final class Fold {
  private(set) var store = Store()
  private(set) var count: UInt64 = 0
  private var names = ChangeReader()

  func restart() { (store, count, names) = (Store(), 0, ChangeReader()) }

  nonisolated(nonsending) func advance(to end: UInt64, in log: InProcessLog) async throws {
    let limit = Int(clamping: end - count)
    let entries = try await log.entries(
      of: "board=1", from: LogPosition(rawValue: count), limit: limit)
    for entry in entries {
      let changes = try Fact.read(entry.bytes, &names).changes.map { $0.change(in: store) }
      // A commit exactly as it happened.
      try #require(try store.apply(ChangeSet(changes, origin: nil), onConflict: .theirs).isClean)
    }
    count += UInt64(entries.count)
  }
}

private let simulationSteps = runLength(usually: 3_000)
