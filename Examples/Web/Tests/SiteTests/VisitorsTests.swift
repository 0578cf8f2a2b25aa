import Signals
import Testing

@testable import Site

/// Who has which page, and which connection may have its patches.
@MainActor
@Suite struct `The visitors of a site` {
  private let text = Signal("text")

  private func visitors(limit: Int) -> Visitors {
    let text = text
    return Visitors(
      [SiteApp("app", title: "App", store: Store()) { { Text(text.value).element } }], limit: limit)
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
    #expect(!visitors.has(other.page, of: "app", for: other.secret))
  }
}
