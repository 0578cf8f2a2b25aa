// A partition is in one database. Where, its row in database 0 says, unless it is there itself: `moved_to` is the
// number of another one.
//
// Order of events: a call is made at the database in which the partition was last, at first database 0. If the
// partition is in another one, that database says so, and the call is made there. The first append to a partition
// that database 0 doesn't know says there where it is, by a hash of its name.
//
// Invariant: at most one database has a partition's row with `moved_to` null, and a row that has had it is never
// deleted.

public import SignalsSync

/// A log in PostgreSQL databases, which several processes can share.
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
///   `ChangeLogError.unavailable(log:reason:)`, later ones at once. Only such an append may be in the log or not.
/// - Each connection prepares statements, so a connection pool must keep it for its session.
///
/// ## Several databases
///
/// ```swift
/// let log = PostgreSQLLog(["postgres://db1.example.com/chat", "postgres://db2.example.com/chat"])
/// try await log.move("conversation=7", to: 1)
/// ```
///
/// - Each partition is in one of them. A new one is where the hash of its name says, and others stay where they
///   are until they are moved, which readers and authors don't notice.
/// - All processes have the same list. It grows at its end, in one process after the other. A log in one database
///   is the first of several without further steps.
/// - An append to partitions in several databases takes effect in all or none, by prepared transactions, for which
///   each database needs a `max_prepared_transactions` above 0. Should the process end before the last commit,
///   another one, or the next one, ends the transaction, and appends to its partitions wait some seconds for that.
/// - Database 0 has a small row for each partition. It is asked once by each process that uses the partition.
public final class PostgreSQLLog: SharedLog {
  /// The state of the connection to a database.
  public enum Status: Hashable, Sendable {
    /// The first connection is being made.
    case connecting
    /// The database can be used.
    case connected
    /// The server can't be reached, or has ended the connection. It is being made again.
    case disconnected(reason: String)
    /// The log is closed.
    case closed
  }

  let databases: [Database]
  let places: Places
  let patience: Duration
  let identifier: LogIdentifier
  private let calls = Calls()
  private let ending: [Task<Void, Never>]

  /// Opens a log in a database, which connects in the background.
  ///
  /// - Parameters:
  ///   - target: The server and the database, as a URI or as keywords and values of libpq.
  ///   - schema: The schema of the tables, which is made if it is missing.
  ///   - patience: The time after which calls fail that have no reply.
  ///   - onStatus: Called when the status changes, on any thread.
  public convenience init(
    _ target: String, schema: String = "signals", patience: Duration = .seconds(20),
    onStatus: @escaping @Sendable (Status) -> Void = { _ in }
  ) {
    self.init([target], schema: schema, patience: patience) { _, status in onStatus(status) }
  }

  /// Opens a log in several databases, which connects in the background.
  ///
  /// - Parameters:
  ///   - targets: The servers and databases, at least one, in an order that is the same in all processes.
  ///   - schema: The schema of the tables, which is made if it is missing.
  ///   - patience: The time after which calls fail that have no reply.
  ///   - onStatus: Called with the number of a database, counted from 0, when its status changes, on any thread.
  public init(
    _ targets: [String], schema: String = "signals", patience: Duration = .seconds(20),
    onStatus: @escaping @Sendable (Int, Status) -> Void = { _, _ in }
  ) {
    precondition(!targets.isEmpty, "A log needs a database.")
    let identifier = LogIdentifier()
    let databases = targets.enumerated().map { number, target in
      Database(
        target, schema: schema, patience: patience,
        place: DatabasePlace(number: number, count: targets.count, log: identifier)
      ) { onStatus(number, $0) }
    }
    (self.databases, self.patience, self.identifier) = (databases, patience, identifier)
    places = Places(databases.map(\.followers))
    ending = databases.filter { _ in databases.count > 1 }.map {
      Self.endForgotten(in: $0, of: databases, identifier)
    }
  }

  deinit { for task in ending { task.cancel() } }

  /// The state of the connections, by the numbers of the databases: connected if all to a database are.
  public var statuses: [Status] {
    databases.map { database in
      let statuses = [database.writing.status, database.reading.status]
      return statuses.first { $0 != .connected } ?? .connected
    }
  }

  /// Closes the log when all calls that have begun are answered.
  public func close() async throws(ChangeLogError) {
    await calls.end()
    for task in ending { task.cancel() }
    for database in databases { await database.close() }
  }

  // MARK: - Places

  /// Makes a call at the database that has a partition.
  func at<Value>(
    _ partition: Partition,
    _ call: nonisolated(nonsending) (Database) async throws(DatabaseError) -> Value
  ) async throws(ChangeLogError) -> Value {
    try partition.checkLimits()
    return try await following { () throws(DatabaseError) in
      try await call(databases[places[partition]])
    }
  }

  /// Makes a call, and again when it finds that a partition is in another database.
  func following<Value>(
    _ call: nonisolated(nonsending) () async throws(DatabaseError) -> Value
  ) async throws(ChangeLogError) -> Value {
    if !calls.begin() { throw .closed }
    defer { calls.didEnd() }
    let end = ContinuousClock.now + patience
    // Where each partition was looked for last.
    var last: [Partition: Int] = [:]
    while true {
      do throws(DatabaseError) { return try await call() } catch {
        switch error {
        case .failed(let error), .declined(let error): throw error
        case .moved(let partition, let number, _):
          if !databases.indices.contains(number) {
            // It may be moved to one of these later.
            places.set(partition, to: 0)
            throw .unavailable(
              log: "\(partition)",
              reason: "it is in database \(number), and the log has \(databases.count)")
          }
          // The first answer may have taken long, because there was no connection.
          if .now > end, last[partition] != nil {
            throw .unavailable(
              log: "\(partition)", reason: "it is being moved to another database")
          }
          let place = places[partition]
          places.set(partition, to: number)
          // Two databases name each other while a partition moves from one to the other.
          if last[partition] == number {
            try await waitForMove(of: partition, between: place, and: number)
          }
          last[partition] = place
        }
      }
    }
  }

  // MARK: - Reading

  /// Returns the head of a partition's log.
  ///
  /// - Parameter partition: The partition.
  /// - Returns: The position after the last entry, with the hash of all entries.
  /// - Throws: `ChangeLogError.unavailable(log:reason:)`.
  public func head(of partition: Partition) async throws(ChangeLogError) -> LogHead {
    try await at(partition) { (database) throws(DatabaseError) in
      try await database.head(of: partition)
    }
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
    try await at(partition) { (database) throws(DatabaseError) in
      try await database.entries(of: partition, from: position, limit: limit)
    }
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
  ) -> LogFollowing { places.follow(partition, onAppend) }

  // MARK: - Snapshots

  /// Returns the snapshot of a partition.
  ///
  /// - Parameter partition: The partition.
  /// - Returns: The snapshot, or `nil` if none is stored.
  /// - Throws: `ChangeLogError.unavailable(log:reason:)`.
  public func snapshot(of partition: Partition) async throws(ChangeLogError) -> LogSnapshot? {
    try await at(partition) { (database) throws(DatabaseError) in
      try await database.snapshot(of: partition)
    }
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
    // As an append at the start does, it may begin the partition.
    let isFirst = snapshot.head == .start
    try await following { () throws(DatabaseError) in
      if isFirst { try await claim(partition) }
      try await databases[places[partition]].storeSnapshot(snapshot, of: partition)
    }
  }

  /// Removes the entries before a position, which a snapshot must replace.
  ///
  /// - Parameters:
  ///   - partition: The partition.
  ///   - position: The position of the first entry to keep.
  /// - Throws: An error as `ChangeLog` lists them.
  public func truncate(
    _ partition: Partition, before position: LogPosition
  ) async throws(ChangeLogError) {
    try await at(partition) { (database) throws(DatabaseError) in
      try await database.truncate(partition, before: position)
    }
  }
}
