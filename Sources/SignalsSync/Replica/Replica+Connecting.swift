// Connections to other processes, and why a replica has none.

internal import Signals

/// The reason why pending commits aren't sent.
public enum SyncDelay: Hashable, Sendable {
  /// The replica has no connection; the last one, or the last attempt, may have ended with an error.
  case offline(reason: String?)
  /// A partition in which commits are pending isn't joined.
  case notJoined(String)
  /// The server can't reach a partition in which commits are pending.
  case delayed(String, reason: String)
  /// A partition in which commits are pending can't be joined, or they were made after the user had
  /// lost the right to read it.
  case refused(String, reason: String)
}

extension Replica {
  /// Connects to a server in another process, and returns when the connection has ended.
  ///
  /// The app provides the two byte streams, of a socket or of whatever else keeps the order of bytes,
  /// and authenticates the user. One connection carries all partitions.
  ///
  /// ```swift
  /// try await replica.connect(receiving: socket.chunks) { try await socket.send($0) }
  /// ```
  ///
  /// - Call it on the actor of the replica. It traps without one.
  /// - If nothing is to be sent, something is sent every 15 seconds. If nothing arrives for 45
  ///   to 60 seconds, the connection is closed.
  /// - Cancel the task to close the connection.
  ///
  /// - Parameters:
  ///   - chunks: The bytes from the server, in pieces of any size.
  ///   - clock: The clock that measures the time.
  ///   - isolation: The actor on which the connection is used; leave it to the compiler.
  ///   - send: Sends bytes to the server. It isn't called again before it has returned. It is cancelled
  ///     when the connection ends.
  /// - Throws: ``SyncConnectionError``, an error of the streams, or `CancellationError`. If the
  ///   server ends its stream, or the replica is disconnected, nothing is thrown.
  public func connect<Chunks: AsyncSequence>(
    receiving chunks: Chunks, clock: some Clock<Duration> = ContinuousClock(),
    isolation: isolated (any Actor)? = #isolation,
    sending send: nonisolated(nonsending) @escaping (_ bytes: [UInt8]) async throws -> Void
  ) async throws where Chunks.Element: Sequence<UInt8> {
    try Task.checkCancellation()
    let connection = SyncConnection()
    connect(connection)
    try await connection.carry(
      chunks, to: \.toReplica, from: \.toServer, clock: clock, isolation: isolation,
      sending: send)
  }

  /// The time after which the failure of a connection isn't one of connecting.
  private static let lasting = Duration.seconds(30)

  /// Connects again and again, until the task is cancelled.
  ///
  /// ```swift
  /// let connecting = Task {
  ///   await replica.stayConnected {
  ///     let socket = try await Socket(to: address)
  ///     try await replica.connect(receiving: socket.chunks) { try await socket.send($0) }
  ///   }
  /// }
  /// ```
  ///
  /// - Parameters:
  ///   - clock: The clock that measures the pauses.
  ///   - backOff: Returns the pause before an attempt, numbered from 1 on after each connection that a
  ///     server has accepted, unless it has failed within 30 seconds. By default, it is 0.1 seconds at
  ///     first, twice as long each time, at most 25 seconds, and shortened at random by up to a half.
  ///   - connect: Connects, and returns or throws when the connection has ended. ``delay`` has the
  ///     error.
  public nonisolated(nonsending) func stayConnected(
    clock: some Clock<Duration> = ContinuousClock(),
    backOff: (_ attempt: Int) -> Duration = {
      .milliseconds(100 << min($0 - 1, 8)) * Double.random(in: 0.5...1)
    },
    _ connect: nonisolated(nonsending) () async throws -> Void
  ) async {
    var attempt = 0
    while !Task.isCancelled {
      let (count, start) = (welcomeCount, clock.now)
      var isFailure = false
      do { try await connect() } catch {
        isFailure = true
        if !Task.isCancelled { lastError.value = "\(error)" }
      }
      // A server that fails after it has accepted the connection needs time too.
      let hasLasted = start.duration(to: clock.now) > Self.lasting
      attempt = welcomeCount > count && (hasLasted || !isFailure) ? 1 : attempt + 1
      try? await clock.sleep(for: backOff(attempt))
    }
  }

  /// The reason why pending commits aren't sent, or `nil` if none are pending or they are being sent;
  /// reads are tracked.
  public var delay: SyncDelay? {
    if pendingCount == 0 { return nil }
    if !isOnline { return .offline(reason: offlineReason) }
    for partition in Set(pending.map(\.partition)).sorted(by: Partition.precedes) {
      switch state(of: partition.name) {
      case .notJoined: return .notJoined(partition.name)
      case .delayed(let reason): return .delayed(partition.name, reason: reason)
      case .refused(let reason): return .refused(partition.name, reason: reason)
      case .joining, .joined: break
      }
    }
    return nil
  }
}
