import Hummingbird
import HummingbirdTesting
import NIOCore
import NIOHTTP1
import NIOWebSocket
import Signals
import Testing

@testable import Site

private struct Refusal: Error, CustomStringConvertible { let description = "no more" }

/// Sockets of a site for clients other than pages.
@Suite(.timeLimit(.minutes(2))) struct `Sockets for other clients` {
  private let world: SiteWorld

  init() async { world = await SiteWorld() }

  /// Serves a site with a socket that answers each message, until one says "stop", and uses it.
  @discardableResult
  private func withSocket(
    _ path: String = "/echo", headers: HTTPHeaders = [:],
    _ body: @escaping @Sendable (TestSocket) async throws -> Void
  ) async throws -> Bool {
    let echo = SiteSocket("/echo") { connection in
      while let message = try await connection.next() {
        if message == .text("stop") { throw Refusal() }
        guard case .text(let text) = message else { continue }
        // The client takes short messages only.
        try await connection.send(text.count > 100 ? .text("\(text.count) letters") : message)
      }
    }
    let site = await Site([world.app], sockets: [echo])
    return try await site.application(port: 0).test(.live) { client in
      let port = try #require(client.port)
      // Pages are served as without sockets.
      let page = try await LoadedPage.load("app", from: "http://127.0.0.1:\(port)")
      #expect(page.html.contains("count 0"))
      return try await TestSocket.open(path, port: port, headers: headers, body)
    }
  }

  @Test func `messages go both ways, without an origin or with the site's own`() async throws {
    let isOpen = try await withSocket { socket in
      try await socket.send("hello")
      try await socket.expect("hello")
      try await socket.send("stop")
      let closing = try await socket.closing()
      #expect(closing?.reason == "no more")
    }
    #expect(isOpen)
  }

  @Test(arguments: [["origin": "http://evil.example"], ["sec-fetch-site": "cross-site"]])
  func `the page of another site opens none`(_ headers: [String: String]) async throws {
    #expect(try await !withSocket(headers: HTTPHeaders(headers.map { ($0, $1) })) { _ in })
  }

  @Test(arguments: ["/other", "/", "/echo/", "/app"])
  func `there is none at another path`(_ path: String) async throws {
    #expect(try await !withSocket(path) { _ in })
  }

  @Test func `a message that is too long closes the connection`() async throws {
    try await withSocket { socket in
      try await socket.send(String(repeating: "x", count: SiteSocket.messageLimit))
      try await socket.expect("\(SiteSocket.messageLimit) letters")
      // The site may close it before all is sent.
      try? await socket.send(String(repeating: "x", count: SiteSocket.messageLimit + 8_192))
      let closing = try? await socket.closing()
      #expect(closing?.code != 1000)
    }
  }
}
