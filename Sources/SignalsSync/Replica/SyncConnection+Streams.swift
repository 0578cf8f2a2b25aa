// Carrying a connection over two byte streams to another process.
//
// Order of events: one task reads chunks of bytes, and delivers each message that is complete; it
// reads no further while the receiver has too much to handle. Another task takes the messages that
// wait, and sends them as one chunk. A timer sends an empty message if nothing was sent for an
// interval, and closes the connection if nothing has arrived for three. The first that ends closes
// the connection, and cancels the others.
//
// Format: the number of bytes of a message as a varint, and its bytes. All partitions and both
// directions use one connection.

internal import Signals

/// The reason why a connection between processes was closed.
public enum SyncConnectionError: Error, Hashable, Sendable {
  /// Nothing has arrived for a time.
  case silent(Duration)
  /// The other side speaks other versions of the protocol.
  case versions(here: ClosedRange<Int>, there: ClosedRange<Int>)
  /// A message can't be read, for a reason.
  case message(reason: String)
  /// The server has ended the connection, for a reason such as a log that can't be written.
  case ended(reason: String)
}

extension SyncConnectionError: CustomStringConvertible {
  /// The reason, for a person.
  public var description: String {
    switch self {
    case .silent(let time): "nothing has arrived for \(time)"
    case .versions(let here, let there):
      "this side speaks versions \(here.lowerBound) to \(here.upperBound) of the protocol, "
        + "the other one \(there.lowerBound) to \(there.upperBound)"
    case .message(let reason): "a message can't be read: \(reason)"
    case .ended(let reason): "the server has ended the connection: \(reason)"
    }
  }
}

extension SyncConnection {
  /// The time after which something is sent.
  private static let keepAlive = Duration.seconds(15)
  /// The number of intervals without an arrival after which the connection is closed.
  private static let patience = 3

  /// Carries the messages until the connection is closed, a stream ends, or the task is cancelled.
  ///
  /// - Parameters:
  ///   - chunks: The bytes of the other process, in pieces of any size.
  ///   - incoming: The direction of these bytes.
  ///   - outgoing: The other direction.
  ///   - clock: The clock that measures the time.
  ///   - isolation: The actor of the connection.
  ///   - send: Sends bytes to the other process. It is cancelled when the connection ends.
  /// - Throws: The reason, unless the connection was closed, or a stream ended, on purpose.
  func carry<Chunks: AsyncSequence>(
    _ chunks: Chunks, to incoming: Direction, from outgoing: Direction,
    clock: some Clock<Duration>, isolation: isolated (any Actor)?,
    sending send: nonisolated(nonsending) @escaping ([UInt8]) async throws -> Void
  ) async throws where Chunks.Element: Sequence<UInt8> {
    let (changes, traffic) = (WaitQueue(), Traffic())
    self.changes = changes
    // A replica always reads, so a server may wait until its own messages were sent.
    let isServer = incoming == \.toServer
    func mayRead() -> Bool {
      self[keyPath: incoming].backlog < fullBacklog && !(isServer && isFull)
    }
    let reading = Future {
      var messages = MessageStream()
      var iterator = chunks.makeAsyncIterator()
      while let chunk = try await iterator.next(isolation: isolation) {
        traffic.hasArrived = true
        try messages.append(chunk) { self.send($0, to: incoming) }
        await self.wait(changes) { mayRead() }
      }
    }
    let writing = Future {
      // A closure that doesn't capture the actor runs elsewhere.
      _ = isolation
      while !self.isClosed, !Task.isCancelled {
        let messages = self.takeWaiting(outgoing)
        if messages.isEmpty {
          await self.wait(changes) { !self[keyPath: outgoing].waiting.isEmpty }
          continue
        }
        if messages.last != [] { traffic.hasSent = true }
        try await send(MessageStream.bytes(of: messages))
        self.didHandle(messages.reduce(0) { $0 + $1.count }, from: outgoing)
      }
    }
    let timer = Every(Self.keepAlive, clock: clock).sink { _ in
      // This side doesn't read.
      if !mayRead() { traffic.hasArrived = true }
      if traffic.isSilent(after: Self.patience) {
        return self.close(SyncConnectionError.silent(Self.keepAlive * Self.patience))
      }
      // The other side ignores it.
      if !traffic.hasSent { self.send([], to: outgoing) }
      traffic.hasSent = false
    }
    let tasks: [any Cancellable] = [reading, writing].map { task in
      task.sink { completion in
        if case .failure(let error) = completion { self.close(error) } else { self.close() }
      } receiveValue: { _ in
      }
    }
    await wait(changes) { false }
    close()
    for task in tasks { task.cancel() }
    timer.cancel()
    if let failure { throw failure }
    try Task.checkCancellation()
  }

  /// Waits until a condition holds, the connection is closed, or the task is cancelled.
  private nonisolated(nonsending) func wait(
    _ changes: WaitQueue, until condition: () -> Bool
  ) async {
    while !isClosed, !Task.isCancelled, !condition() { await changes.wait(after: changes.count) }
  }

  private func takeWaiting(_ side: Direction) -> [[UInt8]] {
    defer { self[keyPath: side].waiting = [] }
    return self[keyPath: side].waiting
  }
}

/// What a connection has carried lately.
private final class Traffic {
  var hasSent = false
  var hasArrived = false
  private var silentIntervals = 0

  /// Ends an interval, and returns whether nothing has arrived in the last ones.
  func isSilent(after limit: Int) -> Bool {
    silentIntervals = hasArrived ? 0 : silentIntervals + 1
    hasArrived = false
    return silentIntervals >= limit
  }
}

/// Finds the messages in a stream of bytes.
struct MessageStream {
  /// The largest message, in bytes.
  static let limit = 1 << 28

  private var bytes: [UInt8] = []

  /// Returns the bytes of messages in a stream.
  static func bytes(of messages: [[UInt8]]) -> [UInt8] {
    var writer = ByteWriter()
    for message in messages {
      writer.writeVarint(UInt64(message.count))
      writer.write(contentsOf: message)
    }
    return writer.bytes
  }

  /// Appends a chunk, and receives the messages that are complete then; empty ones are ignored.
  ///
  /// - Throws: ``SyncMessageError`` if a message is too long.
  mutating func append(
    _ chunk: some Sequence<UInt8>, receive: ([UInt8]) throws -> Void
  ) throws {
    bytes += chunk
    var start = 0
    while let (count, body) = try length(at: start), count <= bytes.count - body {
      start = body + count
      if count > 0 { try receive(Array(bytes[body..<start])) }
    }
    bytes.removeFirst(start)
  }

  /// Returns the length of the message at a place, and the place of its first byte, or `nil` if the
  /// length isn't complete.
  private func length(at start: Int) throws -> (count: Int, body: Int)? {
    var (count, place) = (0, start)
    while place < bytes.count {
      count |= Int(bytes[place] & 0x7F) << (7 * (place - start))
      if count > Self.limit || place - start > 4 {
        throw SyncMessageError(reason: "it is longer than \(Self.limit) bytes")
      }
      place += 1
      if bytes[place - 1] < 0x80 { return (count, place) }
    }
    return nil
  }
}
