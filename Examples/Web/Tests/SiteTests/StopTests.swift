import AsyncHTTPClient
import BrowserTesting
import Foundation
import Logging
import NIOCore
import NIOHTTP1
import NIOPosix
import ServiceLifecycle
import SignalsHTML
import Testing

@testable import Site

/// The site as a process: what it does when it is asked to end.
@Suite(.timeLimit(.minutes(1))) struct `A site that is asked to end` {
  @Test func `it ends although connections wait for requests, patches and messages`() async throws {
    let site = try await Program.start(
      Program.path("web"), ["--port", "0"], until: "listening on 127\\.0\\.0\\.1:(\\d+)")
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

  @Test func `what was signed before is in the file, and an open page goes on`() async throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "guests-\(UUID())").path
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let environment = [
      "GUESTS_FILE": folder, "PORT": "0",
      "SIGNALS_KEY": Data((0..<32).map { _ in UInt8.random(in: 0...255) }).base64EncodedString(),
    ]
    func start() async throws -> (program: Program, port: Int) {
      try await Program.start(
        Program.path("guests"), [], environment: environment,
        until: "listening on 127\\.0\\.0\\.1:(\\d+)")
    }
    let first = try await start()
    let page = try await LoadedPage.load("guests", from: "http://127.0.0.1:\(first.port)")
    #expect(page.html.contains("0 guests"))
    let isOpen = try await TestSocket.open(page, port: first.port) { socket in
      try await socket.send(try page.message(1, "\(try page.field("Name")).=Ada"))
      try await socket.send(try page.message(2, "do=\(try page.button("Sign"))"))
      try await socket.expect("1 guests")
    }
    #expect(isOpen)
    first.program.terminate()
    #expect(await first.program.status() == 0)
    let second = try await start()
    let other = try await LoadedPage.load("guests", from: "http://127.0.0.1:\(second.port)")
    #expect(other.html.contains("1 guests") && other.html.contains("Ada"))
    // The page that was open asks for another one, by the key that both processes have.
    var request = HTTPClientRequest(url: "http://127.0.0.1:\(second.port)/live/guests")
    request.method = .POST
    let script = HTMLScript.address.replacing("=", with: "%3D")
    request.body = .bytes(
      ByteBuffer(
        string: "token=\(try page.token)&state=\(try page.state)&open=/guests&script=\(script)"))
    let answer = try await HTTPClient.shared.execute(request, timeout: .seconds(30))
    #expect(answer.status == .ok)
  }

  @Test func `without a key, the guest book says so and ends`() async throws {
    let program = try Program(Program.path("guests"), [], environment: ["SIGNALS_KEY": "short"])
    #expect(await program.status() == 64)
  }

  @Test func `connections that don't end are cut off`() async throws {
    var site = await Site([SiteWorld().app])
    site.patience = .milliseconds(300)
    let served = site
    let port = try await freePort()
    let server = ServiceGroup(
      configuration: .init(services: [Served(site: served, port: port)], logger: Logger(label: "t"))
    )
    try await withThrowingTaskGroup { group in
      group.addTask { try await server.run() }
      // A form whose end never comes.
      let slow = try await connected(to: port)
      let head = "POST /app HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 1000\r\n\r\na"
      try await slow.writeAndFlush(ByteBuffer(string: head)).get()
      try await Task.sleep(for: .milliseconds(200))
      await server.triggerGracefulShutdown()
      try await group.waitForAll()
      try? await slow.close()
    }
  }

  private struct Served: Service {
    let site: Site
    let port: Int

    func run() async throws { try await site.run(port: port) }
  }

  private func freePort() async throws -> Int {
    let probe = try await ServerBootstrap(group: .singletonMultiThreadedEventLoopGroup)
      .bind(host: "127.0.0.1", port: 0).get()
    defer { probe.close(promise: nil) }
    return try #require(probe.localAddress?.port)
  }

  /// Connects as soon as the server listens.
  private func connected(to port: Int) async throws -> any Channel {
    while true {
      do {
        return try await ClientBootstrap(group: .singletonMultiThreadedEventLoopGroup)
          .connect(host: "127.0.0.1", port: port).get()
      } catch { try await Task.sleep(for: .milliseconds(10)) }
    }
  }
}
