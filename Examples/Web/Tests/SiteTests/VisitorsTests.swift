import Crypto
import Logging
import Metrics
import Signals
import SignalsHTML
import Synchronization
import Testing

@testable import Site

extension SiteMeters {
  /// Meters that nothing reads.
  static var none: SiteMeters {
    SiteMeters(logger: Logger(label: "test"), factory: NOOPMetricsHandler.instance, apps: [])
  }
}

/// A log that keeps its messages.
final class TestLog: LogHandler, Sendable {
  private let kept = Mutex<[String]>([])
  var messages: [String] { kept.withLock { $0 } }
  var metadata: Logger.Metadata {
    get { [:] }
    set {}
  }
  var logLevel: Logger.Level {
    get { .info }
    set {}
  }

  subscript(metadataKey _: String) -> Logger.Metadata.Value? {
    get { nil }
    set {}
  }

  func log(event: LogEvent) {
    kept.withLock { $0.append("\(event.message) \(event.metadata ?? [:])") }
  }
}

/// Who has which page, and which connection may have its patches.
@MainActor
@Suite(.timeLimit(.minutes(1))) struct `The visitors of a site` {
  private let text = Signal("text")

  private func visitors(limit: Int) -> Visitors {
    let text = text
    return Visitors(
      [SiteApp("app", title: "App", store: Store()) { Text(text.value) }], limit: limit,
      idleLimit: .seconds(3600), limits: HTMLLimits(), key: SymmetricKey(size: .bits256),
      meters: .none)
  }

  /// Opens a page for a new visitor, and returns its name and the visitor's secret.
  private func open(_ visitors: Visitors) throws -> (page: String, secret: String) {
    let opened = try #require(try visitors.page(of: "app", at: "/app", for: nil))
    let html = String(decoding: opened.page, as: UTF8.self)
    let name = try #require(html.firstMatch(of: /data-page="([^"]+)"/)).1
    return (String(name), opened.secret)
  }

  private func connect(
    _ visitor: (page: String, secret: String), _ visitors: Visitors
  ) throws -> PagePatches {
    try #require(visitors.patches(of: visitor.page, in: "app", for: visitor.secret, after: 0))
  }

  @Test func `a connection takes no patches once the page has connected again`() async throws {
    let visitors = visitors(limit: 10)
    let visitor = try open(visitors)
    let (old, new) = (try connect(visitor, visitors), try connect(visitor, visitors))
    text.value = "changed"
    #expect(old.next() == nil)
    #expect(new.next()?.number == 1)
    // Its changes have ended, after the one at the beginning.
    var changes = 0
    for await _ in old.changes { changes += 1 }
    #expect(changes < 2)
  }

  @Test func `a connection ends with the session of its visitor`() async throws {
    let visitors = visitors(limit: 1)
    let patches = try connect(try open(visitors), visitors)
    _ = try open(visitors)
    text.value = "changed"
    #expect(patches.next() == nil)
    var changes = 0
    for await _ in patches.changes { changes += 1 }
    #expect(changes < 2)
  }

  @Test func `a visitor who only looks isn't the first to be forgotten`() throws {
    let visitors = visitors(limit: 2)
    let looking = try connect(try open(visitors), visitors)
    let other = try open(visitors)
    _ = looking.next()
    _ = try open(visitors)
    text.value = "changed"
    #expect(looking.next() != nil)
    #expect(visitors.patches(of: other.page, in: "app", for: other.secret, after: 0) == nil)
  }

  @Test func `those who are connected are forgotten last, and after those who have returned`()
    throws
  {
    let visitors = visitors(limit: 3)
    let connected = try connect(try open(visitors), visitors)
    let returned = try open(visitors)
    _ = try visitors.page(of: "app", at: "/app", for: returned.secret)
    // Each of these comes twice.
    for _ in 0..<10 {
      let other = try open(visitors)
      _ = try visitors.page(of: "app", at: "/app", for: other.secret)
    }
    text.value = "changed"
    #expect(connected.next() != nil)
    #expect(!visitors.hasSession(of: "app", for: returned.secret))
  }

  @Test func `a path that isn't one of the app's makes no visitor`() throws {
    let visitors = visitors(limit: 1)
    let patches = try connect(try open(visitors), visitors)
    let missing = try visitors.page(of: "app", at: "/app/%zz", for: nil)
    #expect(missing == nil)
    text.value = "changed"
    #expect(patches.next() != nil)
  }

  @Test func `on a quiet site, those who are away are forgotten without another visitor`()
    async throws
  {
    let text = text
    let app = SiteApp("app", title: "App", store: Store()) { Text(text.value) }
    let visitors = Visitors(
      [app], limit: 10, idleLimit: .milliseconds(20), limits: HTMLLimits(),
      key: SymmetricKey(size: .bits256), meters: .none)
    let secret = try open(visitors).secret
    while visitors.hasSession(of: "app", for: secret) {
      try await Task.sleep(for: .milliseconds(5))
    }
  }

  @Test func `a visitor who was away too long is forgotten, and the page goes on`() async throws {
    let text = text
    let app = SiteApp("app", title: "App", store: Store()) { Text(text.value) }
    let key = SymmetricKey(size: .bits256)
    let visitors = Visitors(
      [app], limit: 10, idleLimit: .milliseconds(1), limits: HTMLLimits(),
      key: key, meters: .none)
    let visitor = try open(visitors)
    let body = try renewal(of: visitor, visitors)
    while visitors.hasSession(of: "app", for: visitor.secret) {
      try await Task.sleep(for: .milliseconds(5))
    }
    let renewed = try #require(try visitors.renew(body, in: "app", for: visitor.secret))
    #expect(renewed.secret != visitor.secret)
    let page = try #require(renewed.page)
    #expect(visitors.patches(of: page, in: "app", for: renewed.secret, after: -1)?.next() != nil)
    // The secret of another visitor doesn't give the page.
    #expect(visitors.patches(of: page, in: "app", for: visitor.secret, after: -1) == nil)
    let other = Visitors(
      [app], limit: 10, idleLimit: .seconds(9), limits: HTMLLimits(),
      key: SymmetricKey(size: .bits256), meters: .none)
    #expect(try other.renew(body, in: "app", for: nil) == nil)
  }

  private struct Notes: View {
    @Restored("notes") var notes = ""
    let text: Signal<String>
    var body: Element { Text("\(text.value), \(notes.count)").onAppear { notes = text.value } }
  }

  @Test func `a state that is too long for a page is in the log once`() throws {
    let (text, log) = (text, TestLog())
    text.value = String(repeating: "a", count: 5000)
    let app = SiteApp("app", title: "App", store: Store()) { Notes(text: text) }
    let logger = Logger(label: "test") { _ in log }
    let visitors = Visitors(
      [app], limit: 10, idleLimit: .seconds(9), limits: HTMLLimits(),
      key: SymmetricKey(size: .bits256),
      meters: SiteMeters(logger: logger, factory: NOOPMetricsHandler.instance, apps: ["app"]))
    for _ in 0..<3 {
      let html = String(
        decoding: try #require(try visitors.page(of: "app", at: "/app", for: nil)).page,
        as: UTF8.self)
      #expect(!html.contains("name=\"state\""))
    }
    #expect(log.messages.count == 1)
    #expect(log.messages.first?.contains("too long to be carried") == true)
  }

  @Test func `of many refusals, the log has one, with no text of the request`() {
    let log = TestLog()
    let meters = SiteMeters(
      logger: Logger(label: "test") { _ in log }, factory: NOOPMetricsHandler.instance,
      apps: ["app"])
    for _ in 0..<100 { meters.refuse(.malformed, by: "<script>") }
    meters.refuse(.foreign, by: "app")
    #expect(log.messages.count == 2)
    #expect(log.messages.allSatisfy { !$0.contains("script") })
    #expect(log.messages.last?.contains("foreign") == true)
    #expect(log.messages.last?.contains("app") == true)
  }

  @Test func `a request without the secret of the session forgets no other visitor`() throws {
    let visitors = visitors(limit: 1)
    let visitor = try open(visitors)
    let patches = try connect(visitor, visitors)
    _ = patches.next()
    let known = try renewal(of: visitor, visitors)
    let text = String(decoding: known, as: UTF8.self).replacing("token=", with: "token=0")
    #expect(throws: HTMLFormError.foreign) {
      try visitors.renew(Array(text.utf8), in: "app", for: nil)
    }
    self.text.value = "changed"
    #expect(patches.next() != nil)
  }

  /// The request that the script of a page makes.
  private func renewal(
    of visitor: (page: String, secret: String), _ visitors: Visitors
  ) throws -> [UInt8] {
    let opened = try #require(try visitors.page(of: "app", at: "/app", for: visitor.secret))
    let html = String(decoding: opened.page, as: UTF8.self)
    func value(_ name: String) throws -> String {
      let found = html.firstMatch(of: try Regex("name=\"\(name)\" value=\"([^\"]+)\""))
      let value = try #require(found?[1].substring)
      return String(value).replacing("+", with: "%2B").replacing("=", with: "%3D")
    }
    let script = HTMLScript.address.replacing("=", with: "%3D")
    return Array(
      "token=\(try value("token"))&state=\(try value("state"))&open=/app&script=\(script)".utf8)
  }
}
