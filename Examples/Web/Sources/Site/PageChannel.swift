// Connections of browsers: requests of HTTP, and WebSockets of pages.
//
// Order of events: the first request of a connection decides. If it asks for a socket of a page, and
// comes from the site itself, the connection carries patches and messages from then on, or is closed
// because the visitor doesn't have the page. Otherwise it and the following requests are those of HTTP.
//
// A connection without a sign of the browser is closed after a minute: requests are made in time, and
// an open socket answers the pings that are sent every 15 seconds.

import Hummingbird
import HummingbirdCore
import Logging
import NIOCore
import NIOHTTP1
import NIOHTTPTypes
import NIOHTTPTypesHTTP1
import NIOWebSocket
import ServiceLifecycle
import SignalsHTML

/// A socket that a client asks for.
enum RequestedSocket: Sendable {
  case page(SocketRequest)
  case app(SiteSocket)

  /// Reads a request; nil if it isn't one for a socket, or another site has made it.
  init?(_ head: HTTPRequestHead, to site: SiteOrigin, with sockets: [SiteSocket]) {
    if let page = SocketRequest(head, to: site) {
      self = .page(page)
      return
    }
    guard SocketRequest.isUpgrade(head, to: site),
      let socket = sockets.first(where: { $0.path == URI(head.uri).path })
    else { return nil }
    self = .app(socket)
  }
}

/// A page that asks for a socket.
struct SocketRequest: Sendable {
  let app: String
  let page: String
  /// The number of the last patch that the page has used.
  let after: Int
  let secret: String?

  /// Reads a request; nil if it isn't one for a socket, or another site has made it.
  init?(_ head: HTTPRequestHead, to site: SiteOrigin) {
    let uri = URI(head.uri)
    let parts = uri.path.split(separator: "/")
    guard SocketRequest.isUpgrade(head, to: site), head.headers.contains(name: "origin"),
      parts.count == 2, parts[0] == "live", let page = uri.queryParameters["page"]
    else { return nil }
    app = String(parts[1])
    self.page = String(page)
    after = uri.queryParameters["after"].flatMap { Int($0) } ?? -1
    secret = SocketRequest.value(of: site.cookie, in: head.headers[canonicalForm: "cookie"])
  }

  /// Returns whether a request asks for a WebSocket, and no other site has made it.
  static func isUpgrade(_ head: HTTPRequestHead, to site: SiteOrigin) -> Bool {
    let host = head.headers.first(name: "host")
    let (origin, place) = (
      head.headers.first(name: "origin"), head.headers.first(name: "sec-fetch-site")
    )
    guard site.isKnown(host: host), site.isOwn(origin: origin, place: place, host: host) else {
      return false
    }
    // The body of a request for a socket would arrive before it is decided.
    return !head.headers.contains(name: "content-length")
      && !head.headers.contains(name: "transfer-encoding")
      && head.headers[canonicalForm: "upgrade"].map { $0.lowercased() } == ["websocket"]
      && head.headers[canonicalForm: "sec-websocket-version"] == ["13"]
      && head.headers[canonicalForm: "sec-websocket-key"].count == 1
  }

  /// Returns the value of the site's cookie.
  private static func value(of cookie: String, in headers: [Substring]) -> String? {
    for pair in headers.flatMap({ $0.split(separator: ";") }) {
      let parts = pair.split(separator: "=", maxSplits: 1)
      let name = (parts.first ?? "").drop { $0 == " " }
      if parts.count == 2, name == cookie { return String(parts[1]) }
    }
    return nil
  }
}

/// A connection of a browser.
struct PageChannel: ServerChildChannel {
  enum Kind: Sendable {
    case requests(NIOAsyncChannel<HTTPRequestPart, HTTPResponsePart>)
    case socket(NIOAsyncChannel<WebSocketFrame, WebSocketFrame>, RequestedSocket)
  }

  struct Value: ServerChildChannelValue {
    let channel: any Channel
    let kind: EventLoopFuture<Kind>
  }

  private let http: HTTP1Channel
  private let visitors: Visitors
  private let origin: SiteOrigin
  private let limit: Int
  private let sockets: [SiteSocket]
  private let silence: TimeAmount
  private let isSecure: Bool
  private let meters: SiteMeters

  /// Creates what makes connections.
  ///
  /// - Parameters:
  ///   - visitors: The visitors, who have the pages.
  ///   - origin: The origin of the site.
  ///   - limit: The greatest length of a message, in bytes.
  ///   - sockets: The sockets for other clients than pages.
  ///   - silence: How long a browser may be silent.
  ///   - isSecure: Whether the connections have TLS.
  ///   - meters: The meters of the site.
  ///   - responder: What answers requests.
  init(
    _ visitors: Visitors, origin: SiteOrigin, limit: Int, sockets: [SiteSocket],
    silence: TimeAmount, isSecure: Bool, meters: SiteMeters,
    responder: @escaping HTTPChannelHandler.Responder
  ) {
    (self.visitors, self.origin, self.limit) = (visitors, origin, limit)
    self.sockets = sockets
    (self.silence, self.isSecure, self.meters) = (silence, isSecure, meters)
    http = HTTP1Channel(responder: responder)
  }

  func setup(channel: any Channel, logger: Logger) -> EventLoopFuture<Value> {
    let longest = max(limit, sockets.isEmpty ? 0 : SiteSocket.messageLimit) + 4096
    let upgrader = NIOTypedWebSocketServerUpgrader<Kind>(
      // One that is a little longer is refused with a reason.
      maxFrameSize: longest,
      // Whether there is such a page is said by the socket. What asks for no socket of the site isn't
      // asked: see `SocketRequestsOnly`.
      shouldUpgrade: { channel, _ in channel.eventLoop.makeSucceededFuture([:]) },
      upgradePipelineHandler: { channel, head in
        channel.eventLoop.makeCompletedFuture {
          guard let request = RequestedSocket(head, to: origin, with: sockets) else {
            throw ChannelError.inappropriateOperationForState
          }
          _ = channel.pipeline.removeHandler(name: WaitingConnection.name)
          _ = channel.pipeline.removeHandler(name: SocketRequestsOnly.name)
          _ = channel.pipeline.removeHandler(name: SilentConnection.clock)
          try channel.pipeline.syncOperations.addHandler(
            IdleStateHandler(readTimeout: silence), position: .first)
          try channel.pipeline.syncOperations.addHandler(
            NIOWebSocketFrameAggregator(
              minNonFinalFragmentSize: 1, maxAccumulatedFrameCount: 1000,
              maxAccumulatedFrameSize: longest))
          return .socket(try NIOAsyncChannel(wrappingChannelSynchronously: channel), request)
        }
      })
    let configuration = NIOTypedHTTPServerUpgradeConfiguration<Kind>(upgraders: [upgrader]) {
      channel in
      channel.eventLoop.makeCompletedFuture {
        _ = channel.pipeline.removeHandler(name: WaitingConnection.name)
        try channel.pipeline.syncOperations.addHandlers([
          HTTP1ToHTTPServerCodec(secure: isSecure), HTTPConnectionStateHandler(logger: logger),
        ])
        return .requests(
          try NIOAsyncChannel(
            wrappingChannelSynchronously: channel,
            configuration: .init(isOutboundHalfClosureEnabled: true)))
      }
    }
    return channel.eventLoop.makeCompletedFuture {
      var pipeline = NIOUpgradableHTTPServerPipelineConfiguration(
        upgradeConfiguration: configuration)
      // The requests of a connection are read one after the other.
      pipeline.enablePipelining = false
      try channel.pipeline.syncOperations.addHandler(
        IdleStateHandler(allTimeout: silence), name: SilentConnection.clock)
      try channel.pipeline.syncOperations.addHandler(SilentConnection())
      try channel.pipeline.syncOperations.addHandler(
        WaitingConnection(), name: WaitingConnection.name)
      let kind = try channel.pipeline.syncOperations.configureUpgradableHTTPServerPipeline(
        configuration: pipeline)
      let upgrade = try channel.pipeline.syncOperations.handler(
        type: NIOTypedHTTPServerUpgradeHandler<Kind>.self)
      try channel.pipeline.syncOperations.addHandler(
        SocketRequestsOnly(origin: origin, sockets: sockets), name: SocketRequestsOnly.name,
        position: .before(upgrade))
      return Value(channel: channel, kind: kind)
    }
  }

  func handle(value: Value, logger: Logger) async {
    do {
      switch try await value.kind.get() {
      case .requests(let channel): await http.handle(value: channel, logger: logger)
      case .socket(let channel, .page(let request)): try await use(channel, for: request)
      case .socket(let channel, .app(let socket)): try await use(channel, by: socket)
      }
    } catch {
      if error is NIOWebSocketError || error is NIOWebSocketFrameAggregator.Error {
        meters.refuse(.malformed, by: "")
      }
      logger.debug("a connection has ended: \(error)")
      value.channel.close(promise: nil)
    }
  }

  // MARK: - Sockets

  /// Sends the patches of a page, and uses its messages, until one side closes the connection.
  private func use(
    _ channel: NIOAsyncChannel<WebSocketFrame, WebSocketFrame>, for request: SocketRequest
  ) async throws {
    try await channel.executeThenClose { inbound, outbound in
      guard
        let patches = await visitors.patches(
          of: request.page, in: request.app, for: request.secret, after: request.after)
      else {
        meters.refuse(.unknownPage, by: request.app)
        return try await outbound.write(.close(.unknownPage, "the page is unknown"))
      }
      defer { patches.end() }
      try await withThrowingTaskGroup { group in
        group.addTask {
          for await _ in patches.changes.cancelOnGracefulShutdown() {
            var patch = await patches.next()
            if patches.takeSign() {
              try await outbound.write(WebSocketFrame(fin: true, opcode: .ping, data: ByteBuffer()))
            }
            while let present = patch {
              try await outbound.write(
                WebSocketFrame(fin: true, opcode: .text, data: ByteBuffer(bytes: present.bytes)))
              meters.send(present)
              patch = await patches.next()
            }
          }
          try await outbound.write(
            .close(.goingAway, "the site ends, or the page has connected again"))
        }
        group.addTask {
          for try await frame in inbound {
            switch frame.opcode {
            case .text:
              do {
                guard try await use(Array(frame.unmaskedData.readableBytesView), of: request) else {
                  meters.refuse(.unknownPage, by: request.app)
                  return try await outbound.write(.close(.unknownPage, "the page is unknown"))
                }
              } catch let error as HTMLFormError {
                meters.refuse(Refusal(error), by: request.app)
                return try await outbound.write(.close(.policyViolation, "\(error)"))
              }
            case .ping:
              try await outbound.write(
                WebSocketFrame(fin: true, opcode: .pong, data: frame.unmaskedData))
            case .binary:
              meters.refuse(.malformed, by: request.app)
              return try await outbound.write(.close(.unacceptableData, "a message is a text"))
            case .connectionClose: return try await outbound.write(.close(.normalClosure, ""))
            default: break
            }
          }
        }
        _ = try await group.next()
        group.cancelAll()
      }
    }
  }

  /// Serves a client that isn't a page.
  private func use(
    _ channel: NIOAsyncChannel<WebSocketFrame, WebSocketFrame>, by socket: SiteSocket
  ) async throws {
    try await channel.executeThenClose { inbound, outbound in
      try await withThrowingTaskGroup { group in
        group.addTask { try await SiteConnection.ping(outbound) }
        group.addTask {
          do {
            try await cancelWhenGracefulShutdown {
              try await socket.serve(SiteConnection(inbound, channel.channel))
            }
            try await outbound.write(.close(.normalClosure, ""))
          } catch is CancellationError {
            try await outbound.write(.close(.goingAway, "the site ends"))
          } catch {
            try await outbound.write(.close(.policyViolation, "\(error)"))
          }
        }
        _ = try await group.next()
        group.cancelAll()
      }
    }
  }

  /// Uses a message of a page's script; returns whether the visitor has the page.
  ///
  /// One that comes too soon waits, and no other is read in the meantime.
  private func use(_ message: [UInt8], of request: SocketRequest) async throws -> Bool {
    while true {
      do {
        return try await visitors.receive(
          message, from: request.page, in: request.app, for: request.secret)
      } catch HTMLFormError.tooMany(let wait) { try await Task.sleep(for: wait) }
    }
  }
}

/// Takes the wish for another protocol from requests that ask for no socket of the site.
///
/// NIO loses a request whose wish isn't fulfilled, and reads no other after it. So such a request is the
/// last one of its connection. And it opens a socket for the first request of a connection only. A proxy
/// uses a connection for several visitors; so behind one, each request is the last.
private final class SocketRequestsOnly: ChannelDuplexHandler, RemovableChannelHandler {
  typealias InboundIn = HTTPServerRequestPart
  typealias InboundOut = HTTPServerRequestPart
  typealias OutboundIn = HTTPServerResponsePart
  typealias OutboundOut = HTTPServerResponsePart
  static let name = "sockets"
  private let origin: SiteOrigin
  private let sockets: [SiteSocket]
  private var isLast = false

  init(origin: SiteOrigin, sockets: [SiteSocket]) {
    (self.origin, self.sockets) = (origin, sockets)
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    guard case .head(var head) = unwrapInboundIn(data),
      head.headers.contains(name: "upgrade") || origin.isBehindProxy,
      RequestedSocket(head, to: origin, with: sockets) == nil
    else { return context.fireChannelRead(data) }
    head.headers.remove(name: "upgrade")
    head.headers.replaceOrAdd(name: "connection", value: "close")
    isLast = true
    context.fireChannelRead(wrapInboundOut(.head(head)))
  }

  func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
    guard isLast, case .head(var head) = unwrapOutboundIn(data) else {
      return context.write(data, promise: promise)
    }
    head.headers.replaceOrAdd(name: "connection", value: "close")
    context.write(wrapOutboundOut(.head(head)), promise: promise)
  }
}

/// Closes a connection whose browser is silent.
private final class SilentConnection: ChannelInboundHandler {
  typealias InboundIn = NIOAny
  /// The name of the handler that measures the time.
  static let clock = "silence"

  func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
    if event is IdleStateHandler.IdleStateEvent { return context.close(promise: nil) }
    context.fireUserInboundEventTriggered(event)
  }
}

/// Closes a connection that hasn't made a request when the site ends, as browsers open some ahead.
private final class WaitingConnection: ChannelInboundHandler, RemovableChannelHandler {
  typealias InboundIn = NIOAny
  static let name = "waiting"

  func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
    if event is ChannelShouldQuiesceEvent { context.close(promise: nil) }
    context.fireUserInboundEventTriggered(event)
  }
}

extension WebSocketErrorCode {
  /// The script asks for another page.
  fileprivate static let unknownPage = WebSocketErrorCode.unknown(4410)
}

extension WebSocketFrame {
  fileprivate static func close(_ code: WebSocketErrorCode, _ reason: String) -> WebSocketFrame {
    var data = ByteBuffer()
    data.write(webSocketErrorCode: code)
    // A frame that closes has at most 125 bytes.
    var reason = reason
    while reason.utf8.count > 123 { reason.removeLast() }
    data.writeString(reason)
    return WebSocketFrame(fin: true, opcode: .connectionClose, data: data)
  }
}
