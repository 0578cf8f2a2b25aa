// The thread of a connection.
//
// Order of events: without a connection it makes one, and waits between attempts, from 50 milliseconds up to
// 5 seconds. It sends all waiting jobs, each with an end of its transaction, and reads replies meanwhile, so
// that neither side waits for the other. A job that has no reply when the connection ends is sent again.

import CPostgreSQL
import Foundation
import SignalsSync
import Synchronization

/// Why a connection has ended.
struct LostConnection: Error {
  let reason: String
}

/// What the thread of a connection does.
@safe
struct SessionThread: ~Copyable {
  private let session: Session
  private var connection: OpaquePointer?
  private var failures = 0
  init(_ session: Session) { self.session = session }

  private var isConnected: Bool { unsafe connection != nil }

  private var settings: SessionSettings { session.settings }

  mutating func run() {
    while true {
      let (jobs, isClosed) = session.state.withLock { ($0.jobs, $0.isClosed) }
      if isClosed, jobs.isEmpty || !isConnected { break }
      if settings.place.number > 0, settings.place.log.value == nil {
        // Which log the database must be of, database 0 says.
        lose("database 0 of the log has not been reached yet")
        wait(milliseconds: 20)
        continue
      }
      do throws(LostConnection) {
        if !isConnected { try connect() }
        try exchangeAll()
      } catch {
        disconnect(error.reason)
        failWaiting()
        wait(milliseconds: min(5_000, 50 << min(failures, 7)))
        failures += 1
      }
    }
    disconnect(nil)
    let (jobs, actions) = session.state.withLock { state in
      state.hasEnded = true
      defer { (state.jobs, state.onEnd) = ([], []) }
      return (state.jobs, state.onEnd)
    }
    for job in jobs { job.complete(.failure(.failed(.closed))) }
    for action in actions { action() }
  }

  /// Sends the jobs that wait, or waits for some.
  private mutating func exchangeAll() throws(LostConnection) {
    var jobs = session.state.withLock { state in
      defer { state.jobs = [] }
      return state.jobs
    }
    if jobs.isEmpty { return try waitForJobs() }
    do throws(LostConnection) { try exchange(&jobs) } catch {
      for index in jobs.indices { jobs[index].isRepeated = true }
      for job in jobs where job.kind == .preparing {
        job.complete(.failure(.failed(unavailable(error.reason))))
      }
      jobs.removeAll { $0.kind == .preparing }
      session.state.withLock { [jobs] in $0.jobs.insert(contentsOf: jobs, at: 0) }
      throw error
    }
    session.state.withLock { [jobs] in $0.jobs.insert(contentsOf: jobs, at: 0) }
  }

  private mutating func waitForJobs() throws(LostConnection) {
    let ready = unsafe signals_pq_wait(connection, 0, session.readEnd, 10_000)
    if ready & 2 != 0 { emptyPipe() }
    if ready & 1 != 0 {
      // Nothing was asked: a notice, or the end of the connection.
      if unsafe PQconsumeInput(connection) == 0 { throw lost() }
      passNotifications()
      if unsafe PQstatus(connection) != CONNECTION_OK { throw lost() }
    }
  }

  /// Passes the notifications on that have arrived.
  private func passNotifications() {
    while let notification = unsafe PQnotifies(connection) {
      defer { unsafe PQfreemem(notification) }
      var (bytes, digits) = ([UInt8](), unsafe String(cString: notification.pointee.extra)[...])
      while let byte = UInt8(digits.prefix(2), radix: 16) {
        bytes.append(byte)
        digits = digits.dropFirst(2)
      }
      settings.onNotify?(Partition(String(decoding: bytes, as: UTF8.self)))
    }
  }

  private func emptyPipe() {
    var bytes = [UInt8](repeating: 0, count: 64)
    while unsafe read(session.readEnd, &bytes, 64) == 64 {}
  }

  /// Waits for a time, or until the log is closed.
  private func wait(milliseconds: Int) {
    let end = ContinuousClock.now + .milliseconds(milliseconds)
    while !session.state.withLock({ $0.isClosed }), .now < end {
      let rest = (end - .now) / .milliseconds(1)
      _ = signals_pq_wait(nil, 0, session.readEnd, Int32(max(1, min(200, rest))))
      emptyPipe()
      failWaiting()
    }
  }

  /// Fails the jobs that have waited for a connection for too long.
  private func failWaiting() {
    let failed = session.state.withLock { state in
      let now = ContinuousClock.now
      defer { state.jobs.removeAll { $0.deadline <= now } }
      return state.jobs.filter { $0.deadline <= now }
    }
    if failed.isEmpty { return }
    let reason = session.state.withLock { $0.lost?.reason } ?? "the connection has ended"
    for job in failed {
      let error = unavailable(reason)
      job.complete(.failure(job.isRepeated ? .failed(error) : .declined(error)))
    }
  }

  private func unavailable(_ reason: String) -> ChangeLogError {
    .unavailable(log: settings.name, reason: reason)
  }

  private func set(_ status: PostgreSQLLog.Status) {
    let isNew = session.state.withLock { state in
      if state.status == status { return false }
      state.status = status
      return true
    }
    if isNew { settings.onStatus(status) }
  }

  // MARK: - The connection

  private mutating func connect() throws(LostConnection) {
    unsafe connection = unsafe signals_pq_connect(settings.target)
    if unsafe PQstatus(connection) != CONNECTION_OK { throw lost() }
    unsafe signals_pq_quiet(connection)
    try prepareTables()
    for statement in Statement.allCases {
      let result = unsafe PQprepare(connection, statement.rawValue, statement.text, 0, nil)
      defer { unsafe PQclear(result) }
      if unsafe PQresultStatus(result) != PGRES_COMMAND_OK {
        throw LostConnection(reason: ServerError(result).message)
      }
    }
    if settings.onNotify != nil { try execute("LISTEN \(Statement.channel)") }
    guard unsafe PQsetnonblocking(connection, 1) == 0, unsafe PQenterPipelineMode(connection) == 1
    else { throw lost() }
    failures = 0
    session.state.withLock { $0.lost = nil }
    set(.connected)
  }

  /// Makes the tables that the schema lacks.
  private func prepareTables() throws(LostConnection) {
    let schema =
      "\""
      + settings.schema.split(separator: "\"", omittingEmptySubsequences: false)
      .joined(separator: "\"\"") + "\""
    try execute("SET search_path TO \(schema)")
    try execute("SET default_transaction_isolation TO 'read committed'")
    // A plan that was made for few partitions would read all rows of many.
    try execute("SET plan_cache_mode TO force_custom_plan; SET jit TO off")
    // A backend that waits for a lock ends when its client is gone. Servers before version 14 have no such setting.
    try execute(
      """
      SELECT set_config(name, '1000', false) FROM pg_settings
      WHERE name = 'client_connection_check_interval'
      """)
    let read = "SELECT to_regclass('\(Self.versionTable)') IS NOT NULL"
    var version = 0
    if try text(read) == "t" {
      version = Int(try text("SELECT version FROM \(Self.versionTable)") ?? "") ?? 0
    }
    if version > Tables.steps.count {
      throw LostConnection(
        reason: "its tables have version \(version), which this library doesn't know")
    }
    if version < Tables.steps.count { try makeTables(in: schema) }
    try checkPlace()
  }

  private func makeTables(in schema: String) throws(LostConnection) {
    // One of several processes that begin at the same time makes them.
    try execute(
      """
      BEGIN; SELECT pg_advisory_xact_lock(hashtext('signals'), hashtext('\(Self.versionTable)'));
      CREATE SCHEMA IF NOT EXISTS \(schema);
      CREATE TABLE IF NOT EXISTS \(Self.versionTable) (version int NOT NULL);
      """)
    let version = Int(try text("SELECT version FROM \(Self.versionTable)") ?? "") ?? 0
    for step in Tables.steps.dropFirst(version) { try execute(step) }
    try execute(
      """
      DELETE FROM \(Self.versionTable); INSERT INTO \(Self.versionTable) VALUES (\(Tables.steps.count));
      COMMIT
      """)
  }

  private static let versionTable = "log_version"

  /// Checks that the database is the one of the log that its place in the list says.
  private func checkPlace() throws(LostConnection) {
    let place = settings.place
    if place.count > 1, try text("SHOW max_prepared_transactions") == "0" {
      throw LostConnection(
        reason: "max_prepared_transactions is 0; a log in several databases needs some")
    }
    let known = place.log.value
    try execute(
      """
      INSERT INTO database (number, log)
      VALUES (\(place.number), \(known.map { "'\($0)'" } ?? "gen_random_uuid()"))
      ON CONFLICT DO NOTHING
      """)
    let number = try text("SELECT number FROM database")
    let log = try text("SELECT log FROM database")
    if number != "\(place.number)" {
      throw LostConnection(
        reason: "it is database \(number ?? "") of a log, and not database \(place.number)")
    }
    if let known, log != known { throw LostConnection(reason: "it is a database of another log") }
    place.log.value = log
  }

  private func execute(_ statements: String) throws(LostConnection) { _ = try text(statements) }

  /// Runs statements, and returns the first column of the first row.
  private func text(_ statements: String) throws(LostConnection) -> String? {
    let result = unsafe PQexec(connection, statements)
    defer { unsafe PQclear(result) }
    switch unsafe PQresultStatus(result) {
    case PGRES_COMMAND_OK: return nil
    case PGRES_TUPLES_OK:
      return unsafe PQntuples(result) == 0 ? nil : unsafe String(cString: PQgetvalue(result, 0, 0))
    default: throw LostConnection(reason: ServerError(result).message)
    }
  }

  private func lost() -> LostConnection {
    let message = unsafe String(cString: PQerrorMessage(connection))
    let text = message.split(separator: "\n").joined(separator: " ")
    return LostConnection(reason: text.isEmpty ? "the connection has ended" : text)
  }

  private mutating func disconnect(_ reason: String?) {
    unsafe PQfinish(connection)
    unsafe connection = nil
    guard let reason else { return set(.closed) }
    lose(reason)
    set(.disconnected(reason: reason))
  }

  private func lose(_ reason: String) {
    session.state.withLock { $0.lost = ($0.lost?.since ?? .now, reason) }
  }

  // MARK: - A round trip

  /// Sends jobs and completes them; those that are left when it returns or throws are to be sent again.
  private func exchange(_ jobs: inout [Job]) throws(LostConnection) {
    var (toSend, query) = (0, 0)
    var (done, replies, failure) = (0, [Reply](), ServerError?.none)
    var again: [Job] = []
    // Whether the statements of a job that prepares were answered, and its last one is waited for.
    var isEnding = false
    defer {
      jobs.removeFirst(done)
      jobs = again + jobs
    }
    defer { passNotifications() }
    while done < jobs.count {
      var isFull = unsafe PQflush(connection) == 1
      while !isFull, toSend < jobs.count {
        try send(jobs[toSend].queries[query])
        query += 1
        if query == jobs[toSend].queries.count {
          if unsafe PQpipelineSync(connection) == 0 { throw lost() }
          if jobs[toSend].kind == .preparing {
            // A transaction that couldn't be prepared is still there.
            try send(Query(text: "ROLLBACK"))
            if unsafe PQpipelineSync(connection) == 0 { throw lost() }
          }
          (toSend, query) = (toSend + 1, 0)
        }
        let flushed = unsafe PQflush(connection)
        if flushed < 0 { throw lost() }
        isFull = flushed == 1
      }
      try unsafe receive { result throws(LostConnection) in
        switch unsafe PQresultStatus(result) {
        case PGRES_PIPELINE_SYNC:
          unsafe PQclear(result)
          let job = jobs[done]
          isEnding = job.kind == .preparing && !isEnding
          if isEnding { return }
          done += 1
          switch failure {
          case nil:
            job.complete(.success(.init(replies: replies, isRepeated: job.isRepeated)))
          case let error? where error.isOfOrder: again.append(job)
          case let error? where error.isOfSpace:
            job.complete(.failure(.failed(.noSpace(path: settings.name))))
          case let error?: job.complete(.failure(.failed(unavailable(error.message))))
          }
          (replies, failure) = ([], nil)
        case PGRES_TUPLES_OK, PGRES_COMMAND_OK: unsafe replies.append(Reply(result))
        case PGRES_PIPELINE_ABORTED: unsafe PQclear(result)
        default:
          let error = ServerError(result)
          unsafe PQclear(result)
          if error.endsConnection { throw LostConnection(reason: error.message) }
          if jobs[done].kind != .ending || !error.isOfMissingObject { failure = error }
        }
      }
      if done == jobs.count { break }
      // Half of the time for a connection that has ended unseen, and half for the next one.
      let silence = settings.patience / 2
      let milliseconds = Int32(clamping: Int(silence / .milliseconds(1)))
      let ready = unsafe signals_pq_wait(connection, isFull ? 1 : 0, -1, milliseconds)
      if ready == 0 {
        throw LostConnection(reason: "it has not replied for \(silence)")
      }
      if unsafe PQconsumeInput(connection) == 0 { throw lost() }
      passNotifications()
    }
  }

  private func send(_ query: Query) throws(LostConnection) {
    let parameters = query.parameters
    let isQueued =
      switch query.content {
      case .prepared(let statement):
        unsafe signals_pq_send(
          connection, statement.rawValue, Int32(parameters.sizes.count), parameters.bytes,
          parameters.sizes)
      case .text(let text):
        unsafe PQsendQueryParams(connection, text, 0, nil, nil, nil, nil, 1)
      }
    if isQueued == 0 { throw lost() }
  }

  /// Passes the results on that have arrived.
  private func receive(
    _ body: (OpaquePointer) throws(LostConnection) -> Void
  ) throws(LostConnection) {
    // After the results of each statement comes one that is null; two mean that none is there.
    var nulls = 0
    while nulls < 2, unsafe PQisBusy(connection) == 0 {
      if let result = unsafe PQgetResult(connection) {
        nulls = 0
        try unsafe body(result)
      } else {
        nulls += 1
      }
    }
  }
}
