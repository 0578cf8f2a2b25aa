import Signals
import SignalsTerminal
import SignalsTesting
import Testing

/// A screen on a terminal, read from its cells, and used by the keyboard and the mouse.
private final class TerminalUser: RenderedScreen {
  private let screen: TerminalScreen
  private var terminal: Emulator

  init(
    _ root: @escaping @Sendable () -> Element, isolation: isolated (any Actor)? = #isolation
  ) {
    screen = TerminalScreen(Store(), width: 100, height: 50, isolation: isolation, root: root)
    terminal = Emulator(width: 100, height: 50)
  }

  // MARK: - Reading

  /// An element, and the first of its cells.
  private struct Found {
    var element: ShownElement
    let (x, y): (Int, Int)
  }

  func read() -> [ShownElement] { found().map(\.element) }

  private func found() -> [Found] {
    terminal.write(screen.renderer.update())
    var found: [Found] = []
    for y in 0..<terminal.grid.height {
      for new in elements(y) {
        if new.element.role == .text, new.element.name.hasPrefix("! "), !found.isEmpty {
          found[found.count - 1].element.errors.append(String(new.element.name.dropFirst(2)))
        } else if new.element.role == .text, new.element.name.hasPrefix("│") {
          // A line of an editor, whose label is the text before.
          let line = String(new.element.name.dropFirst(2))
          let last = found.count - 1
          if found[last].element.role == .text {
            found[last].element = ShownElement(
              .field, named: String(found[last].element.name.dropLast()), value: line)
          } else if !line.isEmpty {
            found[last].element.value? += "\n" + line
          }
        } else {
          found.append(new)
        }
      }
    }
    return found
  }

  /// A cell with a character.
  private struct Mark {
    let text: String
    let style: Style
    let x: Int
    var isUnderlined: Bool { style.attributes.contains(.underlined) }
    var isBlank: Bool { text == " " && !isUnderlined }
  }

  private func elements(_ y: Int) -> [Found] {
    var marks: [Mark] = []
    for x in 0..<terminal.grid.width {
      let cell = terminal.grid[x, y]
      if cell.glyph == .rest { continue }
      marks.append(Mark(text: terminal.pool.text(of: cell.glyph), style: cell.style, x: x))
    }
    var rest = marks[...]
    var found: [Found] = []
    while true {
      rest = rest.drop(while: \.isBlank)
      guard let first = rest.first else { return found }
      guard let element = next(&rest, y) else { continue }
      found.append(Found(element: element, x: first.x, y: y))
    }
  }

  /// Takes an element from the beginning of a line.
  private func next(_ rest: inout ArraySlice<Mark>, _ y: Int) -> ShownElement? {
    let first = rest[rest.startIndex]
    var states: Set<ShownElement.State> = []
    if first.style.attributes.contains(.dim) { states.insert(.disabled) }
    if first.style.attributes.contains(.reversed) { states.insert(.focused) }
    // Titles of tables are bold.
    if first.isUnderlined, !first.style.attributes.contains(.bold) {
      let title = take(&rest) { !$0.isUnderlined }
      _ = take(&rest) { !$0.style.attributes.contains(.dim) }
      return ShownElement(.link, named: title, states: states)
    }
    let line = rest.map(\.text).joined()
    if let group = line.firstMatch(of: /^(.*?): (\([ •]\) .*)$/) {
      let chosen = group.2.firstMatch(of: /\(•\) (.*?)(  |$)/)
      rest = []
      return ShownElement(
        .choice, named: "\(group.1)", value: chosen.map { "\($0.1)" }, states: states)
    }
    if let bar = line.firstMatch(of: /^(.*?) [█░]+ +(\d+%) *$/) {
      rest = []
      return ShownElement(.progress, named: "\(bar.1)", value: "\(bar.2)", states: states)
    }
    if first.text == "─" {
      rest = []
      return nil
    }
    var isBlank = false
    let text = take(&rest) { mark in
      defer { isBlank = mark.isBlank }
      return mark.isUnderlined && !first.isUnderlined || mark.isBlank && isBlank
    }
    if let field = rest.first, field.isUnderlined, text.hasSuffix(": ") {
      let start = field.x
      let value = take(&rest) { !$0.isUnderlined }
      let end = start + value.count
      if terminal.cursor.y == y, (start...end).contains(terminal.cursor.x),
        terminal.modes.contains("?25")
      {
        states.insert(.focused)
      }
      return ShownElement(
        .field, named: String(text.dropLast(2)), value: value.trimmedEnd, states: states)
    }
    return control(text.trimmedEnd, states)
  }

  private func control(_ text: String, _ states: Set<ShownElement.State>) -> ShownElement {
    if text.hasPrefix("[x] ") || text.hasPrefix("[ ] ") {
      let value = text.hasPrefix("[x]") ? "on" : "off"
      return ShownElement(.toggle, named: String(text.dropFirst(4)), value: value, states: states)
    }
    if text.hasPrefix("["), text.hasSuffix("]") {
      let title = String(text.dropFirst().dropLast())
      return title.hasSuffix("…")
        ? ShownElement(.button, named: String(title.dropLast()), states: states.union([.busy]))
        : ShownElement(.button, named: title, states: states)
    }
    if let picker = text.firstMatch(of: /^(.*): ‹(.*)›$/) {
      return ShownElement(.choice, named: "\(picker.1)", value: "\(picker.2)", states: states)
    }
    return ShownElement(.text, named: text, states: states)
  }

  private func take(
    _ rest: inout ArraySlice<Mark>, until isEnd: (Mark) -> Bool
  ) -> String {
    let end = rest.firstIndex(where: isEnd) ?? rest.endIndex
    defer { rest = rest[end...] }
    return rest[..<end].map(\.text).joined()
  }

  // MARK: - Acting

  func perform(_ act: UserAct) throws {
    switch act {
    case .press(let title): try click(title)
    case .toggle(let label): try click(label)
    case .type(let text, let field):
      try select(field)
      if text.isEmpty { screen.press("delete") } else { screen.type(text) }
    case .paste(let text, let field):
      try select(field)
      screen.paste(text)
    case .submit(let field):
      try click(field)
      screen.press("return")
    case .choose(let option, let label):
      try click(label)
      // The options are in a box on top of the screen.
      let lines = screen.text.split(separator: "\n", omittingEmptySubsequences: false)
      let y = try #require(lines.firstIndex { $0.contains("│ \(option) ") }, "no option \(option)")
      let x = try #require(lines[y].firstRange(of: "│ \(option) ")).lowerBound
      screen.click(x: lines[y].distance(from: lines[y].startIndex, to: x) + 2, y: y)
    case .goToLastRow: screen.press("end")
    case .key(let name): screen.press(TerminalKey(name))
    case .goBack: screen.press("escape")
    case .moveDown(let row):
      try click(row)
      screen.press("alt-down")
    }
  }

  private func click(_ name: String) throws {
    let place = try #require(
      found().last { $0.element.name == name || $0.element.name == "\(name) ▲" },
      "there is no \(name):\n\(screen.text)")
    screen.click(x: place.x, y: place.y)
  }

  private func select(_ field: String) throws {
    try click(field)
    screen.press("alt-a")
  }
}

extension String {
  fileprivate var trimmedEnd: String {
    var text = self[...]
    while text.last == " " { text.removeLast() }
    return String(text)
  }
}

@MainActor @Suite struct `The terminal, as a renderer` {
  @Test(arguments: RendererScenario.all)
  func passes(_ scenario: RendererScenario) async {
    await scenario.check(TerminalUser(scenario.root))
  }
}
