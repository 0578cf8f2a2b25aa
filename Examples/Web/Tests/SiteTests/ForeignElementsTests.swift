import BrowserTesting
import Signals
import Site
import Testing

/// A page in which something else, such as an extension that translates it, has changed elements.
@Suite(.enabled(if: BrowserDriver.path != nil), .serialized)
struct `A page that others change` {
  @MainActor private final class World {
    let text = Signal("long")
    let rows = Signal([0, 1, 2, 3])

    var app: SiteApp {
      let (text, rows) = (text, rows)
      return SiteApp("app", title: "App", store: Store()) {
        Text(text.value)
        ForEach(rows.value, id: \.self) { Text("row \($0)") }
      }
    }
  }

  @Test func `it has the texts and rows of the app all the same`() async throws {
    let world = await World()
    let site = await Site([world.app])
    try await site.inBrowsers { browsers, address in
      let browser = browsers[0]
      try await browser.open("\(address)/app")
      try await browser.expect("document.documentElement.className", "live")
      let text = "document.querySelector('main > p').textContent"
      // As some parsers do with long texts.
      try await browser.run("document.querySelector('main > p').firstChild.splitText(2)")
      await MainActor.run { world.text.value = "short" }
      try await browser.expect(text, "short")
      try await browser.run(
        "document.querySelector('main > p').innerHTML = '<font><font>kurz</font></font>'")
      await MainActor.run { world.text.value = "shorter" }
      try await browser.expect(text, "shorter")
      // What is between rows that go together goes with them, and no row stays in its place.
      try await browser.run(
        "document.querySelectorAll('li')[1].after(document.createElement('aside'))")
      await MainActor.run { world.rows.value = [0, 3] }
      try await browser.expect("document.querySelector('ul').textContent", "row 0row 3")
      try await browser.expect("document.querySelectorAll('aside').length", "0")
    }
  }
}
