import AsyncHTTPClient
import Hummingbird
import HummingbirdTesting
import MetricsTestKit
import NIOCore
import NIOHTTP1
import NIOWebSocket
import Signals
import SignalsHTML
import Testing

@testable import Site

/// Sockets of pages, without a browser: what closes them, and what doesn't.
@Suite(.timeLimit(.minutes(2))) struct `Sockets of a site` {
  private let world: SiteWorld
  private let metrics = TestMetrics()

  init() async { world = await SiteWorld() }

  /// Serves a page, and uses its socket.
  ///
  /// - Returns: Whether a socket was opened.
  @discardableResult
  private func withSocket(
    limits: HTMLLimits = HTMLLimits(), silence: TimeAmount = .seconds(60), origin: String? = nil,
    _ body: @escaping @Sendable (TestSocket, LoadedPage) async throws -> Void
  ) async throws -> Bool {
    var site = await Site([world.app], limits: limits, metrics: metrics)
    site.silence = silence
    return try await site.application(port: 0).test(.live) { client in
      let port = try #require(client.port)
      let page = try await LoadedPage.load("app", from: "http://127.0.0.1:\(port)")
      return try await TestSocket.open(page, port: port, origin: origin) {
        try await body($0, page)
      }
    }
  }

  @Test func `a press arrives, and its patch comes back`() async throws {
    try await withSocket { socket, page in
      try await socket.send(try page.message(1, "do=\(try page.button("Add"))"))
      try await socket.expect("count 1")
    }
    #expect(try metrics.expectCounter("signals_messages").totalValue == 1)
    #expect(try metrics.expectCounter("signals_patches").totalValue >= 1)
    #expect(try metrics.expectRecorder("signals_patch_bytes").lastValue ?? 0 > 20)
    #expect(try metrics.expectGauge("signals_connections").values.contains(1))
  }

  @Test(arguments: [
    ("%", "the request isn't a form of a page"),
    ("token=1&page=1&n=1", "the form isn't from a page of this session"),
  ])
  func `a wrong message closes the socket, with the reason`(
    message: String, reason: String
  ) async throws {
    try await withSocket { socket, _ in
      try await socket.send(message)
      let closing = try #require(try await socket.closing())
      #expect(closing.code == 1008)
      #expect(closing.reason == reason)
    }
    let kind = message == "%" ? "malformed" : "foreign"
    #expect(try metrics.expectCounter("signals_refused", [("reason", kind)]).totalValue == 1)
    #expect(await world.presses == 0)
  }

  @Test func `a message that is too long closes the socket`() async throws {
    try await withSocket { socket, page in
      let press = "do=\(try page.button("Add"))"
      try await socket.send(
        try page.message(1, "x=\(String(repeating: "a", count: 33_000))&\(press)"))
      let closing = try #require(try await socket.closing())
      #expect(closing.code == 1008)
      #expect(closing.reason == "the request is longer than 32768 bytes")
    }
    #expect(await world.presses == 0)
    #expect(try metrics.expectCounter("signals_refused", [("reason", "tooLong")]).totalValue == 1)
  }

  @Test func `more presses than are allowed wait, and none is lost`() async throws {
    let world = world
    try await withSocket(limits: HTMLLimits(messagesPerSecond: 1, burst: 3)) { socket, page in
      let press = "do=\(try page.button("Add"))"
      let start = ContinuousClock.now
      for number in 1...5 { try await socket.send(try page.message(number, press)) }
      try await socket.expect("count 3")
      try await socket.expect("count 5")
      // The last two have to wait a second each.
      #expect(ContinuousClock.now - start > .seconds(1.9))
      #expect(await world.presses == 5)
    }
    #expect(try metrics.expectCounter("signals_messages").totalValue == 5)
  }

  @Test func `a message that isn't a text closes the socket, with the reason`() async throws {
    try await withSocket { socket, _ in
      try await socket.outbound.write(
        WebSocketFrame(
          fin: true, opcode: .binary, maskKey: [1, 2, 3, 4], data: ByteBuffer(string: "a")))
      let closing = try #require(try await socket.closing())
      #expect(closing.code == 1003)
      #expect(closing.reason == "a message is a text")
    }
  }

  @Test func `behind a proxy, no connection is used twice`() async throws {
    let site = await Site([world.app], origin: "https://app.example")
    try await site.application(port: 0).test(.live) { client in
      let port = try #require(client.port)
      for _ in 0..<2 {
        let request = HTTPClientRequest(url: "http://127.0.0.1:\(port)/app")
        let answer = try await HTTPClient.shared.execute(request, timeout: .seconds(20))
        #expect(answer.headers["connection"] == ["close"])
      }
    }
  }

  @Test func `a browser that doesn't answer is given up`() async throws {
    try await withSocket(silence: .seconds(8)) { socket, _ in
      let closing = try await socket.closing()
      #expect(closing == nil)
    }
  }

  @Test func `another site gets no socket`() async throws {
    #expect(try await !withSocket(origin: "http://evil.example") { _, _ in })
    #expect(try await withSocket { _, _ in })
  }

  @Test(arguments: ["h2c", "websocket", "websocket, h2c"])
  func `a request that asks for another protocol is answered in this one`(
    wish: String
  ) async throws {
    try await Site([world.app]).application(port: 0).test(.live) { client in
      let port = try #require(client.port)
      for path in ["app", "live/app?page=1"] {
        var request = HTTPClientRequest(url: "http://127.0.0.1:\(port)/\(path)")
        request.headers.add(name: "Upgrade", value: wish)
        request.headers.add(name: "Connection", value: "Upgrade")
        let answer = try await HTTPClient.shared.execute(request, timeout: .seconds(20))
        #expect(answer.status == (path == "app" ? .ok : .gone))
      }
    }
  }
}
