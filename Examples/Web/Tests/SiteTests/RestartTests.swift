import BrowserTesting
import Crypto
import HummingbirdTesting
import Signals
import Site
import Testing

/// What a visitor keeps when the site's process ends, and another one takes its place.
@Suite(.enabled(if: BrowserDriver.path != nil), .serialized)
struct `A site that starts again` {
  private struct Screen: View {
    @Restored("query") var query = ""
    @State private var note = ""
    @State private var count = 0

    var body: Element {
      TextField("Query", text: $query)
      TextField("Note", text: $note)
      Text("query \(query), note \(note), count \(count)")
      Button("Add") { count += 1 }
    }
  }

  /// Serves the screen, restarts the site in the middle, and serves it at the same port again.
  private func restarting(
    isScriptOff: Bool = false, newKey: Bool = false,
    _ before: @escaping @Sendable (Browser) async throws -> Void,
    then after: @escaping @Sendable (Browser) async throws -> Void
  ) async throws {
    let driver = try await BrowserDriver()
    let browser = try await driver.browser()
    let key = SymmetricKey(size: .bits256)
    func site(_ key: SymmetricKey) async -> Site {
      await Site([SiteApp("app", title: "App", store: Store()) { Screen() }], key: key)
    }
    do {
      let port = try await site(key).application(port: 0).test(.live) { client in
        let port = try #require(client.port)
        if isScriptOff {
          try await browser.tools("Emulation.setScriptExecutionDisabled", ["value": true])
        }
        try await browser.open("http://127.0.0.1:\(port)/app")
        if !isScriptOff { try await browser.expect("document.documentElement.className", "live") }
        try await before(browser)
        return port
      }
      let second = await site(newKey ? SymmetricKey(size: .bits256) : key)
      // A test of the server would choose another port.
      try await withThrowingTaskGroup { group in
        group.addTask { try await second.run(port: port) }
        try await after(browser)
        group.cancelAll()
      }
    } catch {
      try? await browser.close()
      throw error
    }
    try? await browser.close()
  }

  private static func field(_ label: String) -> String {
    "[...document.querySelectorAll('label')].find(x => x.textContent == '\(label)').control"
  }
  private static let text = "document.querySelector('p').textContent"

  @Test func `what is typed meanwhile is there, with the focus, and so are restored values`()
    async throws
  {
    let (query, note, text) = (Self.field("Query"), Self.field("Note"), Self.text)
    try await restarting { browser in
      try await browser.run("window.isSame = true; \(query).focus()")
      try await browser.press("dune")
      try await browser.click(text: "Add")
      try await browser.expect(text, "query dune, note , count 1")
      try await browser.run("\(note).focus()")
      try await browser.press("a")
      try await browser.expect(text, "query dune, note a, count 1")
    } then: { browser in
      // The connection has ended, and the page may not have noticed that the site is back.
      try await browser.press("bc")
      try await browser.expect(text, "query dune, note abc, count 0")
      try await browser.expect("\(note).value", "abc")
      try await browser.expect("document.activeElement == \(note)", "true")
      try await browser.press("d")
      try await browser.expect(text, "query dune, note abcd, count 0")
      try await browser.expect("window.isSame", "true")
    }
  }

  @Test func `without a script, the next form begins where the last page ended`() async throws {
    let (query, note, text) = (Self.field("Query"), Self.field("Note"), Self.text)
    try await restarting(isScriptOff: true) { browser in
      try await browser.run("\(query).focus()")
      try await browser.press("dune")
      try await browser.click(text: "Add")
      try await browser.expect(text, "query dune, note , count 1")
    } then: { browser in
      try await browser.run("\(note).focus()")
      try await browser.press("abc")
      try await browser.click(text: "Add")
      try await browser.expect(
        "document.querySelectorAll('p')[1]?.textContent", "query dune, note abc, count 0")
      try await browser.expect(
        "document.querySelector('[role=alert]').textContent.includes('press the button again')",
        "true")
      try await browser.click(text: "Add")
      try await browser.expect(text, "query dune, note abc, count 1")
    }
  }

  @Test func `with another key, the app begins again`() async throws {
    let (query, text) = (Self.field("Query"), Self.text)
    try await restarting(newKey: true) { browser in
      try await browser.run("window.isOld = true; \(query).focus()")
      try await browser.press("dune")
      try await browser.expect(text, "query dune, note , count 0")
    } then: { browser in
      try await browser.expect("window.isOld", "undefined")
      try await browser.expect(text, "query , note , count 0")
    }
  }
}
