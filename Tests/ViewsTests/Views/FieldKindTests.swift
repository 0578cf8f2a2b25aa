import Foundation
import Signals
import SignalsReplay
import SignalsTesting
import TestSupport
import Testing

/// Fields of several lines, passwords, radio groups, links and images, as the test host sees them.
@Suite struct `Views, kinds of fields` {
  private let text = Signal("one\ntwo"), secret = Signal(""), size = Signal("m")

  private func form() throws -> TestHost {
    let (text, secret, size) = (text, secret, size)
    return try TestHost(Store()) {
      TextEditor("Notes", text: text.binding, id: "notes")
      SecureField("Password", text: secret.binding, id: "password") { size.value = "signed in" }
      RadioGroup("Size", selection: size.binding, options: ["s", "m"], id: "size")
      Hyperlink("Home", to: "https://example.org/")
      Image("/chart.png", text: "A chart")
    }
  }

  @Test func `each kind has a form as text`() throws {
    secret.value = "äöü"
    #expect(
      try form().text == """
        Notes:
        | one
        | two
        Password: [•••]
        Size: ( ) s  (x) m
        [Home](https://example.org/)
        (image: A chart)
        """)
  }

  @Test func `a text keeps its lines, also empty ones`() throws {
    let app = try form()
    for typed in ["", "\n", "a\n\n\nb\n", "👨‍👩‍👧\r\nx"] {
      try app.type(typed, into: "notes")
      #expect(text.value == typed)
    }
    try app.type("\n", into: "notes")
    #expect(app.text.hasPrefix("Notes:\n| \n| \nPassword"))
  }

  @Test func `a password is entered and submitted, and no description of the screen has it`() throws
  {
    let app = try form()
    try app.type("hunter2", into: "password")
    try app.submit("password")
    #expect(secret.value == "hunter2" && size.value == "signed in")
    #expect(app.tree.contains("secureField #password \"Password\" = \"•••••••\""))
    #expect(!app.tree.contains("hunter2") && !app.text.contains("hunter2"))
    let error = #expect(throws: TestHostError.self) { try app.tap("passwort") }
    #expect(!"\(String(describing: error))".contains("hunter2"))
  }

  @Test func `a log of intents has no password, and is replayed with dots`() throws {
    let app = try form()
    app.host.intentLog = IntentLog(start: app.host.store.snapshot(), keepingScreens: true)
    try app.type("hunter2", into: "password")
    let log = try #require(app.host.intentLog)
    let encoded = String(decoding: try JSONEncoder().encode(log), as: UTF8.self)
    #expect(!encoded.contains("hunter2") && !"\(log)".contains("hunter2"))
    let other = try form()
    secret.value = ""
    try other.host.replay(log)
    #expect(secret.value == "•••••••")
  }

  @Test func `a refused password is replaced by the source's`() throws {
    let secret = secret
    let app = try TestHost(Store()) {
      SecureField(
        "P", text: Binding(get: { secret.value }, set: { secret.value = String($0.prefix(3)) }))
    }
    try app.type("abcd", into: "P")
    #expect(secret.value == "abc")
    #expect(app.host.frame.reasserted.count == 1)
    try app.type("xyz", into: "P")
    #expect(app.host.frame.reasserted.isEmpty)
  }

  @Test func `an option of a radio group is chosen like that of a picker`() throws {
    let app = try form()
    try app.select("s", in: "size")
    #expect(size.value == "s")
    #expect(throws: TestHostError.self) { try app.select("xl", in: "size") }
    #expect(app.text.contains("Size: (x) s  ( ) m"))
  }

  @Test func `links and images can't be used`() throws {
    let app = try form()
    #expect(app.host.focusOrder == ["notes", "password", "size"])
    #expect(throws: TestHostError.self) { try app.tap(app.find(.link)) }
  }
}

/// Dialogs and confirmations.
@Suite struct `Views, dialogs` {
  private struct Failed: Error {}
  private let isShown = Signal(false), log = Signal("")
  private let store = Store()

  private func page(_ fails: Bool = false) throws -> TestHost {
    let (isShown, log) = (isShown, log)
    return try TestHost(store) {
      TextField("Other", text: .constant(""), id: "other")
      Button("Delete", id: "delete") { isShown.value = true }
        .confirmation("Delete all?", isPresented: isShown.binding, confirm: "Delete all") {
          log.value += "deleted "
          if fails { throw Failed() }
        }
        .onKey("d") { log.value += "d " }
    }
  }

  @Test func `a confirmation covers the screen, and runs its intent once`() throws {
    let app = try page()
    try app.tap("delete")
    #expect(app.text == "Delete all?\n[Delete all]  [Cancel]")
    #expect(app.host.keys == ["escape"])
    try app.tap("Delete all")
    #expect(log.value == "deleted " && !isShown.value)
    #expect(app.text == "Other: []\n[Delete]")
  }

  @Test(arguments: [true, false]) func `it is cancelled without an effect`(_ isKey: Bool) throws {
    let app = try page()
    try app.tap("delete")
    if isKey { try app.press("escape") } else { try app.tap("Cancel") }
    #expect(log.value == "" && !isShown.value && app.host.keys == ["d"])
  }

  @Test func `it stays if its intent throws`() throws {
    let isShown = isShown
    let app = try TestHost(store) { Asking(log: log) }
    try app.tap("delete")
    #expect(throws: Asking.Failed.self) { try app.tap("Delete all") }
    #expect(app.text.hasPrefix("Delete all?"))
    _ = isShown
  }

  /// A confirmation whose flag is state of a view.
  private struct Asking: View {
    struct Failed: Error {}
    let log: Signal<String>
    @State private var asks = false

    var body: Element {
      Button("Delete", id: "delete") { asks = true }
        .confirmation("Delete all?", isPresented: $asks, confirm: "Delete all") { throw Failed() }
    }
  }

  @Test func `the focus returns to where it was`() throws {
    let app = try page()
    app.host.focus = "delete"
    try app.tap("delete")
    #expect(app.host.focus == nil)
    app.host.focus = "Cancel"
    try app.tap("Cancel")
    #expect(app.host.focus == "delete")
  }

  @Test func `the focus returns through dialogs over dialogs`() throws {
    let (first, second) = (isShown, Signal(false))
    let app = try TestHost(store) {
      Button("A", id: "a") { first.value = true }
        .dialog("One", isPresented: first.binding) {
          Button("B", id: "b") { second.value = true }
            .dialog("Two", isPresented: second.binding) { Button("C", id: "c") {} }
        }
    }
    app.host.focus = "a"
    first.value = true
    app.host.focus = "b"
    second.value = true
    app.host.focus = "c"
    second.value = false
    #expect(app.host.focus == "b")
    first.value = false
    #expect(app.host.focus == "a")
    first.value = true
    app.host.focus = "b"
    batch {
      first.value = false
      second.value = true
    }
    #expect(app.host.focus == "a")
  }

  @Test func `the focus doesn't return to what has gone`() throws {
    let isShown = isShown, isThere = Signal(true)
    let app = try TestHost(store) {
      Column {
        if isThere.value { Button("A", id: "a") {} }
        Button("B", id: "b") {}
      }
      .dialog("D", isPresented: isShown.binding) { Text("?") }
    }
    app.host.focus = "a"
    isShown.value = true
    isThere.value = false
    isShown.value = false
    #expect(app.host.focus == nil)
  }

  @Test func `a dialog that is opened again has the state of a new one`() throws {
    struct Inner: View {
      @State private var text = ""
      var body: Element { TextField("T", text: $text, id: "t") }
    }
    let isShown = isShown
    let app = try TestHost(store) {
      Text("x").dialog("D", isPresented: isShown.binding) { Inner() }
    }
    isShown.value = true
    try app.type("a", into: "t")
    #expect(app.text == "D\nT: [a]")
    isShown.value = false
    isShown.value = true
    #expect(app.text == "D\nT: []")
  }
}
