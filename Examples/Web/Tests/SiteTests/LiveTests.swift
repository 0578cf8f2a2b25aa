import BrowserTesting
import ExampleApps
import Hummingbird
import HummingbirdTesting
import Signals
import Site
import Testing

@testable import web

/// The examples' apps, as a browser with a script uses them.
@Suite(.enabled(if: BrowserDriver.path != nil), .serialized)
struct `The site in a browser` {
  @MainActor private func site() throws -> Site {
    try Site(ExampleApp.all().map(SiteApp.init))
  }

  /// Serves the site, and opens browsers.
  private func inBrowsers(
    _ count: Int = 1, _ body: @escaping @Sendable ([Browser], String) async throws -> Void
  ) async throws {
    try await site().inBrowsers(count, body)
  }

  private let rows = "document.querySelectorAll('ul.rows > li').length"
  private let field = "document.querySelector('input[type=text]')"

  @Test func `what is typed is searched for, and stays in its field`() async throws {
    try await inBrowsers { browsers, site in
      let browser = browsers[0]
      try await browser.open("\(site)/library")
      try await browser.expect("document.documentElement.className", "live")
      try await browser.expect("\(rows) > 5", "true")
      try await browser.click("input[type=text]")
      try await browser.press("dune")
      try await browser.expect(rows, "1")
      try await browser.expect("\(field).value", "dune")
      try await browser.expect("document.activeElement == \(field)", "true")
      try await browser.expect("\(field).selectionStart", "4")
    }
  }

  @Test func `what one visitor changes, the other sees, and loses nothing`() async throws {
    try await inBrowsers(2) { browsers, site in
      let (mine, other) = (browsers[0], browsers[1])
      for browser in browsers { try await browser.open("\(site)/library") }
      try await mine.expect("document.documentElement.className", "live")
      try await mine.click("input[type=text]")
      try await mine.press("un")
      try await mine.expect("\(field).value", "un")
      try await mine.run("\(field).setSelectionRange(0, 0)")
      let title = "document.querySelector('h1').textContent"
      let before: String = try await mine.value(of: title)
      try await other.click(text: "Borrow Dune")
      try await mine.expect("\(title) == '\(before)'", "false")
      try await mine.press("d")
      try await mine.expect("\(field).value", "dun")
      try await mine.expect("\(field).selectionStart", "1")
      let main = "document.querySelector('main').textContent"
      try await mine.expect("\(main).includes('Return Dune')", "true")
    }
  }

  @Test func `each screen has an address, and the browser's way back leads there`() async throws {
    try await inBrowsers { browsers, site in
      let browser = browsers[0]
      try await browser.open("\(site)/kitchen")
      try await browser.run("window.isSame = true")
      try await browser.click(text: "Menu")
      try await browser.expect("location.pathname", "/kitchen/menu")
      try await browser.click(text: "History")
      try await browser.expect("location.pathname", "/kitchen/history")
      try await browser.back()
      try await browser.expect("location.pathname", "/kitchen/menu")
      try await browser.expect("document.querySelector('input[type=text]') != null", "true")
      try await browser.press("h")
      try await browser.expect("location.pathname", "/kitchen/history")
      try await browser.expect("window.isSame", "true")
    }
  }
}
