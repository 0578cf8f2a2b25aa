// Two connections: one appends, in groups, and the other reads, so that no read waits for a commit.
//
// Order of events of an append: its hashes are computed, it joins the group that waits while another is being
// committed, and the group is sent as one transaction, in which the heads are locked in the order of their
// names. An append whose reply was lost with the connection is sent again; the chain after its last entry shows
// whether the log has it.
//
// Invariant: `entries` has the positions from `base` to `head` of each partition that is here, without gaps.

import SignalsSync

/// A database with the logs of partitions.
final class Database: Sendable {
  let (writing, reading): (Session, Session)
  private let appender: Appender
  let followers: Followers
  let number: Int

  init(
    _ target: String, schema: String, patience: Duration, place: DatabasePlace,
    onStatus: @escaping @Sendable (PostgreSQLLog.Status) -> Void
  ) {
    let name = Self.name(of: target)
    let followers = Followers()
    writing = Session(
      SessionSettings(
        target: target, name: name, schema: schema, patience: patience, place: place,
        onStatus: onStatus, onNotify: nil))
    reading = Session(
      SessionSettings(
        target: target, name: name, schema: schema, patience: patience, place: place,
        onStatus: { if $0 == .connected { followers.lookAtAll() } },
        onNotify: { followers.look(at: $0) }))
    appender = Appender(writing)
    number = place.number
    self.followers = followers
    followers.start(on: reading)
  }

  deinit {
    followers.end()
    writing.close()
    reading.close()
  }

  /// Returns a target without its password.
  private static func name(of target: String) -> String {
    if target.contains("://") {
      return target.replacing(/:\/\/([^:@\/?]*):[^@\/]*@/) { "://\($0.1)@" }
        .replacing(/password=[^&]*/, with: "password=…")
    }
    return target.replacing(/password\s*=\s*('(\\.|[^'])*'|(\\.|\S)+)/, with: "password=…")
  }

  func close() async {
    followers.end()
    await writing.end()
    await reading.end()
  }

  func waitForConnections(until end: ContinuousClock.Instant) async throws(DatabaseError) {
    for session in [writing, reading] { try await session.waitForConnection(until: end) }
  }

  func append(
    _ all: [LogAppend], tried: [LogHead]? = nil
  ) async throws(DatabaseError) -> [LogHead] { try await appender.append(all, tried: tried) }

  // MARK: - Reading

  func head(of partition: Partition) async throws(DatabaseError) -> LogHead {
    let rows = try await read(.head) { $0.add(partition.bytes) }
    try check(partition, rows, 0)
    return rows.count == 0 ? .start : LogHead(rows, 0, 1)
  }

  func entries(
    of partition: Partition, from position: LogPosition, limit: Int
  ) async throws(DatabaseError) -> [LogEntry] {
    let rows = try await readEntries(of: partition, from: position, limit: limit)
    try check(partition, rows, 1)
    try check(position, of: partition, rows, 2)
    return (1..<max(1, rows.count)).map {
      LogEntry(position: LogPosition(rows.integer($0, 2)), bytes: rows.bytes($0, 5) ?? [])
    }
  }

  /// Reads the row of a partition, and its entries from a position on, also if they are elsewhere by now.
  func readEntries(
    of partition: Partition, from position: LogPosition, limit: Int
  ) async throws(DatabaseError) -> Reply {
    try await read(.entries) {
      $0.add(partition.bytes)
      $0.add(Int64(clamping: position.rawValue))
      $0.add(Int64(max(limit, 0)))
      $0.add(Self.pageSize)
    }
  }

  /// The size after which a read returns no further entry, in bytes.
  private static let pageSize: Int64 = 1 << 25

  func read(
    _ statement: Statement, _ add: (inout Parameters) -> Void
  ) async throws(DatabaseError) -> Reply {
    try await reading.run([Query(statement, add)]).replies[0]
  }

  /// Throws if the first row, whose column has the number of another database, says that the partition is there.
  private func check(_ partition: Partition, _ rows: Reply, _ column: Int) throws(DatabaseError) {
    if rows.count > 0, let number = rows.integer(0, column) {
      throw .moved(partition, to: Int(number))
    }
  }

  /// Throws if the first row, which has the base and the head from a column on, says that the log doesn't have a
  /// position.
  private func check(
    _ position: LogPosition, of partition: Partition, _ rows: Reply, _ column: Int
  ) throws(DatabaseError) {
    let head = rows.count == 0 ? .start : LogHead(rows, 0, column + 1)
    let base = rows.count == 0 ? .start : LogPosition(rows.integer(0, column))
    if position < base { throw .failed(.truncated(partition, oldest: base)) }
    if position > head.position {
      throw .failed(.beyondHead(partition, position: position, head: head))
    }
  }

  // MARK: - Snapshots

  func snapshot(of partition: Partition) async throws(DatabaseError) -> LogSnapshot? {
    let rows = try await read(.snapshot) { $0.add(partition.bytes) }
    try check(partition, rows, 0)
    if rows.count == 0 || rows.integer(0, 1) == nil { return nil }
    return LogSnapshot(head: LogHead(rows, 0, 1), bytes: rows.joined(3))
  }

  func storeSnapshot(
    _ snapshot: LogSnapshot, of partition: Partition
  ) async throws(DatabaseError) {
    let (name, position) = (partition.bytes, snapshot.head.position)
    func query(
      _ statement: Statement, _ add: (inout Parameters) -> Void = { _ in }
    ) -> Query {
      Query(statement) {
        $0.add(name)
        $0.add(Int64(clamping: position.rawValue))
        $0.add(Int64(bitPattern: snapshot.head.chain))
        add(&$0)
      }
    }
    var queries: [Query] = []
    if position == .start { queries.append(Query(.create) { $0.add([name]) }) }
    let place = queries.count
    queries.append(
      Query(.lockSnapshot) {
        $0.add(name)
        $0.add(Int64(clamping: position.rawValue))
      })
    queries += [query(.setSnapshot), query(.clearSnapshot)]
    queries += Self.parts(of: snapshot.bytes).enumerated().map { number, part in
      query(.addSnapshotPart) {
        $0.add(Int64(number))
        $0.add(part)
      }
    }
    let rows = try await writing.run(queries).replies[place]
    try check(partition, rows, 0)
    try check(position, of: partition, rows, 1)
    if rows.integer(0, 5) != Int64(bitPattern: snapshot.head.chain) {
      throw .failed(.otherHistory(partition, position: position))
    }
  }

  /// Returns the parts in which the bytes of a snapshot are stored.
  static func parts(of bytes: [UInt8]) -> [ArraySlice<UInt8>] {
    let size = 1 << 22
    return stride(from: 0, to: bytes.count, by: size).map {
      bytes[$0..<min($0 + size, bytes.count)]
    }
  }

  func truncate(
    _ partition: Partition, before position: LogPosition
  ) async throws(DatabaseError) {
    let queries = [Statement.lockSnapshot, .truncate].map { statement in
      Query(statement) {
        $0.add(partition.bytes)
        $0.add(Int64(clamping: position.rawValue))
      }
    }
    let rows = try await writing.run(queries).replies[0]
    try check(partition, rows, 0)
    let known = rows.count == 0 ? nil : rows.integer(0, 4)
    let snapshot = known.flatMap { $0 < 0 ? nil : LogPosition($0) }
    if position > snapshot ?? .start {
      throw .failed(.notCovered(partition, position: position, snapshot: snapshot))
    }
  }
}

extension Partition {
  /// The UTF-8 of the name.
  var bytes: [UInt8] { Array(name.utf8) }
}

extension LogPosition {
  /// Creates the position in a column.
  init(_ value: Int64?) { self.init(rawValue: UInt64(bitPattern: value ?? 0)) }
}

extension LogHead {
  /// Reads the position in a column of a row, and the chain in the next one.
  init(_ rows: Reply, _ row: Int, _ column: Int) {
    self.init(
      position: LogPosition(rows.integer(row, column)),
      chain: UInt64(bitPattern: rows.integer(row, column + 1) ?? 0))
  }
}
