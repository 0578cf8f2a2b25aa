import Signals
import SignalsTerminal
import Testing

/// Rows that the user moves in their list by keys.
@Suite struct `Screen, rows moved by keys` {
  private final class Model {
    let rows = Signal(["a", "b", "c"])
    let inner = Signal(["x", "y"])
    let isDisabled = Signal(false)
    var moves: [String] = []

    func move(_ rows: Signal<[String]>, _ offsets: [Int], _ destination: Int, from start: Int = 0) {
      moves.append("\(offsets) to \(destination)")
      var new = rows.value
      let row = new.remove(at: offsets[0] - start)
      new.insert(row, at: destination - start - (destination > offsets[0] ? 1 : 0))
      rows.value = new
    }
  }

  private struct Screen: View {
    let model: Model
    var height: Int?

    var body: Element {
      Button("before") {}
      ListBox(id: "list", onMove: { model.move(model.rows, $0, $1, from: 1) }) {
        Text("head")
        ForEach(model.rows.value, id: \.self) { row in Button(row) {} }
      }
      .frame(minHeight: height, maxHeight: height)
      .disabled(model.isDisabled.value)
    }
  }

  /// The list fits, scrolls by itself, or scrolls with the screen.
  @Test(arguments: [(nil, 8), (3, 8), (5, 4)])
  func `the row with the focus moves by one place, and keeps the focus and stays in view`(
    height: Int?, screenHeight: Int
  ) {
    let model = Model()
    let screen = TerminalScreen(Store(), width: 30, height: screenHeight) {
      Screen(model: model, height: height)
    }
    screen.press("down", "alt-down")
    #expect(model.rows.value == ["b", "a", "c"])
    #expect(screen.focus == "a")
    #expect(screen.text.contains("[a]"))
    screen.press("alt-down")
    #expect(model.rows.value == ["b", "c", "a"])
    #expect(screen.text.contains("[a]"))
    screen.press("alt-up")
    #expect(model.rows.value == ["b", "a", "c"])
    #expect(screen.focus == "a")
    #expect(model.moves == ["[1] to 3", "[2] to 4", "[3] to 2"])
  }

  @Test func `at the ends of the rows the intent isn't run beyond the list`() {
    let model = Model()
    let screen = TerminalScreen(Store(), width: 30, height: 8) {
      ListBox(id: "list", onMove: { model.move(model.rows, $0, $1) }) {
        ForEach(model.rows.value, id: \.self) { Button($0) {} }
      }
    }
    screen.press("alt-up")
    #expect(screen.focus == "a")
    screen.press("down", "down", "alt-down")
    #expect(screen.focus == "c")
    #expect(model.moves == [])
  }

  @Test func `outside of the list, and in a disabled one, the keys do nothing`() {
    let model = Model()
    let screen = TerminalScreen(Store(), width: 30, height: 8) { Screen(model: model) }
    #expect(screen.focus == "before")
    screen.press("alt-down")
    screen.press("down")
    model.isDisabled.value = true
    screen.press("alt-down")
    #expect(model.moves == [])
  }

  @Test func `in a list within a row, the inner row moves`() {
    let model = Model()
    let screen = TerminalScreen(Store(), width: 30, height: 8) {
      ListBox(id: "outer", onMove: { model.move(model.rows, $0, $1) }) {
        ForEach(model.rows.value, id: \.self) { row in
          Column {
            Text(row)
            if row == "b" {
              ListBox(id: "inner", onMove: { model.move(model.inner, $0, $1) }) {
                ForEach(model.inner.value, id: \.self) { Button($0) {} }
              }
            } else {
              Button("use \(row)") {}
            }
          }
        }
      }
    }
    screen.press("down", "alt-down")
    #expect(model.inner.value == ["y", "x"])
    #expect(model.rows.value == ["a", "b", "c"])
    screen.press("down", "alt-up")
    #expect(model.rows.value == ["a", "c", "b"])
  }

  @Test func `an app's own binding of the key comes first`() {
    let model = Model()
    let count = Signal(0)
    let screen = TerminalScreen(Store(), width: 30, height: 8) {
      Column { Screen(model: model) }.onKey("alt-down") { count.value += 1 }
    }
    screen.press("down", "alt-down")
    #expect(count.value == 1)
    #expect(model.moves == [])
  }

  @Test func `a row that moves far from the others stays in view`() {
    let model = Model()
    model.rows.value = (0..<30).map { "row \($0)" }
    let screen = TerminalScreen(Store(), width: 30, height: 6) {
      ListBox(id: "list", onMove: { model.move(model.rows, $0, $1) }) {
        ForEach(model.rows.value, id: \.self) { Button($0) {} }
      }
    }
    for _ in 0..<20 {
      screen.press("alt-down")
      #expect(screen.text.contains("[row 0]"))
    }
    #expect(model.rows.value.firstIndex(of: "row 0") == 20)
  }

  @Test func `a row that the user hasn't seen with the focus isn't moved`() {
    let model = Model()
    let screen = TerminalScreen(Store(), width: 30, height: 8) { Screen(model: model) }
    screen.press("down", "down")
    #expect(screen.focus == "b")
    model.rows.value = ["a", "c"]
    screen.press("alt-up")
    #expect(model.moves == [])
  }

  @Test func `the row of an editor moves, and its cursor stays`() {
    let model = Model()
    let text = Signal("one\ntwo")
    let screen = TerminalScreen(Store(), width: 30, height: 20) {
      ListBox(id: "list", onMove: { model.move(model.rows, $0, $1) }) {
        ForEach(model.rows.value, id: \.self) { row in
          if row == "a" { TextEditor("a", text: text.binding) } else { Button(row) {} }
        }
      }
    }
    screen.press("up", "alt-down")
    #expect(model.rows.value == ["b", "a", "c"])
    screen.type("!")
    #expect(text.value.contains("!"))
    #expect(screen.focus == "a")
  }
}
