// A connection with a thread of its own, because libpq's calls may wait.
//
// Order of events: a call adds its statements to `jobs` and wakes the thread, which sends those of all waiting
// calls in one round trip, each call as one transaction (SessionThread.swift).
//
// Invariant: a job is in `jobs`, or is being sent, or was completed, once.

import CPostgreSQL
import Foundation
import SignalsSync
import Synchronization

/// The statements of a call, which are one transaction.
struct Job: Sendable {
  /// What the server has answered.
  struct Outcome: Sendable {
    /// The rows of each statement.
    let replies: [Reply]
    /// Whether the statements were sent before, on a connection that ended before the reply.
    let isRepeated: Bool
  }

  /// How statements become a transaction, and what happens if the connection ends before the reply.
  enum Kind {
    /// They are one transaction, which is sent again.
    case transaction
    /// They begin a transaction and prepare it. They aren't sent again, because it would wait for itself.
    case preparing
    /// They end a prepared transaction, and are sent again. It may have ended already.
    case ending
  }

  let kind: Kind
  let queries: [Query]
  /// The time at which the call fails if there is no connection.
  let deadline: ContinuousClock.Instant
  let complete: @Sendable (Result<Outcome, DatabaseError>) -> Void
  var isRepeated = false
}

/// A connection to a server, which is made again when it ends.
final class Session: Sendable {
  struct State {
    var jobs: [Job] = []
    var isClosed = false
    var status = PostgreSQLLog.Status.connecting
    /// The time since which there is no connection, and why.
    var lost: (since: ContinuousClock.Instant, reason: String)? = (
      .now, "it has not been reached yet"
    )
    /// Called when the thread has ended.
    var onEnd: [@Sendable () -> Void] = []
    var hasEnded = false
  }

  let settings: SessionSettings
  let state = Mutex(State())
  /// The ends of a pipe that wakes the thread.
  let (readEnd, writeEnd): (Int32, Int32)

  init(_ settings: SessionSettings) {
    self.settings = settings
    var ends: [Int32] = [-1, -1]
    // Without descriptors, calls are noticed at the end of each wait.
    if unsafe pipe(&ends) == 0 {
      for end in ends {
        _ = fcntl(end, F_SETFL, O_NONBLOCK)
        _ = fcntl(end, F_SETFD, FD_CLOEXEC)
      }
    }
    (readEnd, writeEnd) = (ends[0], ends[1])
    let thread = Thread { [self] in
      var thread = SessionThread(self)
      thread.run()
    }
    thread.name = "PostgreSQL"
    thread.start()
  }

  deinit {
    for end in [readEnd, writeEnd] where end >= 0 { Foundation.close(end) }
  }

  var status: PostgreSQLLog.Status { state.withLock { $0.status } }

  /// Runs statements, as one transaction unless they say otherwise.
  ///
  /// It fails at once if there has been no connection for as long as calls wait for one, and with `declined` if
  /// the statements were never sent.
  func run(
    _ queries: [Query], as kind: Job.Kind = .transaction
  ) async throws(DatabaseError) -> Job.Outcome {
    let result = await withCheckedContinuation { continuation in
      let job = Job(kind: kind, queries: queries, deadline: .now + settings.patience) {
        continuation.resume(returning: $0)
      }
      let failure = state.withLock { state -> DatabaseError? in
        if state.isClosed { return .failed(.closed) }
        if let lost = state.lost, lost.since + settings.patience <= .now {
          return .declined(.unavailable(log: settings.name, reason: lost.reason))
        }
        state.jobs.append(job)
        return nil
      }
      if let failure { return job.complete(.failure(failure)) }
      wake()
    }
    return try result.get()
  }

  /// Waits until there is a connection.
  ///
  /// - Parameter end: The time at which it fails.
  func waitForConnection(until end: ContinuousClock.Instant) async throws(DatabaseError) {
    while let lost = state.withLock({ $0.lost }) {
      if min(end, lost.since + settings.patience) <= .now {
        throw .failed(.unavailable(log: settings.name, reason: lost.reason))
      }
      try? await Task.sleep(for: .milliseconds(10))
    }
  }

  /// Ends the connection when all calls that have begun are answered.
  func close() {
    state.withLock { $0.isClosed = true }
    wake()
  }

  /// Waits until the thread has ended.
  func end() async {
    close()
    await withCheckedContinuation { continuation in
      let hasEnded = state.withLock { state in
        if !state.hasEnded { state.onEnd.append { continuation.resume() } }
        return state.hasEnded
      }
      if hasEnded { continuation.resume() }
    }
  }

  private func wake() {
    let byte: [UInt8] = [0]
    _ = unsafe write(writeEnd, byte, 1)
  }
}

/// How a connection is made.
struct SessionSettings: Sendable {
  /// The server and the database, as libpq takes them.
  let target: String
  /// The server and the database without a password.
  let name: String
  let schema: String
  let patience: Duration
  let place: DatabasePlace
  let onStatus: @Sendable (PostgreSQLLog.Status) -> Void
  /// Called with each partition of which the server notifies; `nil` if it needn't do so.
  let onNotify: (@Sendable (Partition) -> Void)?
}
