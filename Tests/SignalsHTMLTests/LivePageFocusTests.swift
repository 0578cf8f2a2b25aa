import Signals
import Testing

@testable import SignalsHTML

// The focus on pages that a script keeps up to date.

extension `Live pages` {
  private struct Screen: View {
    @Navigation private var address
    @Focus private var focus

    var body: Element {
      Text(address == .first ? "Home" : "There").style(.title)
      Hyperlink("Go", opening: "/there")
      TextField("F", text: .constant(""), id: "f")
      Button("Focus", id: "focus") { focus = "f" }
      Text(focus ?? "none")
    }
  }

  @Test func `focus, title and address are the browser's and the app's`() throws {
    let session = HTMLSession(Store(), title: "App", path: "/app", live: "/live") { Screen() }
    let page = try ScriptedPage(session)
    try page.send(page.message(("do", try page.button("Focus"))))
    try page.update()
    let field = try page.control("F")
    #expect(page.focus === field && page.path == nil)
    let link = try #require(page.form.all.first { $0.tag == "a" }?.attributes["id"])
    try page.send(page.message(("do", "tap.\(link)")))
    try page.update()
    #expect(page.path == "/app/there" && page.title == "There – App")
    try page.send(page.message(("open", "/app"), ("focus", field.attributes["id"] ?? "")))
    try page.update()
    #expect(page.title == "Home – App" && session.host.focus == "f")
    #expect(page.form.all.contains { $0.text == "f" })
    // The browser knows the path that it has asked for.
    #expect(page.path == "/app/there")
  }

  @Test func `the focus stays in the one of several elements with an id that the user chose`()
    throws
  {
    let text = Signal("a")
    let session = session {
      Text(text.value)
      ForEach(0..<3, id: \.self) { row in
        TextField("F\(row)", text: .constant(""), id: "f")
        Button("B\(row)", id: "b") {}
      }
    }
    let page = try ScriptedPage(session)
    for (row, new) in [(1, "b"), (2, "c"), (0, "d")] {
      let field = try page.control("F\(row)")
      try page.send(page.message(("focus", field.attributes["id"] ?? "")))
      text.value = new
      try page.update()
      #expect(page.focus == nil && session.host.focus == "f")
      // Another page of the session has it there.
      let other = String(decoding: session.page(), as: UTF8.self)
      let focused = try #require(other.split(separator: "<").first { $0.contains("autofocus") })
      #expect(focused.contains("id=\"\(field.attributes["id"] ?? "")\""))
    }
    try page.send(page.message(("do", try page.button("B1"))))
    try page.update()
    #expect(page.focus?.text == "B1")
  }

  @Test func `a dialog that opens has the focus in its first field, or has it itself`() throws {
    let renames = Signal(false), asks = Signal(false), name = Signal("a")
    let session = session {
      Button("Rename") { renames.value = true }
        .dialog("New name", isPresented: renames.binding) {
          Button("Close", id: "close") { renames.value = false }
          TextField("Name", text: name.binding)
            .confirmation("Sure?", isPresented: asks.binding, confirm: "Yes") {}
        }
    }
    let page = try ScriptedPage(session)
    func focusElsewhere() -> String? {
      let tags = String(decoding: session.page(), as: UTF8.self).split(separator: "<")
      return tags.first { $0.contains("autofocus") }.map(String.init)
    }
    #expect(focusElsewhere() == nil)
    try page.send(page.message(("do", try page.button("Rename"))))
    try page.update()
    #expect(page.focus === (try page.control("Name")))
    #expect(focusElsewhere()?.hasPrefix("input") == true)
    let close = try #require(page.form.all.first { $0.text == "Close" }?.attributes["id"])
    try page.send(page.message(("focus", close)))
    name.value = "b"
    try page.update()
    #expect(session.host.focus == "close")
    asks.value = true
    try page.update()
    #expect(page.focus?.attributes["aria-label"] == "Sure?")
    #expect(focusElsewhere()?.contains("role=\"dialog\"") == true)
    asks.value = false
    try page.update()
    #expect(page.focus?.text == "Close" && session.host.focus == "close")
    renames.value = false
    try page.update()
    #expect(focusElsewhere()?.contains("Rename") == true)
  }

  @Test func `the focus returns to the element that had it, and to no other with its id`() throws {
    let asks = Signal(false), rows = Signal(Array(0..<5))
    let session = session {
      Text("Rows").confirmation("Sure?", isPresented: asks.binding, confirm: "Yes") {}
      ForEach(rows.value, id: \.self) { row in Button("B\(row)", id: "b") { asks.value = true } }
    }
    let page = try ScriptedPage(session)
    for row in [3, 1, 4] {
      try page.send(page.message(("do", try page.button("B\(row)"))))
      try page.update()
      try page.send(page.message(("do", try page.button("Cancel"))))
      try page.update()
      #expect(page.focus?.text == "B\(row)")
    }
    rows.value.removeLast()
    try page.update()
    #expect(session.host.focus == nil && page.focus == nil)
  }
}
