// A server on another machine, or in another process, by a WebSocket.
//
// Order of events: each request about accounts has a connection of its own. A replica's connection
// begins with the token; the bytes of the replica follow without waiting for an answer.

import ChatApp
package import ChatModel
import Foundation
import NIOCore
import NIOHTTP1
import NIOPosix
import NIOSSL
import NIOWebSocket
package import SignalsSync

/// The reason why a server can't be used.
package enum RemoteChatError: Error, Hashable, Sendable, CustomStringConvertible {
  case notAnAddress(String)
  case noSocket
  case closed(reason: String)
  case unexpectedAnswer

  package var description: String {
    switch self {
    case .notAnAddress(let text): "\"\(text)\" is no address like http://127.0.0.1:8080"
    case .noSocket: "the server has no socket for devices"
    case .closed(let reason): reason.isEmpty ? "the server has closed the connection" : reason
    case .unexpectedAnswer: "the server has answered something else"
    }
  }
}

/// A chat server at an address.
package struct RemoteChat: ChatService, Sendable {
  private typealias Frames = NIOAsyncChannel<WebSocketFrame, WebSocketFrame>
  private typealias Writer = NIOAsyncChannelOutboundWriter<WebSocketFrame>

  private let host: String
  private let port: Int
  private let isSecure: Bool

  /// Reads the address of a server, such as `https://chat.example`.
  package init(_ address: String) throws(RemoteChatError) {
    guard let url = URL(string: address), let scheme = url.scheme, let host = url.host(),
      ["http", "https"].contains(scheme)
    else { throw .notAnAddress(address) }
    (self.host, isSecure) = (host, scheme == "https")
    port = url.port ?? (isSecure ? 443 : 80)
  }

  package func register(_ credentials: Credentials) async throws {
    _ = try await ask(.register(credentials))
  }

  package func signIn(_ credentials: Credentials) async throws -> String {
    guard case .token(let token) = try await ask(.signIn(credentials)) else {
      throw RemoteChatError.unexpectedAnswer
    }
    return token
  }

  package func signOut(_ token: String) async throws { _ = try await ask(.signOut(token: token)) }

  package func deleteAccount(_ token: String) async throws {
    _ = try await ask(.deleteAccount(token: token))
  }

  package func connect(_ replica: Replica, with token: String) async throws {
    try await connect(replica, with: token, isolation: #isolation)
  }

  private func connect(
    _ replica: Replica, with token: String, isolation: isolated (any Actor)?
  ) async throws {
    try await open().executeThenClose(isolation: isolation) { inbound, outbound in
      try await Self.send(.connect(token: token), by: outbound)
      let chunks = inbound.compactMap { frame -> [UInt8]? in
        switch frame.opcode {
        case .binary: return Array(frame.unmaskedData.readableBytesView)
        case .text: _ = try Self.answer(in: frame)
        case .ping: try await Self.write(.pong, frame.unmaskedData, by: outbound)
        case .connectionClose: throw Self.closed(by: frame)
        default: break
        }
        return nil
      }
      try await replica.connect(receiving: chunks, isolation: isolation) { bytes in
        var rest = bytes[...]
        while !rest.isEmpty {
          let part = rest.prefix(1 << 16)
          rest = rest.dropFirst(part.count)
          try await Self.write(.binary, ByteBuffer(bytes: part), by: outbound)
        }
      }
    }
  }

  /// Sends a request on a connection of its own, and returns the answer.
  private func ask(_ request: ChatRequest) async throws -> ChatAnswer {
    try await open().executeThenClose { inbound, outbound in
      try await Self.send(request, by: outbound)
      for try await frame in inbound {
        switch frame.opcode {
        case .text: return try Self.answer(in: frame)
        case .connectionClose: throw Self.closed(by: frame)
        default: break
        }
      }
      throw RemoteChatError.closed(reason: "")
    }
  }

  // MARK: - Frames

  private static func send(_ request: ChatRequest, by outbound: Writer) async throws {
    try await write(.text, ByteBuffer(bytes: try JSONEncoder().encode(request)), by: outbound)
  }

  private static func write(
    _ code: WebSocketOpcode, _ data: ByteBuffer, by outbound: Writer
  ) async throws {
    try await outbound.write(
      WebSocketFrame(fin: true, opcode: code, maskKey: .random(), data: data))
  }

  /// Reads an answer.
  ///
  /// - Throws: The `SignInError` that it has.
  private static func answer(in frame: WebSocketFrame) throws -> ChatAnswer {
    let answer = try JSONDecoder().decode(
      ChatAnswer.self, from: Data(frame.unmaskedData.readableBytesView))
    if case .failure(let error) = answer { throw error }
    return answer
  }

  private static func closed(by frame: WebSocketFrame) -> RemoteChatError {
    var data = frame.unmaskedData
    _ = data.readWebSocketErrorCode()
    return .closed(reason: String(buffer: data))
  }

  // MARK: - The connection

  private func open() async throws -> Frames {
    let head = HTTPRequestHead(
      version: .http1_1, method: .GET, uri: ChatRequest.path,
      headers: ["host": "\(host):\(port)"])
    let tls = isSecure ? try NIOSSLContext(configuration: .makeClientConfiguration()) : nil
    let upgrade = try await ClientBootstrap(group: .singletonMultiThreadedEventLoopGroup)
      .connectTimeout(.seconds(10)).connect(host: host, port: port) { channel in
        channel.eventLoop.makeCompletedFuture {
          // Also a server that never answers the request.
          try channel.pipeline.syncOperations.addHandlers([
            IdleStateHandler(readTimeout: .seconds(60)), SilentServer(),
          ])
          if let tls {
            try channel.pipeline.syncOperations.addHandler(
              NIOSSLClientHandler(context: tls, serverHostname: host))
          }
          let upgrader = NIOTypedWebSocketClientUpgrader<Frames?>(maxFrameSize: 1 << 20) {
            channel, _ in
            channel.eventLoop.makeCompletedFuture {
              try Frames(wrappingChannelSynchronously: channel)
            }
          }
          let configuration = NIOTypedHTTPClientUpgradeConfiguration<Frames?>(
            upgradeRequestHead: head, upgraders: [upgrader]
          ) { channel in
            channel.close(promise: nil)
            return channel.eventLoop.makeSucceededFuture(nil)
          }
          return try channel.pipeline.syncOperations.configureUpgradableHTTPClientPipeline(
            configuration: .init(upgradeConfiguration: configuration))
        }
      }
    guard let frames = try await upgrade.get() else { throw RemoteChatError.noSocket }
    return frames
  }
}

/// Closes a connection whose server is silent.
private final class SilentServer: ChannelInboundHandler {
  typealias InboundIn = NIOAny

  func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
    if event is IdleStateHandler.IdleStateEvent { return context.close(promise: nil) }
    context.fireUserInboundEventTriggered(event)
  }
}
