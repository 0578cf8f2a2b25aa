import BrowserTesting
import Signals
import Testing

@testable import Site

// Keys, compositions and dialogs on a page in a browser.

extension `A page in a browser` {
  @Test
  func `a text that is being composed isn't sent, nor changed by others, until it is complete`()
    async throws
  {
    try await inBrowser { browser, world, _ in
      try await browser.run("\(field("row 1")).select()")
      for text in ["k", "か", "かn", "かん"] {
        let end = text.utf16.count
        try await browser.tools(
          "Input.imeSetComposition", ["text": text, "selectionStart": end, "selectionEnd": end])
        await MainActor.run {
          world.texts[1].value = "theirs"
          world.texts[2].value = text
        }
        try await browser.expect("\(field("row 2")).value", text)
        try await browser.expect("\(field("row 1")).value", text)
        #expect(await MainActor.run { world.texts[1].value } == "theirs")
      }
      try await browser.tools("Input.insertText", ["text": "漢"])
      try await expect("漢") { world.texts[1].value }
      try await browser.expect("\(field("row 1")).value", "漢")
    }
  }

  private struct SubmitScreen: View {
    let world: World

    var body: Element {
      TextField("Name", text: world.short.binding, onSubmit: { world.count.value += 1 })
      Hyperlink("Away", opening: "/away").disabled()
      Text("submitted \(world.count.value)")
    }
  }

  @Test func `return ends a composition, and submits without one`() async throws {
    let world = World()
    try await inBrowser({ SubmitScreen(world: world).element }) { browser, _ in
      func enter(_ code: Int) async throws {
        let key = "{key: 'Enter', keyCode: \(code), bubbles: true, cancelable: true}"
        try await browser.run(
          "\(field("Name")).dispatchEvent(new KeyboardEvent('keydown', \(key)))")
      }
      try await enter(229)
      try await enter(13)
      // A text that is entered later says that all messages have arrived.
      try await browser.run("document.querySelector('a').click()")
      try await browser.run("\(field("Name")).select()")
      try await browser.press("typed")
      try await expect("typed") { world.short.value }
      try await browser.expect("document.querySelector('p').textContent", "submitted 1")
      try await browser.expect("document.querySelector('[role=alert]')", "null")
    }
  }

  /// The data of a screen with dialogs, used on the main actor alone.
  private final class Dialogs: @unchecked Sendable {
    let (renames, asks) = (Signal(false), Signal(false))
    let name = Signal("Ada")
    let downs = Signal(0)
  }

  private struct DialogScreen: View {
    let dialogs: Dialogs

    var body: Element {
      Button("Rename", id: "rename") { dialogs.renames.value = true }
        .dialog("New name", isPresented: dialogs.renames.binding) {
          Button("Close") { dialogs.renames.value = false }
          TextField("Name", text: dialogs.name.binding)
        }
        .dialog("Sure?", isPresented: dialogs.asks.binding) {
          Button("Yes") { dialogs.asks.value = false }
            .onKey("down") { dialogs.downs.value += 1 }
        }
      Button("Delete", id: "delete") { dialogs.asks.value = true }
    }
  }

  @Test func `a dialog that opens has the focus, and returns it`() async throws {
    let dialogs = Dialogs()
    try await inBrowser({ DialogScreen(dialogs: dialogs).element }) { browser, _ in
      try await browser.click(text: "Rename")
      try await browser.expect("document.activeElement == \(field("Name"))", "true")
      try await browser.run("document.activeElement.select()")
      try await browser.press("Emma")
      try await expect("Emma") { dialogs.name.value }
      try await browser.click(text: "Close")
      try await browser.expect("document.activeElement.textContent", "Rename")
      try await browser.click(text: "Delete")
      try await browser.expect("document.activeElement.ariaLabel", "Sure?")
      // The dialog itself does nothing with return and space, whose messages would be here before that of the arrow.
      try await browser.press("\u{E007} \u{E015}")
      try await expect("1") { "\(dialogs.downs.value)" }
      #expect(await MainActor.run { dialogs.asks.value })
      try await browser.click(text: "Yes")
      try await browser.expect("document.activeElement.textContent", "Delete")
    }
  }
}
