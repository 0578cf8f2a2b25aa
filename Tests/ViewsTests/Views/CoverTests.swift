import Signals
import SignalsTesting
import TestSupport
import Testing

/// `covered`: content over the screen takes all input.
@Suite struct `Views, covers` {
  /// A counter with a key, a button and a help page.
  struct Page: View {
    let shown: Signal<Bool>
    let pressed: Signal<String>
    @State var count = 0
    var body: Element {
      let (shown, pressed) = (shown, pressed)
      Column {
        Button("count \(count)", id: "count") { count += 1 }
        Leaf()
      }
      .covered(when: shown.value) {
        Text("help")
        Button("Close", id: "close") { shown.value = false }.onKey("q") { pressed.value += "inner" }
      }
      .onKey("q") { pressed.value += "outer" }
      .onKey("d") { pressed.value += "d" }
    }
  }

  /// A field in a scope of its own.
  struct Leaf: View {
    @State var text = ""
    var body: Element { TextField("Name", text: $text, id: "name") }
  }

  private let shown = Signal(false), pressed = Signal("")

  private func page() throws -> TestHost {
    try TestHost(Store()) {
      Text("title")
      Page(shown: shown, pressed: pressed)
      Text("foot")
    }
  }

  /// A row that asks a question.
  private struct Asking: View {
    let number: Int
    @State private var asks = false
    var body: Element {
      Button("ask \(number)", id: "ask \(number)") { asks = true }
        .dialog("Sure of \(number)?", isPresented: $asks) { Text("yes") }
    }
  }

  @Test func `a dialog of a row in a row stays when rows are put before it`() throws {
    let items = Signal(Array(0..<3))
    // A renderer that requests nothing by itself, as one that scrolls.
    let host = ViewHost(Store(), renderer: FrameLog()) {
      let all = items.value
      ForEach([0], id: \.self) { _ in
        Section("S") { ForEach(all, id: \.self) { Asking(number: $0) } }
      }
    }
    host.frame.forEach { _ in }
    try host.perform("ask 1")
    #expect(host.frame.title == "Sure of 1?")
    items.value = Array(-200..<3)
    #expect(host.frame.title == "Sure of 1?" && host.bodies < 20)
    items.value = Array(-200..<0)
    #expect(host.frame.title == nil)
  }

  @Test func `a cover is drawn alone, and what it covers keeps its state`() throws {
    let app = try page()
    try app.tap("count")
    shown.value = true
    #expect(app.text == "help\n[Close]")
    try app.tap("close")
    #expect(app.text == "title\n[count 1]\nName: []\nfoot")
  }

  @Test func `keys that are bound outside of a cover do nothing`() throws {
    let app = try page()
    shown.value = true
    #expect(app.host.keys == ["q"])
    try app.host.perform(.key("q"))
    #expect(pressed.value == "inner")
    #expect(throws: HostError.noKey("d", keys: ["q"])) { try app.host.perform(.key("d")) }
    shown.value = false
    #expect(app.host.keys == ["q", "d"])
  }

  @Test func `elements below a cover refuse by name`() throws {
    let app = try page()
    shown.value = true
    let host = app.host
    #expect(throws: HostError.hidden("count")) { try host.perform("count") }
    #expect(throws: HostError.hidden("name")) { try host.perform("name", with: .text("x")) }
    #expect(!app.exists("count"))
    #expect(app.exists("close"))
  }

  @Test func `elements beside the covered content are covered, too`() throws {
    let isShown = Signal(true), count = Signal(0)
    let app = try TestHost(Store()) {
      Button("beside", id: "beside") { count.value += 1 }
      Text("covered").covered(when: isShown.value) { Text("cover") }
    }
    #expect(app.text == "cover")
    #expect(throws: HostError.hidden("beside")) { try app.host.perform("beside") }
    isShown.value = false
    try app.tap("beside")
    #expect(count.value == 1)
  }

  @Test func `identities of hidden or covered elements refuse`() throws {
    let isShown = Signal(false), count = Signal(0)
    let host = try TestHost(Store()) {
      Button("beside") { count.value += 1 }
      Counting(count: count).hidden(isShown.value)
      Text("covered").covered(when: isShown.value) { Text("cover") }
    }.host
    let frame = host.frame
    let scopes = frame.elements(of: frame.root).compactMap { element -> ScopeID? in
      if case .scope(let scope)? = element.content { scope } else { nil }
    }
    let ids = ([frame.root] + scopes).compactMap { frame.namedElements(of: $0).first?.id }
    for id in ids { try host.perform(.identity(id)) }
    #expect(count.value == 2)
    isShown.value = true
    for id in ids {
      #expect(throws: HostError.hidden(id.description)) { try host.perform(.identity(id)) }
    }
    #expect(count.value == 2)
  }

  struct Counting: View {
    let count: Signal<Int>
    var body: Element { Button("leaf") { count.value += 1 } }
  }

  @Test func `the focus leaves what is covered, in a child view as well`() throws {
    let app = try page()
    for id in ["count", "name"] {
      shown.value = false
      app.host.focus = id
      #expect(app.host.focus == id)
      shown.value = true
      #expect(app.host.focus == nil)
      app.host.focus = id
      #expect(app.host.focus == nil)
    }
    #expect(app.host.focusOrder == ["close"])
    #expect(app.host.focusNext() == "close")
  }

  @Test func `the focus leaves what is hidden, in a child view as well`() throws {
    let isHidden = Signal(false)
    let app = try TestHost(Store()) { Column { Leaf() }.hidden(isHidden.value) }
    app.host.focus = "name"
    isHidden.value = true
    #expect(app.host.focus == nil)
    isHidden.value = false
    app.host.focus = "name"
    #expect(app.host.focus == "name")
  }

  @Test func `of several covers the topmost takes the input`() throws {
    let covers = Signal<Set<String>>([])
    func cover(_ name: String) -> Element {
      Button(name, id: name) { covers.value.remove(name) }.onKey(KeyPress(name)) {}.element
    }
    let app = try TestHost(Store()) {
      Text("app").covered(when: covers.value.contains("a")) {
        cover("a").covered(when: covers.value.contains("b")) { cover("b") }
      }
      Text("beside").covered(when: covers.value.contains("c")) { cover("c") }
    }
    covers.value = ["a", "b", "c"]
    #expect((app.text, app.host.keys) == ("[c]", ["c"]))
    try app.tap("c")
    #expect((app.text, app.host.keys) == ("[b]", ["b"]))
    try app.tap("b")
    #expect((app.text, app.host.keys) == ("[a]", ["a"]))
    try app.tap("a")
    #expect(app.text == "app\nbeside")
  }

  @Test func `a row covers the screen, and its cover goes with it`() throws {
    let rows = Signal([1, 2, 3]), open = Signal<Int?>(nil)
    let app = try TestHost(Store()) {
      ForEach(rows.value, id: \.self) { row in
        Button("row \(row)", id: "row-\(row)") { open.value = row }
          .covered(when: open.value == row) { Button("Close \(row)", id: "close") {} }
      }
    }
    try app.tap("row-2")
    #expect(app.text == "[Close 2]")
    app.host.focus = "close"
    #expect(app.host.focus == "close")
    rows.value = [1, 3]
    #expect(app.text == "[row 1]\n[row 3]")
  }

  @Test func `a frame that was replaced has its own front`() throws {
    let app = try page()
    func texts(_ frame: Frame) -> [String] {
      var texts: [String] = []
      frame.forEach { if !$0.text.isEmpty { texts.append($0.text) } }
      return texts
    }
    let before = app.host.frame
    shown.value = true
    let covered = app.host.frame
    shown.value = false
    #expect(texts(before) == ["title", "count 0", "Name", "foot"])
    #expect(texts(covered) == ["help", "Close"])
    #expect(texts(app.host.frame) == texts(before))
  }
}
