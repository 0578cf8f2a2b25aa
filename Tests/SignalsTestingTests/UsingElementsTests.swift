import Signals
import SignalsTesting
import TestSupport
import Testing

/// All that a test can do with elements, and what refuses.
@Suite struct `Test host, using elements` {
  private func screen() throws -> (app: TestHost, log: Count, names: Signal<[String]>) {
    let log = Count(), names = Signal(["a", "b", "c"]), text = Signal("")
    let app = try TestHost(Store()) {
      TextField("Name", text: text.binding, id: "name") {
        log.log.append("submitted \(text.value)")
      }
      TextField("Plain", text: text.binding, id: "plain")
      ListBox(
        id: "list",
        onMove: { from, to in
          let moved = from.map { names.value[$0] }
          var rest: [String?] = names.value
          for offset in from { rest[offset] = nil }
          names.value =
            rest[..<to].compactMap { $0 } + moved + rest[to...].compactMap { $0 }
        }
      ) {
        ForEach(names.value, id: \.self) { name in
          Row {
            Text(name)
            Button("Drop") { names.value.removeAll { $0 == name } }
          }
        }
      }
      Column {
        Text("inner").onKey("q") { log.log.append("inner") }
        Text("off").onKey("x") {}.disabled()
        Text("gone", id: "gone").onKey("h") {}.hidden()
      }
      .onKey("q") { log.log.append("outer") }
      .onKey(.escape) { log.log.append("escape") }
    }
    return (app, log, names)
  }

  @Test func `a text field is submitted`() throws {
    let (app, log, _) = try screen()
    try app.type("Emma", into: "name")
    try app.submit("name")
    #expect(log.log == ["submitted Emma"])
    let wrong = HostError.wrongInput("plain", kind: .textField, .submit)
    #expect(throws: TestHostError(error: wrong, screen: app.text)) { try app.submit("plain") }
    #expect(wrong.description == #"the element "plain" is a textField and can't take submit"#)
  }

  @Test func `a row is moved to where it then stands`() throws {
    let (app, _, names) = try screen()
    try app.move(from: 0, to: 2, in: "list")
    #expect(names.value == ["b", "c", "a"])
    try app.move(from: 2, to: 0, in: "list")
    #expect(names.value == ["a", "b", "c"])
    try app.move(from: 1, to: 1, in: "list")
    try app.move([0, 1], toOffset: 3, in: "list")
    #expect(names.value == ["c", "a", "b"])
    let missing = HostError.noRow("list", offset: 3, count: 3)
    #expect(throws: TestHostError(error: missing, screen: app.text)) {
      try app.move(from: 3, to: 0, in: "list")
    }
    #expect(missing.description == #"the element "list" has 3 rows, and no place 3"#)
  }

  @Test func `a key runs the innermost that is bound to it and enabled`() throws {
    let (app, log, _) = try screen()
    try app.press("q")
    try app.press(.escape)
    #expect(log.log == ["inner", "escape"])
    #expect(app.host.keys == ["q", .escape])
    let unbound = HostError.noKey("h", keys: ["q", "escape"])
    #expect(throws: TestHostError(error: unbound, screen: app.text)) { try app.press("h") }
    #expect(
      unbound.description == #"the key "h" is bound to nothing on screen; bound are: q, escape"#)
    let disabled = HostError.disabledKey("x")
    #expect(throws: TestHostError(error: disabled, screen: app.text)) { try app.press("x") }
    #expect(disabled.description == #"what the key "x" is bound to is disabled"#)
  }

  @Test func `a key of an async intent is refused`() throws {
    let app = try TestHost(Store()) { Text("note").onKey("l") { await Task.yield() } }
    let refusal = HostError.asyncKey("l")
    #expect(throws: refusal) { try app.press("l") }
    #expect(refusal.description == #"the key "l" is bound to an async intent: use performAsync"#)
  }

  @Test func `bindings of keys draw nothing`() throws {
    let (app, _, _) = try screen()
    #expect(
      app.text == """
        Name: []
        Plain: []
        a  [Drop]
        b  [Drop]
        c  [Drop]
        inner
        off
        """)
  }

  @Test func `what was found is used, whatever its id`() throws {
    let (app, _, names) = try screen()
    let drops = app.elements { $0.text == "Drop" }
    try app.tap(drops[1])
    #expect(names.value == ["a", "c"])
    #expect(throws: TestHostError.self) { try app.tap(drops[1]) }
    #expect(throws: TestHostError.self) { try app.tap(try app.find(.text, text: "a")) }
  }

  @Test func `hidden and disabled elements refuse, and show the screen`() throws {
    let app = try TestHost(Store()) {
      Button("Off", id: "off") {}.disabled()
      Button("Gone", id: "gone") {}.hidden()
    }
    let texts = ["off", "gone"].map { id in
      do {
        try app.tap(id)
        return ""
      } catch { return "\(error)" }
    }
    #expect(
      texts == [
        "the element \"off\" is disabled; on screen:\n[Off]",
        "the element \"gone\" is hidden; on screen:\n[Off]",
      ])
  }

  @Test func `an element is found by its label, a part of its text, or a condition`() throws {
    let (app, _, _) = try screen()
    #expect(try app.find(label: "Plain").id == "plain")
    #expect(try app.find(containing: "inn").text == "inner")
    #expect(try app.find { $0.kind == .listBox }.id == "list")
    let screen = app.text
    #expect(
      throws: TestHostError(
        error: .noElement("label \"Plan\"", nearest: ["Name", "Plain", "a"]), screen: screen)
    ) { try app.find(label: "Plan") }
    #expect(throws: TestHostError(error: .ambiguousElement("label \"Drop\""), screen: screen)) {
      try app.find(label: "Drop")
    }
    #expect(
      throws: TestHostError(error: .noElement("text with \"zzz\"", nearest: []), screen: screen)
    ) { try app.find(containing: "zzz") }
    #expect(throws: TestHostError.self) { try app.find { _ in false } }
  }

  @Test func `the latest frames are kept`() throws {
    let number = Signal(0)
    let app = try TestHost(Store(), historyLimit: 3) { Text("\(number.value)") }
    #expect(app.history == ["0"])
    for next in 1...9 { number.value = next }
    #expect((app.history, app.frames) == (["7", "8", "9"], 10))
  }

  @Test func `two users look at one store`() throws {
    let (store, notes) = try notes(1)
    func user(_ name: String) throws -> TestHost {
      try TestHost(store, named: name) {
        Text(notes[0].title)
        Button("Sign", id: "sign") { notes[0].title += " \(name)" }
      }
    }
    let (ann, ben) = (try user("Ann"), try user("Ben"))
    try ann.tap("sign")
    try ben.tap("sign")
    #expect(ann.text == "note 0 Ann Ben\n[Sign]")
    #expect(ann.history == ben.history)
    let error = #expect(throws: TestHostError.self) { try ben.tap("sing") }
    #expect(
      error?.description == """
        no element with the id "sing" is on screen; nearest: sign; on the screen of Ben:
        note 0 Ann Ben
        [Sign]
        """)
  }
}
