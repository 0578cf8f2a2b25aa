import Signals
import SignalsTerminal
import SignalsTesting
import Testing

/// Anything a user, the data and the window can do, in any order, on a screen with everything in it.
@Suite struct `Screen, whatever happens to it` {
  private final class Model {
    let rows = Signal((0..<30).map { $0 })
    let names = (0..<60).map { Signal("row \($0)") }
    let text = Signal("some text"), choice = Signal("b"), isOn = Signal(true), page = Signal(0)
    let options = Signal(["a", "b", "日本", "a long option"])

    func move(_ offsets: [Int], _ destination: Int) {
      var new = rows.value
      guard offsets.count == 1, new.indices.contains(offsets[0]),
        (0...new.count).contains(destination)
      else {
        Issue.record("\(offsets) can't move to \(destination) of \(new.count) rows")
        return
      }
      let row = new.remove(at: offsets[0])
      new.insert(row, at: destination > offsets[0] ? destination - 1 : destination)
      rows.value = new
    }
  }

  private func screen(_ model: Model) -> TerminalScreen {
    TerminalScreen(Store(), width: 40, height: 12) {
      Text("title \(model.page.value)").style(.title)
      if model.page.value == 0 {
        Row {
          TextField("Search", text: model.text.binding, id: "search").frame(flex: 1)
          Picker("P", selection: model.choice.binding, options: model.options.value, id: "picker")
          Toggle("T", isOn: model.isOn.binding)
        }
        Row {
          ListBox(id: "left", onMove: { model.move($0, $1) }) {
            ForEach(model.rows.value, id: \.self) { row in
              Row {
                Button(model.names[row].value, id: "row") { model.page.value = 1 }
                Button("x") { model.rows.value.removeAll { $0 == row } }
              }
            }
          }
          if model.isOn.value {
            Table([TableColumn("A", flex: 1) {}, TableColumn("B", maxWidth: 4)], id: "right") {
              ForEach(model.rows.value, id: \.self) { row in
                TableRow(id: "cell") {
                  Text(model.names[row].value)
                  Text("\(row)")
                } onTap: {
                  model.rows.value.reverse()
                }
              }
            }
          }
        }
      } else {
        Button("Back") { model.page.value = 0 }
        TextField("Search", text: model.text.binding, id: "search")
        ForEach(model.rows.value, id: \.self) { Button(model.names[$0].value) {} }
        ListBox { Section("inner") { ListBox { Button("Back") { model.page.value = 0 } } } }
      }
      Text("foot").style(.status)
    }
  }

  private func happen(_ screen: TerminalScreen, _ model: Model, _ random: inout SeededRandom) {
    let texts = [
      "a", "日本語", "e\u{301}", "👨‍👩‍👧", "\u{1B}[2J", "", "\t", "a\nb", "🇫🇷", "\u{202E}",
      "a longer text of words",
      "\u{301}", "x\u{200D}",
    ]
    let keys: [TerminalKey] = [
      "up", "down", "left", "right", "tab", "shift-tab", "return", " ", "page-up", "page-down",
      "home", "end", "alt-up", "alt-down",
      "escape", "delete", "forward-delete", "ctrl-w", "ctrl-u", "ctrl-k", "alt-a", "shift-left",
      "ctrl-left",
      "shift-end", "ctrl-l", "a", "é", "日",
    ]
    let text = texts.randomElement(using: &random) ?? ""
    switch Int.random(in: 0..<14, using: &random) {
    case 0: model.names.randomElement(using: &random)?.value = text
    case 1: model.text.value = text
    case 2:
      model.rows.value = Array(0..<Int.random(in: 0...60, using: &random)).shuffled(using: &random)
    case 3: screen.paste(text)
    case 4:
      screen.resize(
        width: Int.random(in: 1...60, using: &random),
        height: Int.random(in: 1...20, using: &random))
    case 5, 6:
      let kinds: [TerminalMouse.Kind] = [.press, .drag, .release, .scrollUp, .scrollDown]
      screen.handle(
        .mouse(
          TerminalMouse(
            kinds.randomElement(using: &random) ?? .press,
            x: Int.random(in: 0...70, using: &random),
            y: Int.random(in: 0...25, using: &random), clicks: Int.random(in: 1...3, using: &random)
          )))
    case 7:
      model.options.value.shuffle(using: &random)
      if Bool.random(using: &random) { model.options.value = [text, "b"] }
    case 8:
      screen.host.focus =
        ["search", "row", "cell", "Back", nil].randomElement(using: &random) ?? nil
    default: screen.press(keys.randomElement(using: &random) ?? "down")
    }
  }

  @Test(arguments: 0..<12) func `the terminal shows what is drawn, and the focus is on something`(
    _ seed: UInt64
  ) {
    var random = SeededRandom(seed: seed)
    let model = Model()
    let screen = screen(model)
    var terminal = Emulator(width: 40, height: 12)
    for _ in 0..<150 {
      happen(screen, model, &random)
      let text = screen.text
      let size = (screen.renderer.width, screen.renderer.height)
      if (terminal.grid.width, terminal.grid.height) != size {
        terminal = Emulator(width: size.0, height: size.1)
      }
      terminal.write(screen.renderer.update())
      #expect(terminal.text == text)
      #expect(terminal.unknown == [])
      #expect(screen.focus != nil || screen.renderer.width < 20 || screen.renderer.height < 4)
      if terminal.text != text { return }
    }
  }
}
