import Signals
import TestSupport
import Testing

/// How elements should look, and what a renderer that draws plain text makes of it.
@Suite struct `Elements, looks and tables` {
  private func text(@ElementBuilder _ root: @escaping () -> Element) -> String {
    let renderer = TextRenderer()
    let host = ViewHost(Store(), renderer: renderer, root: root)
    return withExtendedLifetime(host) { renderer.text }
  }

  private func looks(@ElementBuilder _ root: @escaping () -> Element) -> [ElementLook] {
    let host = ViewHost(Store(), renderer: TextRenderer(), root: root)
    var looks: [ElementLook] = []
    host.frame.forEach { looks.append($0.look) }
    return looks
  }

  struct Two: View {
    var body: Element {
      Text("one")
      Text("two")
    }
  }

  @Test func `a look stays with its element, the outermost style first`() {
    var expected = ElementLook()
    expected.styles = [.status, .warning]
    expected.minWidth = 3
    expected.flex = 2
    expected.alignment = .trailing
    #expect(
      looks {
        Text("a").style(.warning).frame(minWidth: 3).frame(flex: 2).aligned(.trailing)
          .style(.status)
      } == [expected])
  }

  @Test func `an element keeps its look where it is disabled, and loses nothing else`() throws {
    var taps = 0
    let host = ViewHost(Store(), renderer: TextRenderer()) {
      Button("a", id: "a") { taps += 1 }.style(.accent).disabled()
      Button("b", id: "b") { taps += 1 }.style(.accent)
    }
    #expect(try host.element("a").look.styles == [.accent])
    #expect(throws: HostError.disabled("a")) { try host.perform("a") }
    try host.perform("b")
    #expect(taps == 1)
  }

  @Test func `plain text leaves looks out`() {
    #expect(
      text {
        Row {
          Text("a").frame(minWidth: 10).style(.title)
          Two().style(.secondary)
          Column { Text("b") }.frame(flex: 1)
        }
      } == "a  one  two  b")
  }

  @Test func `a color stays with its element, and a picker has those of its options`() {
    let red = ElementColor(red: 1, green: 0, blue: 0)
    var tinted = ElementLook(), picker = ElementLook()
    tinted.tint = red
    (picker.tint, picker.optionTints) = (red, [red, nil])
    #expect(
      looks {
        Text("a").tint(red)
        Text("b").tint(nil)
        Picker(
          "c", selection: .constant("red"), options: ["red", "none"],
          tint: { $0 == "red" ? red : nil })
      } == [tinted, ElementLook(), picker])
  }

  @Test func `a part that scrolls is a column in plain text`() {
    #expect(
      text {
        ScrollBox {
          Text("one")
          Text("two").tint(ElementColor(red: 0, green: 0, blue: 1))
        }
      } == "one\ntwo")
  }

  @Test func `rows with a look around them are counted as rows`() throws {
    var moved: [Int] = []
    let host = ViewHost(Store(), renderer: TextRenderer()) {
      ListBox(id: "list", onMove: { from, to in moved = from + [to] }) {
        ForEach(["a", "b", "c"], id: \.self) { Text($0) }.style(.secondary)
      }
    }
    try host.perform("list", with: .move([0], toOffset: 3))
    #expect(moved == [0, 3])
    #expect(throws: HostError.noRow("list", offset: 4, count: 3)) {
      try host.perform("list", with: .move([0], toOffset: 4))
    }
  }

  @Test func `a table is its titles and its rows, and both can be used`() throws {
    let order = Signal(SortDirection.ascending), open = Signal("")
    let renderer = TextRenderer()
    let host = ViewHost(Store(), renderer: renderer) {
      Table([
        TableColumn("Name", id: "sort", order: order.value) { order.value = .descending },
        TableColumn("Size"),
      ]) {
        ForEach(["apt", "bash"], id: \.self) { name in
          TableRow(id: name) {
            Text(name)
            Text("\(name.count)")
          } onTap: {
            open.value = name
          }
        }
      }
    }
    #expect(renderer.text == "Name ^  Size\napt  3\nbash  4")
    try host.perform("sort")
    #expect(renderer.text.hasPrefix("Name v  Size"))
    try host.perform("bash")
    #expect(open.value == "bash")
    #expect(throws: HostError.self) { try host.perform("Size") }
  }
}
