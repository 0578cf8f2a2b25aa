// Sockets of a site that aren't those of pages: for apps on other machines.
//
// Order of events: a client that isn't a page asks for the path of a socket, and the connection carries
// messages from then on, until the closure of the socket has returned or thrown, the client closes it,
// or the site ends.

import NIOCore
import NIOWebSocket

/// A WebSocket of a site for clients other than its pages.
///
/// ```swift
/// let echo = SiteSocket("/echo") { connection in
///   while let message = try await connection.next() { try await connection.send(message) }
/// }
/// try await Site([library], sockets: [echo]).run(port: 8080)
/// ```
///
/// - The app authenticates clients, for instance by their first message. Pages of other sites can't open
///   the socket.
/// - A client that is silent for a minute is disconnected. It is pinged every 15 seconds.
/// - A message has at most ``messageLimit`` bytes, or the connection is closed.
public struct SiteSocket: Sendable {
  /// The largest size of a message from a client, in bytes.
  public static let messageLimit = 1 << 18

  let path: String
  let serve: @MainActor @Sendable (SiteConnection) async throws -> Void

  /// Creates a socket.
  ///
  /// - Parameters:
  ///   - path: The path, such as `/sync`, which is none of an app.
  ///   - serve: Serves a client, until it returns or throws. The client is told the error.
  public init(
    _ path: String, serve: @escaping @MainActor @Sendable (SiteConnection) async throws -> Void
  ) { (self.path, self.serve) = (path, serve) }
}

/// A message of a ``SiteSocket``.
public enum SiteMessage: Hashable, Sendable {
  case text(String)
  case bytes([UInt8])
}

/// The connection of a client to a ``SiteSocket``.
@MainActor
public final class SiteConnection {
  typealias Frames = NIOAsyncChannelInboundStream<WebSocketFrame>

  // Unsafe, because the iterator is used outside of the main actor while it waits. It isn't used by two
  // callers at once, since `next()` traps then, and it is used nowhere else.
  nonisolated(unsafe) private var frames: Frames.AsyncIterator
  private var isReading = false
  private let channel: any Channel

  init(_ frames: Frames, _ channel: any Channel) {
    unsafe (self.frames, self.channel) = (frames.makeAsyncIterator(), channel)
  }

  /// Returns the next message, or `nil` when the client has closed the connection.
  ///
  /// It must not be called while another call waits.
  ///
  /// - Throws: The error of the connection.
  public func next() async throws -> SiteMessage? {
    precondition(!isReading, "SiteConnection.next() is called while another call waits")
    isReading = true
    defer { isReading = false }
    while let frame = unsafe try await frames.next() {
      switch frame.opcode {
      case .text: return .text(String(buffer: frame.unmaskedData))
      case .binary: return .bytes(Array(frame.unmaskedData.readableBytesView))
      case .ping:
        try await write(WebSocketFrame(fin: true, opcode: .pong, data: frame.unmaskedData))
      case .connectionClose: return nil
      default: break
      }
    }
    return nil
  }

  /// Sends a message, and returns when the connection can take another one.
  ///
  /// Bytes may arrive as several messages.
  ///
  /// - Throws: The error of the connection.
  public func send(_ message: SiteMessage) async throws {
    switch message {
    case .text(let text):
      try await write(WebSocketFrame(fin: true, opcode: .text, data: ByteBuffer(string: text)))
    case .bytes(let bytes):
      var rest = bytes[...]
      repeat {
        let part = rest.prefix(1 << 16)
        rest = rest.dropFirst(part.count)
        try await write(
          WebSocketFrame(fin: true, opcode: .binary, data: ByteBuffer(bytes: part)))
      } while !rest.isEmpty
    }
  }

  /// Writes a frame, and waits only if the client is behind: most writes need no other thread.
  private func write(_ frame: WebSocketFrame) async throws {
    let isWritable = channel.isWritable
    let written: EventLoopFuture<Void> = channel.writeAndFlush(frame)
    if !isWritable || !channel.isActive { try await written.get() }
  }

  /// Sends a ping every 15 seconds, until the task is cancelled.
  nonisolated static func ping(
    _ outbound: NIOAsyncChannelOutboundWriter<WebSocketFrame>
  ) async throws {
    while true {
      try await Task.sleep(for: .seconds(15))
      try await outbound.write(WebSocketFrame(fin: true, opcode: .ping, data: ByteBuffer()))
    }
  }
}
