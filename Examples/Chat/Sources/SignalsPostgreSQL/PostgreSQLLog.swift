// Two connections: one appends, in groups, and the other reads, so that no read waits for a commit.
//
// Order of events of an append: its hashes are computed, it joins the group that waits while another is being
// committed, and the group is sent as one transaction, in which the heads are locked in the order of their
// names. An append whose reply was lost with the connection is sent again; the chain after its last entry shows
// whether the log has it.
//
// Invariant: `entries` has the positions from `base` to `head` of each partition, without gaps.

public import SignalsSync
import Synchronization

/// A log in a PostgreSQL database, which several processes can share.
///
/// ```swift
/// let log = PostgreSQLLog("postgres://chat@db.example.com/chat?sslmode=verify-full")
/// let server = SyncServer(log: log, sharing: classes)
/// ```
///
/// - The log makes its tables when it connects, in a schema of the database, and brings those of an
///   earlier version up to date.
/// - The server and the user are a connection string of libpq. A password is read from the file
///   `~/.pgpass`, the variable `PGPASSWORD` or the string; TLS is as `sslmode` and the certificates
///   say.
/// - Entries are as durable as commits of the database are, which is given by its setting
///   `synchronous_commit`.
/// - Appends that arrive during a commit share the next one.
/// - A connection that ends is made again. Calls wait for it meanwhile, and fail after a time with
///   `ChangeLogError.unavailable(log:reason:)`. Only such an append may be in the log or not.
/// - Each connection prepares statements, so a connection pool must keep it for its session.
public final class PostgreSQLLog: SharedLog {
  /// The state of the log's connections.
  public enum Status: Hashable, Sendable {
    /// The first connection is being made.
    case connecting
    /// The log can be used.
    case connected
    /// The server can't be reached, or has ended the connection. It is being made again.
    case disconnected(reason: String)
    /// The log is closed.
    case closed
  }

  let (writing, reading): (Session, Session)
  private let appender: Appender
  private let followers: Followers

  /// Opens a log, which connects in the background.
  ///
  /// - Parameters:
  ///   - target: The server and the database, as a URI or as keywords and values of libpq.
  ///   - schema: The schema of the tables, which is made if it is missing.
  ///   - patience: The time after which calls fail that have no reply.
  ///   - onStatus: Called when the status changes, on any thread.
  public init(
    _ target: String, schema: String = "signals", patience: Duration = .seconds(20),
    onStatus: @escaping @Sendable (Status) -> Void = { _ in }
  ) {
    let name = Self.name(of: target)
    let followers = Followers()
    writing = Session(
      SessionSettings(
        target: target, name: name, schema: schema, patience: patience, onStatus: onStatus,
        onNotify: nil))
    reading = Session(
      SessionSettings(
        target: target, name: name, schema: schema, patience: patience,
        onStatus: { if $0 == .connected { followers.lookAtAll() } },
        onNotify: { followers.look(at: $0) }))
    appender = Appender(writing)
    self.followers = followers
    followers.start(on: reading)
  }

  deinit {
    followers.end()
    writing.close()
    reading.close()
  }

  /// The state of the connection that appends.
  public var status: Status { writing.state.withLock { $0.status } }

  /// Returns a target without its password.
  private static func name(of target: String) -> String {
    if target.contains("://") {
      return target.replacing(/:\/\/([^:@\/?]*):[^@\/]*@/) { "://\($0.1)@" }
        .replacing(/password=[^&]*/, with: "password=…")
    }
    return target.replacing(/password\s*=\s*('(\\.|[^'])*'|(\\.|\S)+)/, with: "password=…")
  }

  /// Closes the log when all calls that have begun are answered.
  public func close() async throws(ChangeLogError) {
    followers.end()
    await writing.end()
    await reading.end()
  }

  // MARK: - Appending

  /// Appends entries to the logs of several partitions, to all or none, in a commit with other calls that wait.
  ///
  /// - Parameter all: The entries, for each partition at most once.
  /// - Returns: The heads after the entries.
  /// - Throws: An error as `ChangeLog` lists them.
  public func append(_ all: [LogAppend]) async throws(ChangeLogError) -> [LogHead] {
    for next in all { try next.checkLimits() }
    return try await appender.append(all)
  }

  // MARK: - Reading

  /// Returns the head of a partition's log.
  ///
  /// - Parameter partition: The partition.
  /// - Returns: The position after the last entry, with the hash of all entries.
  /// - Throws: `ChangeLogError.unavailable(log:reason:)`.
  public func head(of partition: Partition) async throws(ChangeLogError) -> LogHead {
    try partition.checkLimits()
    let rows = try await read(.head) { $0.add(partition.bytes) }
    return rows.count == 0 ? .start : LogHead(rows, 0, 0)
  }

  /// Returns entries from a position on, in order.
  ///
  /// - Parameters:
  ///   - partition: The partition.
  ///   - position: The position of the first entry.
  ///   - limit: The largest number of entries. Fewer are returned if they have more than 32 MB.
  /// - Returns: The entries, or none at the end of the log.
  /// - Throws: An error as `ChangeLog` lists them.
  public func entries(
    of partition: Partition, from position: LogPosition, limit: Int
  ) async throws(ChangeLogError) -> [LogEntry] {
    try partition.checkLimits()
    let rows = try await read(.entries) {
      $0.add(partition.bytes)
      $0.add(Int64(clamping: position.rawValue))
      $0.add(Int64(max(limit, 0)))
      $0.add(Self.pageSize)
    }
    let head = rows.count == 0 ? .start : LogHead(rows, 0, 2)
    let base = rows.count == 0 ? .start : LogPosition(rows.integer(0, 1))
    if position < base { throw .truncated(partition, oldest: base) }
    if position > head.position {
      throw .beyondHead(partition, position: position, head: head)
    }
    return (1..<max(1, rows.count)).map {
      LogEntry(position: LogPosition(rows.integer($0, 1)), bytes: rows.bytes($0, 4) ?? [])
    }
  }

  /// The size after which a read returns no further entry, in bytes.
  private static let pageSize: Int64 = 1 << 25

  private func read(
    _ statement: Statement, _ add: (inout Parameters) -> Void
  ) async throws(ChangeLogError) -> Reply {
    try await reading.run([Query(statement, add)]).replies[0]
  }

  /// Follows the log of a partition.
  ///
  /// The server is asked for the head every few milliseconds while entries are appended. It notifies of the
  /// first one after an idle time; should that fail, the entry is found after five seconds at the latest.
  ///
  /// - Parameters:
  ///   - partition: The partition.
  ///   - onAppend: Called, on any thread, when the log may have entries that weren't there before.
  /// - Returns: A token that ends the calls when it is released.
  public func follow(
    _ partition: Partition, onAppend: @escaping @Sendable () -> Void
  ) -> LogFollowing { followers.add(partition, onAppend) }

  // MARK: - Snapshots

  /// Returns the snapshot of a partition.
  ///
  /// - Parameter partition: The partition.
  /// - Returns: The snapshot, or `nil` if none is stored.
  /// - Throws: `ChangeLogError.unavailable(log:reason:)`.
  public func snapshot(of partition: Partition) async throws(ChangeLogError) -> LogSnapshot? {
    try partition.checkLimits()
    let rows = try await read(.snapshot) { $0.add(partition.bytes) }
    if rows.count == 0 { return nil }
    var bytes: [UInt8] = []
    for row in 0..<rows.count { bytes += rows.bytes(row, 2) ?? [] }
    return LogSnapshot(head: LogHead(rows, 0, 0), bytes: bytes)
  }

  /// Stores a snapshot of a partition, and replaces the previous one.
  ///
  /// - Parameters:
  ///   - snapshot: The snapshot.
  ///   - partition: The partition.
  /// - Throws: An error as `ChangeLog` lists them.
  public func storeSnapshot(
    _ snapshot: LogSnapshot, of partition: Partition
  ) async throws(ChangeLogError) {
    try partition.checkLimits()
    try snapshot.checkLimits(of: partition)
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
    for (part, start) in stride(from: 0, to: snapshot.bytes.count, by: Self.partSize).enumerated() {
      let end = min(start + Self.partSize, snapshot.bytes.count)
      queries.append(
        query(.addSnapshotPart) {
          $0.add(Int64(part))
          $0.add(snapshot.bytes[start..<end])
        })
    }
    let rows = try await writing.run(queries).replies[place]
    let head = rows.count == 0 ? .start : LogHead(rows, 0, 1)
    let base = rows.count == 0 ? .start : LogPosition(rows.integer(0, 0))
    if position < base { throw .truncated(partition, oldest: base) }
    if position > head.position {
      throw .beyondHead(partition, position: position, head: head)
    }
    if rows.integer(0, 4) != Int64(bitPattern: snapshot.head.chain) {
      throw .otherHistory(partition, position: position)
    }
  }

  /// The size of a part of a snapshot, in bytes.
  private static let partSize = 1 << 22

  /// Removes the entries before a position, which a snapshot must replace.
  ///
  /// - Parameters:
  ///   - partition: The partition.
  ///   - position: The position of the first entry to keep.
  /// - Throws: An error as `ChangeLog` lists them.
  public func truncate(
    _ partition: Partition, before position: LogPosition
  ) async throws(ChangeLogError) {
    try partition.checkLimits()
    let queries = [Statement.lockSnapshot, .truncate].map { statement in
      Query(statement) {
        $0.add(partition.bytes)
        $0.add(Int64(clamping: position.rawValue))
      }
    }
    let rows = try await writing.run(queries).replies[0]
    let known = rows.count == 0 ? nil : rows.integer(0, 3)
    let snapshot = known.flatMap { $0 < 0 ? nil : LogPosition($0) }
    if position > snapshot ?? .start {
      throw .notCovered(partition, position: position, snapshot: snapshot)
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
