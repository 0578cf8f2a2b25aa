import Signals
import SignalsTesting
import TestSupport
import Testing

/// `hidden`: off the screen, and alive.
@Suite struct `Views, hidden` {
  @Test func `hidden content is not drawn, and keeps its state and its life`() throws {
    let isHidden = Signal(false), journal = Journal()
    let app = try TestHost(Store()) {
      Noted(name: "a", journal: journal).hidden(isHidden.value)
      Text("end")
    }
    try app.tap("a")
    isHidden.value = true
    #expect(app.text == "end")
    isHidden.value = false
    #expect((app.text, journal.entries) == ("[a 1]\nend", ["+a"]))
  }

  @Test func `it does not run a body to hide a view, or to show it again`() throws {
    struct Leaf: View {
      let count: Count
      var body: Element {
        let _ = count.value += 1
        Text("leaf")
      }
    }
    let isHidden = Signal(false), count = Count()
    let app = try TestHost(Store()) { Leaf(count: count).hidden(isHidden.value) }
    isHidden.value = true
    isHidden.value = false
    #expect((app.text, count.value) == ("leaf", 1))
  }

  @Test func `hidden elements refuse by name`() throws {
    let app = try TestHost(Store()) {
      Column {
        Button("a") {}
        ForEach(0..<2, id: \.self) { Button("row \($0)") {} }
      }.hidden()
      Button("b") {}
    }
    let host = app.host
    #expect(throws: HostError.hidden("a")) { try host.perform("a") }
    #expect(!app.exists("a"))
    #expect(throws: HostError.noElement("row 1", nearest: ["b"])) { try host.perform("row 1") }
    #expect(HostError.hidden("a").description == #"the element "a" is hidden"#)
  }

  @Test func `rows in hidden content are not made`() throws {
    let isHidden = Signal(true), count = Count()
    let app = try TestHost(Store()) {
      Column {
        ForEach(0..<3, id: \.self) { row in Text("\(row)").onAppear { count.value += 1 } }
      }.hidden(isHidden.value)
    }
    #expect((app.text, app.bodies, count.value) == ("", 1, 0))
    isHidden.value = false
    #expect((app.text, count.value) == ("0\n1\n2", 3))
  }

  @Test func `a disabled element stays on screen and refuses`() throws {
    let isDisabled = Signal(true), count = Count()
    let app = try TestHost(Store()) {
      Button("a") { count.value += 1 }.disabled(isDisabled.value)
    }
    let host = app.host
    #expect(app.text == "[a]")
    #expect(throws: HostError.disabled("a")) { try host.perform("a") }
    isDisabled.value = false
    try app.tap("a")
    #expect(count.value == 1)
  }
}
