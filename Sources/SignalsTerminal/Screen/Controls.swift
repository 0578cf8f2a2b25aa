// How what is drawn in one line looks: buttons, fields, toggles, pickers, bars, titles of columns.

import Signals

/// One line of text in pieces, each with a style over that of the line.
struct StyledLine {
  var pieces: [(text: String, style: Style)] = []

  init(_ pieces: (String, Style)...) { self.pieces = pieces.map { ($0.0, $0.1) } }

  var width: Int { pieces.reduce(0) { $0 + CharacterWidth.of($1.text) } }
}

enum Controls {
  /// The cells of a field that a text can be typed into, where nobody says otherwise.
  private static let fieldWidth = 20
  private static let barWidth = 10

  /// What a control wants of the width of a row.
  static func width(of element: DrawnElement) -> FlexItem {
    let label = CharacterWidth.of(label(of: element))
    switch element.value {
    case .text: return FlexItem(minimum: label + 4, ideal: label + fieldWidth, flex: 1)
    case .fraction: return FlexItem(minimum: label + 5, ideal: label + barWidth + 5, flex: 1)
    default:
      let width = line(of: element).width
      return FlexItem(minimum: min(width, 6), ideal: width)
    }
  }

  /// What stands before a field or a bar.
  static func label(of element: DrawnElement) -> String {
    if element.text.isEmpty { return "" }
    if case .text = element.value { return "\(element.text): " }
    return "\(element.text) "
  }

  /// What is drawn of a control that does not fill its space.
  static func line(of element: DrawnElement) -> StyledLine {
    switch (element.kind, element.value) {
    case (.tableColumn, _):
      let mark = element.look.order.map { $0 == .ascending ? " ▲" : " ▼" } ?? ""
      return StyledLine((element.text + mark, .plain))
    case (_, .flag(let isOn)): return StyledLine(("[\(isOn ? "x" : " ")] \(element.text)", .plain))
    case (_, .choice(let choice, _)):
      return StyledLine(("\(element.text): ", .plain), ("‹\(choice.title)›", .bold))
    default: return StyledLine(("[\(element.text)\(element.isBusy ? "…" : "")]", .plain))
    }
  }

  /// A bar of some width, with what part of it is full, and the same in words.
  static func bar(_ element: DrawnElement, width: Int) -> StyledLine {
    guard case .fraction(let fraction) = element.value else { return StyledLine() }
    let part = fraction > 0 ? min(fraction, 1) : 0
    let percent = "\(Int((part * 100).rounded(.down)))%"
    let words = String(repeating: " ", count: 5 - percent.utf8.count) + percent
    let label = label(of: element)
    let cells = max(0, width - CharacterWidth.of(label) - words.utf8.count)
    let full = Int((part * Double(cells)).rounded(.down))
    return StyledLine(
      (label, .plain), (String(repeating: "█", count: full), Theme.bar),
      (String(repeating: "░", count: cells - full), .dim), (words, .plain))
  }
}
