import BrowserTesting
import Foundation
import NIOCore
import NIOPosix
import Testing

/// The guest book behind nginx, configured as the article has it.
@Suite(
  .enabled(if: BrowserDriver.path != nil && TestCertificate.isPossible && Proxy.path != nil),
  .timeLimit(.minutes(3)))
struct `A site behind a proxy` {
  @Test func `pages stay up to date by sockets and by events, and across a restart`() async throws {
    try await withTemporaryFolder { folder in
      let port = try await Proxy.freePort()
      let origin = "https://127.0.0.1:\(port)"
      let environment = [
        "GUESTS_FILE": folder.appending(path: "store").path, "GUESTS_ORIGIN": origin,
        "SIGNALS_KEY": Data((0..<32).map { _ in UInt8.random(in: 0...255) }).base64EncodedString(),
      ]
      func start(port: Int) async throws -> (program: Program, port: Int) {
        try await Program.start(
          Program.path("guests"), [], environment: environment.merging(["PORT": "\(port)"]) { $1 },
          until: "listening on 127\\.0\\.0\\.1:(\\d+)")
      }
      let site = try await start(port: 0)
      let proxy = try await Proxy(in: folder, port: port, site: site.port)
      defer { proxy.program.terminate() }

      let driver = try await BrowserDriver()
      let (first, second) = (try await driver.browser(), try await driver.browser())
      try await second.run(
        inEachPage:
          "WebSocket = class { constructor() { setTimeout(() => this.onclose({})) } close() {} }")
      for browser in [first, second] {
        try await browser.open("\(origin)/guests")
        try await browser.expect("document.documentElement.className", "live")
      }
      func sign(_ name: String, in browser: Browser) async throws {
        try await browser.click("input[type=text]")
        try await browser.press(name)
        try await browser.click(text: "Sign")
      }
      func expect(_ count: Int) async throws {
        for browser in [first, second] {
          try await browser.expect("document.querySelector('h1').textContent", "\(count) guests")
        }
      }
      try await sign("Ada", in: first)
      try await expect(1)
      try await sign("Grace", in: second)
      try await expect(2)
      // The socket of the first page went through, and the second one has made requests.
      let requests =
        "performance.getEntriesByType('resource').filter(x => x.name.includes('/live/')).length > 0"
      try await first.expect(requests, "false")
      try await second.expect(requests, "true")
      // A page with secrets isn't compressed.
      try await first.expect(
        "performance.getEntriesByType('navigation').every(x => x.encodedBodySize == x.decodedBodySize)",
        "true")
      let found = try await first.tools("Network.getAllCookies", [:]) as? [String: Any]
      let cookie = (found?["cookies"] as? [[String: Any]])?.first
      #expect(cookie?["name"] as? String == "__Host-signals")
      #expect(cookie?["secure"] as? Bool == true)

      // What is being typed as the site ends is there when it is back.
      try await first.click("input[type=text]")
      try await first.press("Kathe")
      let state = try await first.value(of: "document.forms[0].state.value", as: String.self)
      site.program.terminate()
      #expect(await site.program.status() == 0)
      try await first.press("rine")
      let next = try await start(port: site.port)
      defer { next.program.terminate() }
      // It has another page now.
      try await first.expect("document.forms[0].state.value == '\(state)'", "false")
      try await first.expect("document.querySelector('input[type=text]').value", "Katherine")
      try await first.click(text: "Sign")
      // A press while the page is being replaced isn't used, and the page says so.
      let isMentioned = "document.querySelector('[role=alert]') != null"
      try await first.expect(
        "\(isMentioned) || document.querySelector('h1').textContent == '3 guests'", "true")
      if try await first.value(of: isMentioned, as: Bool.self) {
        try await first.click(text: "Sign")
      }
      try await expect(3)
      for browser in [first, second] { try await browser.close() }
    }
  }
}

/// nginx, in front of a site.
struct Proxy {
  static let path = ["/usr/sbin/nginx", "/usr/local/sbin/nginx"].first {
    FileManager.default.isExecutableFile(atPath: $0)
  }

  let program: Program

  /// Starts it, and waits until it listens.
  init(in folder: URL, port: Int, site: Int) async throws {
    let files = try await TestCertificate(in: folder)
    let article = try String(
      contentsOf: URL(filePath: #filePath).appending(
        path: "../../../../../Sources/SignalsHTML/SignalsHTML.docc/DeployingALiveSite.md"
      ).standardized, encoding: .utf8)
    var server = String(try #require(article.firstMatch(of: /(?s)```nginx\n(.*?)```/)).1)
    for (old, new) in [
      ("listen 443", "listen 127.0.0.1:\(port)"), ("guests.example", "localhost"),
      ("/etc/guests/chain.pem", files.chain), ("/etc/guests/key.pem", files.key),
      ("127.0.0.1:8080", "127.0.0.1:\(site)"),
    ] {
      #expect(server.contains(old))
      server.replace(old, with: new)
    }
    let user = NSUserName() == "root" ? "user root;" : ""
    let folders = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"].map {
      "\($0)_temp_path \(folder.path)/\($0);"
    }
    let configuration = folder.appending(path: "nginx.conf")
    try """
    \(user) daemon off; pid \(folder.path)/pid; error_log \(folder.path)/errors;
    events {}
    http { access_log off; gzip on; \(folders.joined(separator: " "))
    \(server) }
    """.write(to: configuration, atomically: true, encoding: .utf8)
    program = try Program(
      try #require(Proxy.path),
      ["-p", folder.path, "-e", "\(folder.path)/errors", "-c", configuration.path])
    for _ in 0..<500 {
      let connection = ClientBootstrap(group: .singletonMultiThreadedEventLoopGroup)
        .connect(host: "127.0.0.1", port: port)
      if let channel = try? await connection.get() {
        try await channel.close()
        return
      }
      try await Task.sleep(for: .milliseconds(20))
    }
    let errors = try? String(contentsOfFile: "\(folder.path)/errors", encoding: .utf8)
    Issue.record("nginx doesn't listen: \(errors ?? "")")
  }

  /// Returns a port at which nothing listens.
  static func freePort() async throws -> Int {
    let channel = try await ServerBootstrap(group: .singletonMultiThreadedEventLoopGroup)
      .bind(host: "127.0.0.1", port: 0).get()
    defer { channel.close(promise: nil) }
    return try #require(channel.localAddress?.port)
  }
}
