import AsyncHTTPClient
import Foundation
import NIOCore
import NIOHTTP1
import NIOPosix
import Testing

/// The site as a process: what it does when it is asked to end.
@Suite(.timeLimit(.minutes(1))) struct `A site that is asked to end` {
  /// The program, beside the tests.
  private static let program = URL(filePath: CommandLine.arguments[0])
    .deletingLastPathComponent().appending(path: "web")

  @Test func `it ends although connections wait for requests, patches and messages`() async throws {
    let started = try await Program.start(
      Self.program.path, ["--port", "0"], until: "listening on 127\\.0\\.0\\.1:(\\d+)")
    let site = try #require(started)
    let page = try await LoadedPage.load("library", from: "http://127.0.0.1:\(site.port)")
    // One that has made no request, as browsers open some ahead.
    let silent = try await ClientBootstrap(group: .singletonMultiThreadedEventLoopGroup)
      .connect(host: "127.0.0.1", port: site.port).get()
    // One with server-sent events.
    var request = HTTPClientRequest(
      url: "http://127.0.0.1:\(site.port)/live/library?page=\(try page.name)&after=0")
    request.headers.add(name: "Cookie", value: page.cookie)
    let events = try await HTTPClient.shared.execute(request, timeout: .seconds(30))
    #expect(events.status == .ok)
    // And one with a socket, of another page, which is told.
    let other = try await LoadedPage.load("scrums", from: "http://127.0.0.1:\(site.port)")
    let isOpen = try await TestSocket.open(other, port: site.port) { socket in
      site.program.terminate()
      let closing = try await socket.closing()
      #expect(closing?.code == 1001)
    }
    #expect(isOpen)
    #expect(await site.program.status() == 0)
    // The events end, too.
    var received = 0
    do { for try await part in events.body { received += part.readableBytes } } catch {}
    try? await silent.close()
  }
}
