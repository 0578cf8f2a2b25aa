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

  let queries: [Query]
  /// The time at which the call fails if there is no connection.
  let deadline: ContinuousClock.Instant
  let complete: @Sendable (Result<Outcome, ChangeLogError>) -> Void
  var isRepeated = false
}

/// A connection to a server, which is made again when it ends.
final class Session: Sendable {
  struct State {
    var jobs: [Job] = []
    var isClosed = false
    var status = PostgreSQLLog.Status.connecting
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

  /// Runs statements as one transaction, and again if the connection ends before the reply.
  func run(_ queries: [Query]) async throws(ChangeLogError) -> Job.Outcome {
    let result = await withCheckedContinuation { continuation in
      let job = Job(queries: queries, deadline: .now + settings.patience) {
        continuation.resume(returning: $0)
      }
      let isClosed = state.withLock { state in
        if !state.isClosed { state.jobs.append(job) }
        return state.isClosed
      }
      if isClosed { return job.complete(.failure(.closed)) }
      wake()
    }
    return try result.get()
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
  let onStatus: @Sendable (PostgreSQLLog.Status) -> Void
  /// Called with each partition of which the server notifies; `nil` if it needn't do so.
  let onNotify: (@Sendable (Partition) -> Void)?
}
