import AsyncHTTPClient
import Hummingbird
import HummingbirdTesting
import Logging
import MetricsTestKit
import NIOCore
import NIOHTTP1
import Signals
import SignalsHTML
import Testing

@testable import Site

/// What a site refuses, what it says of it, and that nothing of it reaches the graph.
@Suite struct `What a site refuses` {
  private let world: SiteWorld
  private let metrics = TestMetrics()

  init() async { world = await SiteWorld() }

  private func site(
    origin: String? = nil, limits: HTMLLimits = HTMLLimits(), visitorLimit: Int = 10
  ) async -> Site {
    await Site(
      [world.app], origin: origin, visitorLimit: visitorLimit, limits: limits, metrics: metrics)
  }

  /// Loads the page of a new visitor.
  private func load(
    _ client: some TestClientProtocol, headers: HTTPFields = [:]
  ) async throws -> LoadedPage {
    let answer = try await client.execute(uri: "/app", method: .get, headers: headers) { $0 }
    #expect(answer.status == .ok)
    let cookie = String((answer.headers[.setCookie] ?? "").prefix { $0 != ";" })
    return LoadedPage(app: "app", html: String(buffer: answer.body), cookie: cookie)
  }

  private func post(
    _ body: String, to uri: String, _ client: some TestClientProtocol, cookie: String
  ) async throws -> TestResponse {
    try await client.execute(
      uri: uri, method: .post, headers: [.cookie: cookie], body: ByteBuffer(string: body)
    ) { $0 }
  }

  /// The number of requests that were refused for a reason.
  private func refused(_ reason: String) -> Int64 {
    (try? metrics.expectCounter("signals_refused", [("reason", reason)]).totalValue) ?? 0
  }

  @Test(arguments: ["/app", "/live/app"])
  func `a request that isn't a form, or another's, is counted and does nothing`(
    path: String
  ) async throws {
    let (world, refused) = (world, refused)
    try await site().application(port: 0).test(.router) { client in
      let (mine, other) = (try await load(client), try await load(client))
      let uri = path == "/app" ? path : "\(path)?page=\(try mine.name)"
      let press = "do=\(try mine.button("Add"))"
      for (body, status, reason) in [
        ("%", HTTPResponse.Status.badRequest, "malformed"),
        (try mine.message(1, "do=nothing"), .badRequest, "malformed"),
        (try mine.message(1, press).replacing("token=", with: "token=0"), .forbidden, "foreign"),
        ("token=\(try other.token)&page=\(try mine.name)&n=1&\(press)", .forbidden, "foreign"),
      ] {
        let before = refused(reason)
        let answer = try await post(body, to: uri, client, cookie: mine.cookie)
        #expect(answer.status == status, "\(body)")
        #expect(refused(reason) == before + 1, "\(body)")
      }
      #expect(await world.presses == 0)
      _ = try await post(try mine.message(1, press), to: uri, client, cookie: mine.cookie)
      #expect(await world.presses == 1)
    }
    #expect(try metrics.expectCounter("signals_messages").totalValue == 1)
  }

  @Test func `a page belongs to its visitor`() async throws {
    let (world, refused) = (world, refused)
    try await site().application(port: 0).test(.router) { client in
      let (mine, other) = (try await load(client), try await load(client))
      let message = try mine.message(1, "do=\(try mine.button("Add"))")
      for cookie in [other.cookie, "", "signals=", "signals=0-0"] {
        let uri = "/live/app?page=\(try mine.name)"
        let answer = try await post(message, to: uri, client, cookie: cookie)
        #expect(answer.status == .gone)
        let patches = try await client.execute(
          uri: uri, method: .get, headers: [.cookie: cookie]
        ) { $0 }
        #expect(patches.status == .gone)
      }
      #expect(await world.presses == 0)
      #expect(refused("unknownPage") == 8)
    }
  }

  @Test func `a message and a form have a greatest length`() async throws {
    let world = world
    let limits = HTMLLimits(messageLength: 2000, formLength: 5000)
    try await site(limits: limits).application(port: 0).test(.router) { client in
      let page = try await load(client)
      let fields = "\(try page.field("Text")).=\(String(repeating: "a", count: 3000))"
      let press = "do=\(try page.button("Add"))"
      let live = "/live/app?page=\(try page.name)"
      for (uri, fields) in [(live, fields), ("/app", "\(fields)&x=\(fields)")] {
        let body = try page.message(1, "\(fields)&\(press)")
        #expect(
          try await post(body, to: uri, client, cookie: page.cookie).status == .contentTooLarge)
      }
      #expect(await world.presses == 0)
      #expect(await world.length == 0)
      // As a form, the text isn't too long.
      let body = try page.message(1, "\(fields)&\(press)")
      #expect(try await post(body, to: "/app", client, cookie: page.cookie).status == .seeOther)
      #expect(await world.presses == 1)
      #expect(await world.length == 3000)
    }
    #expect(refused("tooLong") == 2)
  }

  @Test func `requests beyond a burst are answered by when to try again`() async throws {
    let (world, refused) = (world, refused)
    let limits = HTMLLimits(messagesPerSecond: 1, burst: 3)
    try await site(limits: limits).application(port: 0).test(.router) { client in
      let page = try await load(client)
      let body = "token=\(try page.token)&do=\(try page.button("Add"))"
      // On a slow machine, some may be used before the burst is.
      var used = 0
      var answer = try await post(body, to: "/app", client, cookie: page.cookie)
      while answer.status == .seeOther {
        used += 1
        answer = try await post(body, to: "/app", client, cookie: page.cookie)
      }
      #expect(used >= 3)
      #expect(answer.status == .tooManyRequests)
      #expect(answer.headers[.retryAfter] == "1")
      #expect(refused("tooMany") == 1)
      #expect(await world.presses == used)
    }
  }

  @Test func `a visitor's cookie is for the site alone, and has 128 random bits`() async throws {
    try await site().application(port: 0).test(.router) { client in
      let answer = try await client.execute(uri: "/app", method: .get) { $0 }
      let cookie = try #require(answer.headers[.setCookie])
      #expect(cookie.contains("; HttpOnly") && cookie.contains("; SameSite=Lax"))
      #expect(cookie.contains("; Path=/") && !cookie.contains("Secure"))
      let words = cookie.drop { $0 != "=" }.dropFirst().prefix { $0 != ";" }.split(separator: "-")
      #expect(words.count == 2 && words.allSatisfy { UInt64($0, radix: 36) != nil })
    }
  }

  @Test func `with an origin of its own, a site compares with that, and its cookie is secure`()
    async throws
  {
    let refused = refused
    try await site(origin: "https://app.example").application(port: 0).test(.router) { client in
      let first = try await client.execute(uri: "/app", method: .get) { $0 }
      let cookie = try #require(first.headers[.setCookie])
      #expect(cookie.hasPrefix("__Host-signals=") && cookie.contains("; Secure"))
      #expect(cookie.contains("; Path=/") && !cookie.contains("Domain"))
      let page = try await load(client)
      let form = ByteBuffer(string: "token=\(try page.token)&do=\(try page.button("Add"))")
      for (origin, status) in [
        ("https://app.example", HTTPResponse.Status.seeOther), ("http://localhost", .forbidden),
        ("http://app.example", .forbidden), ("https://app.example.evil", .forbidden),
      ] {
        let headers: HTTPFields = [.cookie: page.cookie, .origin: origin]
        let answer = try await client.execute(
          uri: "/app", method: .post, headers: headers, body: form
        ) { $0 }
        #expect(answer.status == status, "\(origin)")
      }
      #expect(refused("origin") == 3)
    }
  }

  @Test(arguments: [
    ("https://App.Example/", "https://app.example"),
    ("https://app.example:443", "https://app.example"),
    ("http://app.example:80", "http://app.example"), ("http://[::1]:8080", "http://[::1]:8080"),
  ])
  func `an origin is compared as browsers write it`(text: String, written: String) throws {
    let origin = try SiteOrigin(text, host: "127.0.0.1", isSecure: false)
    #expect(origin.isOwn(origin: written, place: nil, host: nil))
    #expect(!origin.isOwn(origin: written + "0", place: nil, host: nil))
    #expect(origin.isKnown(host: "anything"))
  }

  @Test(arguments: [
    "app.example", "ftp://app.example", "https://app.example/path", "https://", "a b",
  ])
  func `what isn't an origin is named when the site is served`(text: String) async throws {
    let site = await site(origin: text)
    #expect(throws: SiteError.origin(text)) { try site.application(port: 0) }
    #expect(
      "\(SiteError.origin(text))" == "\"\(text)\" isn't an origin, such as https://library.example")
  }

  @Test func `an origin that a policy hides is that of the site if the browser says so`() throws {
    let origin = try SiteOrigin(nil, host: "0.0.0.0", isSecure: false)
    #expect(origin.isOwn(origin: "null", place: "same-origin", host: "a"))
    #expect(!origin.isOwn(origin: "null", place: nil, host: "a"))
    #expect(!origin.isOwn(origin: "null", place: "none", host: "a"))
  }

  @Test func `a site for this machine has no other name`() async throws {
    try await site().application(port: 0).test(.live) { client in
      let port = try #require(client.port)
      for (host, status) in [
        ("evil.example", HTTPResponseStatus.misdirectedRequest), ("localhost", .ok),
        ("127.0.0.1:\(port)", .ok), ("[::1]:80", .ok),
        ("localhost.evil.example", .misdirectedRequest),
      ] {
        var request = HTTPClientRequest(url: "http://127.0.0.1:\(port)/app")
        request.headers.replaceOrAdd(name: "Host", value: host)
        let answer = try await HTTPClient.shared.execute(request, timeout: .seconds(20))
        #expect(answer.status == status, "\(host)")
      }
    }
  }

  @Test func `a monitor may ask for the head of a page alone`() async throws {
    try await site().application(port: 0).test(.router) { client in
      let answer = try await client.execute(uri: "/app", method: .head) { $0 }
      #expect(answer.status == .ok)
    }
  }

  @Test func `without a session, a body is limited as those of lost pages need it`() async throws {
    try await site().application(port: 0).test(.router) { client in
      let page = try await load(client)
      let body = "x=\(String(repeating: "a", count: 200_000))"
      #expect(try await post(body, to: "/app", client, cookie: "").status == .contentTooLarge)
      #expect(try await post(body, to: "/app", client, cookie: page.cookie).status == .forbidden)
    }
    #expect(refused("tooLong") == 1)
  }

  @Test func `a site has another stylesheet if it is given one, and titles are texts`() async throws
  {
    let app = await SiteApp("app", title: "Tom & <b>", store: Store()) { Text("a") }
    let site = await Site([app], stylesheet: "p { color: red }")
    try await site.application(port: 0).test(.router) { client in
      let sheet = try await client.execute(uri: "/signals.css", method: .get) { $0 }
      #expect(String(buffer: sheet.body) == "p { color: red }")
      let front = try await client.execute(uri: "/", method: .get) { $0 }
      #expect(String(buffer: front.body).contains("Tom &amp; &lt;b>"))
    }
  }

  @Test func `an app whose name is none of an address is named`() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      _ = await SiteApp("live", title: "", store: Store()) { Text("") }
    }
    let said = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    #expect(said.contains("letters, digits, - and _, and not live or files; not live"))
  }

  @Test func `patches aren't given to a page of another site`() async throws {
    try await site().application(port: 0).test(.router) { client in
      let page = try await load(client)
      let headers: HTTPFields = [.cookie: page.cookie, .origin: "http://evil.example"]
      let answer = try await client.execute(
        uri: "/live/app?page=\(try page.name)", method: .get, headers: headers
      ) { $0 }
      #expect(answer.status == .forbidden)
      // But anyone may link to a page.
      let link: HTTPFields = [.cookie: page.cookie]
      #expect(
        try await client.execute(uri: "/app", method: .get, headers: link) { $0 }.status == .ok)
    }
  }

  @Test func `a flood of requests without a cookie drives away no visitor who has returned`()
    async throws
  {
    let metrics = metrics
    try await site(visitorLimit: 5).application(port: 0).test(.router) { client in
      let page = try await load(client)
      _ = try await load(client, headers: [.cookie: page.cookie])
      for _ in 0..<20 { _ = try await load(client) }
      let body = "token=\(try page.token)&do=\(try page.button("Add"))"
      #expect(try await post(body, to: "/app", client, cookie: page.cookie).status == .seeOther)
      #expect(try metrics.expectGauge("signals_visitors").lastValue == 5)
      #expect(
        try metrics.expectCounter("signals_forgotten", [("reason", "limit")]).totalValue == 16)
    }
  }
}
