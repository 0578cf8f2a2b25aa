// Connections of browsers: requests of HTTP, and WebSockets of pages.
//
// Order of events: the first request of a connection decides. If it asks for a socket of a page, and
// comes from the site itself, the connection carries patches and messages from then on, or is closed
// because the visitor doesn't have the page. Otherwise it and the following requests are those of HTTP.

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

/// A page that asks for a socket.
struct SocketRequest: Sendable {
  let app: String
  let page: String
  /// The number of the last patch that the page has used.
  let after: Int
  let secret: String?

  /// Reads a request; nil if it isn't one for a socket, or another site has made it.
  init?(_ head: HTTPRequestHead) {
    // The body of a request for a socket would arrive before it is decided.
    guard !head.headers.contains(name: "content-length"),
      !head.headers.contains(name: "transfer-encoding")
    else { return nil }
    let uri = URI(head.uri)
    let parts = uri.path.split(separator: "/")
    guard parts.count == 2, parts[0] == "live", let host = head.headers.first(name: "host"),
      let origin = head.headers.first(name: "origin"), Site.isOwn(origin: origin, host: host),
      let page = uri.queryParameters["page"]
    else { return nil }
    app = String(parts[1])
    self.page = String(page)
    after = uri.queryParameters["after"].flatMap { Int($0) } ?? -1
    secret = SocketRequest.cookie(head.headers[canonicalForm: "cookie"])
  }

  /// Returns the value of the site's cookie.
  private static func cookie(_ headers: [Substring]) -> String? {
    for pair in headers.flatMap({ $0.split(separator: ";") }) {
      let parts = pair.split(separator: "=", maxSplits: 1)
      let name = (parts.first ?? "").drop { $0 == " " }
      if parts.count == 2, name == Site.cookie { return String(parts[1]) }
    }
    return nil
  }
}

/// A connection of a browser.
struct PageChannel: ServerChildChannel {
  enum Kind: Sendable {
    case requests(NIOAsyncChannel<HTTPRequestPart, HTTPResponsePart>)
    case socket(NIOAsyncChannel<WebSocketFrame, WebSocketFrame>, SocketRequest)
  }

  struct Value: ServerChildChannelValue {
    let channel: any Channel
    let kind: EventLoopFuture<Kind>
  }

  private let http: HTTP1Channel
  private let visitors: Visitors

  init(_ visitors: Visitors, responder: @escaping HTTPChannelHandler.Responder) {
    self.visitors = visitors
    http = HTTP1Channel(responder: responder)
  }

  func setup(channel: any Channel, logger: Logger) -> EventLoopFuture<Value> {
    let upgrader = NIOTypedWebSocketServerUpgrader<Kind>(
      maxFrameSize: Site.formLimit,
      shouldUpgrade: { channel, head in
        // Whether there is such a page is said by the socket: a decision that takes time, and is
        // negative, would leave the request without an answer.
        channel.eventLoop.makeSucceededFuture(SocketRequest(head) == nil ? nil : [:])
      },
      upgradePipelineHandler: { channel, head in
        channel.eventLoop.makeCompletedFuture {
          guard let request = SocketRequest(head) else {
            throw ChannelError.inappropriateOperationForState
          }
          _ = channel.pipeline.removeHandler(name: WaitingConnection.name)
          try channel.pipeline.syncOperations.addHandler(
            NIOWebSocketFrameAggregator(
              minNonFinalFragmentSize: 1, maxAccumulatedFrameCount: 1000,
              maxAccumulatedFrameSize: Site.formLimit))
          return .socket(try NIOAsyncChannel(wrappingChannelSynchronously: channel), request)
        }
      })
    let configuration = NIOTypedHTTPServerUpgradeConfiguration<Kind>(upgraders: [upgrader]) {
      channel in
      channel.eventLoop.makeCompletedFuture {
        _ = channel.pipeline.removeHandler(name: WaitingConnection.name)
        try channel.pipeline.syncOperations.addHandlers([
          HTTP1ToHTTPServerCodec(secure: false), HTTPConnectionStateHandler(logger: logger),
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
        WaitingConnection(), name: WaitingConnection.name)
      let kind = try channel.pipeline.syncOperations.configureUpgradableHTTPServerPipeline(
        configuration: pipeline)
      return Value(channel: channel, kind: kind)
    }
  }

  func handle(value: Value, logger: Logger) async {
    do {
      switch try await value.kind.get() {
      case .requests(let channel): await http.handle(value: channel, logger: logger)
      case .socket(let channel, let request): try await use(channel, for: request)
      }
    } catch {
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
      else { return try await outbound.write(.close(.unknownPage)) }
      defer { patches.end() }
      try await withThrowingTaskGroup { group in
        group.addTask {
          for await isTime in patches.changes.cancelOnGracefulShutdown() {
            var patch = await patches.next()
            if patch == nil, isTime {
              try await outbound.write(WebSocketFrame(fin: true, opcode: .ping, data: ByteBuffer()))
            }
            while let present = patch {
              try await outbound.write(
                WebSocketFrame(fin: true, opcode: .text, data: ByteBuffer(bytes: present.bytes)))
              patch = await patches.next()
            }
          }
          try await outbound.write(.close(.goingAway))
        }
        group.addTask {
          for try await frame in inbound {
            switch frame.opcode {
            case .text:
              do {
                let message = Array(frame.unmaskedData.readableBytesView)
                guard
                  try await visitors.receive(
                    message, from: request.page, in: request.app, for: request.secret)
                else { return try await outbound.write(.close(.unknownPage)) }
              } catch is HTMLFormError { return try await outbound.write(.close(.policyViolation)) }
            case .ping:
              try await outbound.write(
                WebSocketFrame(fin: true, opcode: .pong, data: frame.unmaskedData))
            case .connectionClose: return try await outbound.write(.close(.normalClosure))
            default: break
            }
          }
        }
        _ = try await group.next()
        group.cancelAll()
      }
    }
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
  fileprivate static func close(_ code: WebSocketErrorCode) -> WebSocketFrame {
    var data = ByteBuffer()
    data.write(webSocketErrorCode: code)
    return WebSocketFrame(fin: true, opcode: .connectionClose, data: data)
  }
}
