// A visitor without a browser: the page is loaded, its socket opened, and patches are counted.

import AsyncHTTPClient
import NIOCore
import NIOHTTP1
import NIOPosix
import NIOWebSocket
import Site
import Synchronization

/// When patches have reached how many visitors.
final class Arrivals: Sendable {
  private struct State {
    /// The number of visitors that a round has reached, and the time of the last.
    var rounds: [Int: (count: Int, last: ContinuousClock.Instant)] = [:]
  }
  private let state = Mutex(State())

  func arrive(_ round: Int) {
    let now = ContinuousClock.now
    state.withLock { $0.rounds[round] = (($0.rounds[round]?.count ?? 0) + 1, now) }
  }

  /// Waits until a round has reached a number of visitors.
  @discardableResult
  func wait(for count: Int, of round: Int) async throws -> ContinuousClock.Instant {
    while true {
      if let found = state.withLock({ $0.rounds[round] }), found.count >= count {
        return found.last
      }
      try await Task.sleep(for: .milliseconds(1))
    }
  }
}

/// A visitor who is connected.
struct Visitor: Sendable {
  private let channel: any Channel

  func close() { channel.close(promise: nil) }

  /// Loads a page, and opens its socket.
  static func connect(port: Int, isReading: Bool, _ arrivals: Arrivals) async throws -> Visitor {
    let request = HTTPClientRequest(url: "http://127.0.0.1:\(port)/board")
    let response = try await HTTPClient.shared.execute(request, timeout: .seconds(60))
    let html = String(buffer: try await response.body.collect(upTo: 1_000_000))
    let cookie = response.headers["set-cookie"].first ?? ""
    guard let page = html.firstMatch(of: /data-page="([^"]+)"/)?.1 else { throw LoadError.noPage }
    let head = HTTPRequestHead(
      version: .http1_1, method: .GET, uri: "/live/board?page=\(page)&after=0",
      headers: [
        "host": "127.0.0.1:\(port)", "origin": "http://127.0.0.1:\(port)",
        "cookie": String(cookie.prefix { $0 != ";" }),
      ])
    let upgrade = try await ClientBootstrap(group: .singletonMultiThreadedEventLoopGroup).connect(
      host: "127.0.0.1", port: port
    ) { channel in
      channel.eventLoop.makeCompletedFuture {
        let upgrader = NIOTypedWebSocketClientUpgrader<(any Channel)?> { channel, _ in
          channel.eventLoop.makeCompletedFuture {
            try channel.pipeline.syncOperations.addHandler(PatchCounter(arrivals))
            return channel
          }
        }
        let configuration = NIOTypedHTTPClientUpgradeConfiguration<(any Channel)?>(
          upgradeRequestHead: head, upgraders: [upgrader]
        ) { $0.eventLoop.makeSucceededFuture(nil) }
        return try channel.pipeline.syncOperations.configureUpgradableHTTPClientPipeline(
          configuration: .init(upgradeConfiguration: configuration))
      }
    }
    guard let channel = try await upgrade.get() else { throw LoadError.noSocket }
    if isReading {
      arrivals.arrive(0)
    } else {
      try await channel.setOption(.autoRead, value: false).get()
    }
    return Visitor(channel: channel)
  }
}

enum LoadError: Error { case noPage, noSocket }

/// Counts the patches that a visitor gets, by the number that they show.
private final class PatchCounter: ChannelInboundHandler {
  typealias InboundIn = WebSocketFrame
  typealias OutboundOut = WebSocketFrame
  private let arrivals: Arrivals

  init(_ arrivals: Arrivals) { self.arrivals = arrivals }

  /// Returns the number that a patch shows; it costs less than the patch, which is what is measured.
  private static func round(in bytes: ByteBufferView) -> Int? {
    guard let range = bytes.firstRange(of: Array("round ".utf8)) else { return nil }
    let digits = bytes[range.upperBound...].prefix { 48...57 ~= $0 }
    return digits.reduce(0) { $0 * 10 + Int($1 - 48) }
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    let frame = unwrapInboundIn(data)
    switch frame.opcode {
    case .text:
      if let round = PatchCounter.round(in: frame.data.readableBytesView) { arrivals.arrive(round) }
    case .ping:
      let pong = WebSocketFrame(fin: true, opcode: .pong, maskKey: [0, 1, 2, 3], data: frame.data)
      context.writeAndFlush(wrapOutboundOut(pong), promise: nil)
    default: break
    }
  }
}

extension Site {
  /// Serves the site at some port, while something uses it.
  @MainActor func serving(_ body: @MainActor (Int) async throws -> Void) async throws {
    // A free port; another process may take it before the site does, and then this one ends.
    let probe = try await ServerBootstrap(group: .singletonMultiThreadedEventLoopGroup)
      .bind(host: "127.0.0.1", port: 0).get()
    let port = probe.localAddress?.port ?? 0
    try await probe.close()
    let server = Task { try await run(port: port) }
    // The first visitor waits for the server.
    for _ in 0..<100 {
      do {
        let request = HTTPClientRequest(url: "http://127.0.0.1:\(port)/")
        _ = try await HTTPClient.shared.execute(request, timeout: .seconds(1))
        break
      } catch { try await Task.sleep(for: .milliseconds(50)) }
    }
    try await body(port)
    server.cancel()
    _ = try? await server.value
  }
}
