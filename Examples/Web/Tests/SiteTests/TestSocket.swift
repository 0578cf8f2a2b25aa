// A socket of a page, as a script opens it, without a browser.

import AsyncHTTPClient
import Foundation
import NIOCore
import NIOHTTP1
import NIOPosix
import NIOWebSocket
import Signals
import Site
import Testing

/// The state of a small app, which all visitors share.
@MainActor
final class SiteWorld {
  let count = Signal(0)
  let text = Signal("")

  var presses: Int { count.value }
  var length: Int { text.value.utf8.count }

  var app: SiteApp {
    let (count, text) = (count, text)
    return SiteApp("app", title: "App", store: Store()) {
      Text("count \(count.value), \(text.value.utf8.count) bytes")
      TextEditor("Text", text: text.binding)
      Button("Add") { count.value += 1 }
    }
  }
}

/// A page that was loaded without a browser: what its script would send.
struct LoadedPage: Sendable {
  let app: String
  let html: String
  let cookie: String

  /// Loads the page of a new visitor.
  static func load(_ app: String, from site: String) async throws -> LoadedPage {
    let answer = try await HTTPClient.shared.execute(
      HTTPClientRequest(url: "\(site)/\(app)"), timeout: .seconds(30))
    let html = String(buffer: try await answer.body.collect(upTo: 10_000_000))
    let cookie = answer.headers["set-cookie"].first?.prefix { $0 != ";" } ?? ""
    return LoadedPage(app: app, html: html, cookie: String(cookie))
  }

  /// The value of an attribute or a hidden field.
  private func value(of pattern: String) throws -> String {
    let found = html.firstMatch(of: try Regex(pattern))
    return String(try #require(found?[1].substring, "no \(pattern)"))
  }

  var name: String { get throws { try value(of: "data-page=\"([^\"]+)\"") } }
  var token: String { get throws { try value(of: "name=\"token\" value=\"([^\"]+)\"") } }

  /// The state that the page carries, as a value in a body.
  var state: String {
    get throws {
      try value(of: "name=\"state\" value=\"([^\"]+)\"").replacing("+", with: "%2B")
        .replacing("=", with: "%3D")
    }
  }

  /// The action of the button with a text.
  func button(_ text: String) throws -> String {
    try value(of: "<button[^>]*name=\"do\" value=\"([^\"]+)\"[^>]*>\(text)</button>")
  }

  /// The name of the field with a label.
  func field(_ label: String) throws -> String {
    try value(of: "<label for=\"([^\"]+)\"[^>]*>\(label)</label>")
  }

  func message(_ number: Int, _ pairs: String) throws -> String {
    "token=\(try token)&page=\(try name)&n=\(number)&\(pairs)"
  }
}

/// A socket of a page.
///
/// Unchecked, and safe: a test uses it in one task.
final class TestSocket: @unchecked Sendable {
  typealias Frames = NIOAsyncChannel<WebSocketFrame, WebSocketFrame>
  private var frames: NIOAsyncChannelInboundStream<WebSocketFrame>.AsyncIterator
  let outbound: NIOAsyncChannelOutboundWriter<WebSocketFrame>

  init(
    inbound: NIOAsyncChannelInboundStream<WebSocketFrame>,
    outbound: NIOAsyncChannelOutboundWriter<WebSocketFrame>
  ) {
    (frames, self.outbound) = (inbound.makeAsyncIterator(), outbound)
  }

  /// Opens a socket of a page, and uses it.
  ///
  /// - Parameters:
  ///   - page: The page.
  ///   - port: The port of the site on this machine.
  ///   - origin: The origin that the page claims; by default that of the site.
  ///   - body: What uses the socket.
  /// - Returns: `false` if the site opens no socket.
  static func open(
    _ page: LoadedPage, port: Int, origin: String? = nil,
    _ body: @escaping @Sendable (TestSocket) async throws -> Void
  ) async throws -> Bool {
    try await open(
      "/live/\(page.app)?page=\(try page.name)&after=0", port: port,
      headers: ["origin": origin ?? "http://127.0.0.1:\(port)", "cookie": page.cookie], body)
  }

  /// Opens a socket at a path, and uses it.
  ///
  /// - Returns: `false` if the site opens no socket.
  static func open(
    _ path: String, port: Int, headers: HTTPHeaders = [:],
    _ body: @escaping @Sendable (TestSocket) async throws -> Void
  ) async throws -> Bool {
    var headers = headers
    headers.add(name: "host", value: "127.0.0.1:\(port)")
    let head = HTTPRequestHead(version: .http1_1, method: .GET, uri: path, headers: headers)
    let upgrade = try await ClientBootstrap(group: .singletonMultiThreadedEventLoopGroup).connect(
      host: "127.0.0.1", port: port
    ) { channel in
      channel.eventLoop.makeCompletedFuture {
        let upgrader = NIOTypedWebSocketClientUpgrader<Frames?> { channel, _ in
          channel.eventLoop.makeCompletedFuture {
            try Frames(wrappingChannelSynchronously: channel)
          }
        }
        let configuration = NIOTypedHTTPClientUpgradeConfiguration<Frames?>(
          upgradeRequestHead: head, upgraders: [upgrader]
        ) { channel in
          channel.eventLoop.execute { channel.close(promise: nil) }
          return channel.eventLoop.makeSucceededFuture(nil)
        }
        return try channel.pipeline.syncOperations.configureUpgradableHTTPClientPipeline(
          configuration: .init(upgradeConfiguration: configuration))
      }
    }
    guard let channel = try await upgrade.get() else { return false }
    try await channel.executeThenClose { inbound, outbound in
      try await body(TestSocket(inbound: inbound, outbound: outbound))
    }
    return true
  }

  func send(_ text: String) async throws {
    try await outbound.write(
      WebSocketFrame(
        fin: true, opcode: .text, maskKey: [1, 2, 3, 4], data: ByteBuffer(string: text)))
  }

  /// Reads patches until the site closes the socket.
  ///
  /// - Returns: The code and the reason; nil if the connection ends without them.
  func closing() async throws -> (code: Int, reason: String)? {
    while let frame = try await frames.next() {
      guard frame.opcode == .connectionClose else { continue }
      var data = frame.unmaskedData
      let code = data.readWebSocketErrorCode().map { Int(UInt16(webSocketErrorCode: $0)) }
      return (code ?? 0, String(buffer: data))
    }
    return nil
  }

  /// Reads patches until one contains a text.
  func expect(_ text: String) async throws {
    while let frame = try await frames.next() {
      if frame.opcode == .text, String(buffer: frame.unmaskedData).contains(text) { return }
    }
    Issue.record("the socket was closed before \(text)")
  }
}
