import Signals
import Synchronization
import TestSupport

@testable import SignalsSync

final class Board: Object {
  @PrimaryKey var id = 0
  @Field var title = ""
  @Counter var visits = 0
  @Latest var read = 0
  @Links var cards: List<Card>
  @Links var notes: List<Remark>
  @Link var best: Card?
}

final class Card: Object {
  @PrimaryKey var key = 0
  @Field var board = 0
  @Field var text = ""
  @Counter var votes = 0
  @Link var next: Card?
  @Link var note: Remark?
}

final class Remark: EmbeddedObject {
  @Field var text = ""
}

/// A value of which 13 can't be encoded.
struct Fragile: Codable, Equatable {
  var number = 0

  /// The code that runs when a number is encoded, once.
  @MainActor static var hooks: [Int: () -> Void] = [:]

  func encode(to encoder: any Encoder) throws {
    if number == 13 { throw Refused("13 is unlucky") }
    if number >= 100 { MainActor.assumeIsolated { Self.hooks.removeValue(forKey: number)?() } }
    var container = encoder.singleValueContainer()
    try container.encode(number)
  }

  init(_ number: Int) { self.number = number }

  init(from decoder: any Decoder) throws {
    number = try decoder.singleValueContainer().decode(Int.self)
  }
}

final class Gauge: Object {
  @PrimaryKey var id = 0
  @Field var value = Fragile(0)
}

/// An object that isn't shared.
final class Desk: Object {
  @Field var name = ""
  @Link var card: Card?
}

/// Another one, with a value that may fail.
final class Drawer: Object {
  @Field var value = Fragile(0)
}

func sharedBoards() -> [SharedClass] {
  [
    SharedClass(Board.self) { "board=\($0.id)" }, SharedClass(Card.self) { "board=\($0.board)" },
    SharedClass(Gauge.self) { $0.id == 7 ? String(repeating: "x", count: 100) : "board=1" },
  ]
}

func makeBoard(_ id: Int, _ title: String = "") -> Board {
  let board = Board()
  (board.id, board.title) = (id, title)
  return board
}

func makeCard(_ key: Int, _ text: String = "", board: Int = 1) -> Card {
  let card = Card()
  (card.key, card.text, card.board) = (key, text, board)
  return card
}

func makeNote(_ text: String) -> Remark {
  let note = Remark()
  note.text = text
  return note
}

/// The shared objects of a store, as texts by their ids.
func contents(_ store: Store) -> [ObjectID: String] {
  let changes = Store().snapshot().changes(to: store.snapshot()).changes
  let texts = changes.filter { $0.className != "Desk" }.map { change in
    let properties = change.properties.sorted { $0.name < $1.name }
    let values = properties.map { "\($0.name): \($0.new.map { "\($0)" } ?? "nil")" }
    return (change.id, "\(change.className) \(values)")
  }
  return Dictionary(uniqueKeysWithValues: texts)
}

/// A partition to which nothing can be appended, and why.
@dynamicMemberLookup final class FullPartition: Sendable {
  struct State {
    var name: String?
    var error = ChangeLogError.closed
    /// Whether it can't be read either.
    var refusesReads = false
    /// Whether entries are in the log though the append has failed.
    var appendsNevertheless = false
    /// Whether entries can be appended.
    var acceptsAppends = false
  }

  private let present = Mutex(State())

  subscript<Value: Sendable>(dynamicMember member: any WritableKeyPath<State, Value> & Sendable)
    -> Value
  {
    get { present.withLock { $0[keyPath: member] } }
    set { present.withLock { $0[keyPath: member] = newValue } }
  }

  func checkRead(of partition: Partition) throws(ChangeLogError) {
    if self.refusesReads, partition.name == self.name { throw self.error }
  }
}

/// A log that is another one, but for some calls.
private protocol ForwardingLog: ChangeLog {
  associatedtype Base: ChangeLog
  var log: Base { get }
}

extension ForwardingLog {
  func head(of partition: Partition) async throws(ChangeLogError) -> LogHead {
    try await log.head(of: partition)
  }

  func entries(
    of partition: Partition, from position: LogPosition, limit: Int
  ) async throws(ChangeLogError) -> [LogEntry] {
    try await log.entries(of: partition, from: position, limit: limit)
  }

  func snapshot(of partition: Partition) async throws(ChangeLogError) -> LogSnapshot? {
    try await log.snapshot(of: partition)
  }

  func storeSnapshot(
    _ snapshot: LogSnapshot, of partition: Partition
  ) async throws(ChangeLogError) { try await log.storeSnapshot(snapshot, of: partition) }

  func truncate(
    _ partition: Partition, before position: LogPosition
  ) async throws(ChangeLogError) { try await log.truncate(partition, before: position) }

  func close() async throws(ChangeLogError) { try await log.close() }
}

/// A log, and another one that keeps all facts.
private struct ArchivedLog: ForwardingLog {
  let log: InProcessLog
  let archive: InProcessLog
  let full: FullPartition

  func append(_ all: [LogAppend]) async throws(ChangeLogError) -> [LogHead] {
    let isRefused = !full.acceptsAppends && all.contains { $0.partition.name == full.name }
    if isRefused, !full.appendsNevertheless { throw full.error }
    let heads = try await log.append(all)
    for next in all { try await archive.append(next.entries, to: next.partition) }
    if isRefused { throw full.error }
    return heads
  }

  func head(of partition: Partition) async throws(ChangeLogError) -> LogHead {
    try full.checkRead(of: partition)
    return try await log.head(of: partition)
  }

  func entries(
    of partition: Partition, from position: LogPosition, limit: Int
  ) async throws(ChangeLogError) -> [LogEntry] {
    try full.checkRead(of: partition)
    return try await log.entries(of: partition, from: position, limit: limit)
  }

  func snapshot(of partition: Partition) async throws(ChangeLogError) -> LogSnapshot? {
    try full.checkRead(of: partition)
    return try await log.snapshot(of: partition)
  }
}

/// A log of several servers, which notifies them late.
private final class LateLog: ForwardingLog, SharedLog {
  private struct State {
    var last = 0
    var followers: [Int: (partition: Partition, onAppend: @Sendable () -> Void)] = [:]
    var moved: Set<Partition> = []
  }

  let log: ArchivedLog
  private let state = Mutex(State())

  init(_ log: ArchivedLog) { self.log = log }

  func follow(
    _ partition: Partition, onAppend: @escaping @Sendable () -> Void
  ) -> LogFollowing {
    let id = state.withLock { state in
      state.last += 1
      state.followers[state.last] = (partition, onAppend)
      return state.last
    }
    return LogFollowing { [self] in state.withLock { _ = $0.followers.removeValue(forKey: id) } }
  }

  /// Notifies the servers of all appends since the last call.
  func notify() {
    let calls = state.withLock { state in
      defer { state.moved = [] }
      return state.followers.values.filter { state.moved.contains($0.partition) }.map(\.onAppend)
    }
    for call in calls { call() }
  }

  func append(_ all: [LogAppend]) async throws(ChangeLogError) -> [LogHead] {
    // One that fails may be in the log.
    defer { state.withLock { $0.moved.formUnion(all.map(\.partition)) } }
    return try await log.append(all)
  }
}

/// A server, or several with one log, the replicas, and their clock.
final class Sharing {
  let log = InProcessLog()
  /// The facts of all times.
  let archive = InProcessLog()
  let full = FullPartition()
  private let smallestTail: Int
  private let unreadLimit: Int
  let rules: SyncRules
  private(set) var servers: [SyncServer] = []
  var server: SyncServer {
    get { servers[0] }
    set { servers[0] = newValue }
  }
  private var lateLog: LateLog?
  var replicas: [Replica] = []
  var connections: [SyncConnection?] = []
  /// The files of the replicas, or none if they are in memory.
  var files: [SimulatedFiles] = []
  private var authors: UInt64 = 0
  private let clock: Clock
  private var running: (any Cancellable)?
  var time: UInt64 {
    get { clock.time }
    set { clock.time = newValue }
  }

  init(
    _ count: Int, servers: Int = 1, inFiles: Bool = false, smallestTail: Int = 1 << 20,
    unreadLimit: Int = 100, @SyncRulesBuilder rules: () -> SyncRules = { .none }
  ) {
    let (rules, clock) = (rules(), Clock())
    (self.rules, self.clock, self.smallestTail) = (rules, clock, smallestTail)
    self.unreadLimit = unreadLimit
    if servers > 1 { lateLog = LateLog(ArchivedLog(log: log, archive: archive, full: full)) }
    for _ in 0..<servers { self.servers.append(makeServer()) }
    for index in 0..<count {
      authors += 1
      if inFiles { files.append(SimulatedFiles()) }
      replicas.append(
        inFiles
          ? try! opened(index, files[index])
          : Replica(sharing: sharedBoards(), author: authors) { clock.time(of: index) })
      connections.append(nil)
      connect(index)
    }
  }

  private func opened(_ index: Int, _ files: SimulatedFiles) throws -> Replica {
    try Replica(
      at: "/cache", sharing: sharedBoards(), interval: .seconds(3600), author: authors,
      smallestTail: 2_000, files: files
    ) { [clock] in clock.time(of: index) }
  }

  /// Moves the clock of a replica against the server's.
  func moveClock(of index: Int, by offset: Int) { clock.offsets[index] = offset }

  /// Opens a replica again, from what its files have after a crash.
  func reopen(_ index: Int, from files: SimulatedFiles) throws {
    connections[index]?.close()
    connections[index] = nil
    self.files[index] = files
    authors += 1
    replicas[index] = try opened(index, files)
    replicas[index].join("board=1")
  }

  /// Joins the board 1 in all replicas, adds it to the first one, and delivers all messages.
  ///
  /// - Returns: The board in the first replica.
  @discardableResult
  nonisolated(nonsending) func start(_ title: String = "") async throws -> Board {
    for replica in replicas { replica.join("board=1") }
    let board = makeBoard(1, title)
    try replicas[0].store.add(board)
    await settle()
    return board
  }

  private func makeServer() -> SyncServer {
    let log: any ChangeLog = lateLog ?? ArchivedLog(log: log, archive: archive, full: full)
    let server = SyncServer(
      log: log, sharing: sharedBoards(), smallestTail: smallestTail, now: { [clock] in clock.time }
    ) { [rules] in rules }
    // With a short log, facts are also appended in small groups.
    if smallestTail < 1 << 20 { server.groupSize = 40 }
    server.unreadLimit = unreadLimit
    // The test says when.
    server.retryInterval = nil
    return server
  }

  func connect(
    _ index: Int, to place: Int = 0, isHeld: Bool = false, fullBacklog: Int = 1 << 18
  ) {
    let connection = servers[place].connection(for: "user\(index)")
    (connection.isHeld, connection.fullBacklog) = (isHeld, fullBacklog)
    connections[index] = connection
    replicas[index].connect(connection)
  }

  /// Lets the server run as a task.
  func run(isolation: isolated (any Actor)? = #isolation) {
    running = Future { [server] in
      // A closure that doesn't capture the actor runs elsewhere.
      _ = isolation
      await server.run()
    }.sink { _ in }
  }

  func stop() { running = nil }

  var onlineCount: Int { replicas.count(where: \.isOnline) }

  /// Starts a server again; the connections end.
  func restart(_ place: Int = 0) {
    connections.forEach { $0?.close() }
    servers[place] = makeServer()
  }

  /// Notifies the servers of each other's facts.
  func notify() { lateLog?.notify() }

  /// Lets the servers try again what the log couldn't reach.
  func retry() {
    for server in servers {
      for partition in server.partitions.values where partition.suspension != nil {
        server.answered.insert(partition.name)
      }
    }
  }

  /// Removes the facts of the board 1 from the log, of which the state remains.
  nonisolated(nonsending) func shortenLog() async {
    guard let partition = server.partitions["board=1"] else { return }
    for _ in 0..<2 { await server.replaceSnapshot(of: partition) }
  }

  /// Delivers all messages.
  nonisolated(nonsending) func settle() async {
    for _ in 0..<4 * servers.count {
      for connection in connections { connection?.deliver(toServer: .max, toReplica: .max) }
      for server in servers {
        notify()
        await server.handleMessages()
      }
      for connection in connections { connection?.deliver(toServer: .max, toReplica: .max) }
    }
  }
}

extension SyncServer {
  /// The numbers of connections, and of the bytes that the slowest of them has to take and that the
  /// busiest of them has sent.
  var load: (connections: Int, outgoing: Int, incoming: Int) {
    let connections = sessions.values.map(\.connection)
    return (
      connections.count, connections.map(\.toReplica.backlog).max() ?? 0,
      connections.map(\.toServer.backlog).max() ?? 0
    )
  }
}

private final class Clock {
  var time: UInt64 = 1_000
  var offsets: [Int: Int] = [:]

  func time(of index: Int) -> UInt64 { UInt64(max(0, Int(time) + (offsets[index] ?? 0))) }
}
