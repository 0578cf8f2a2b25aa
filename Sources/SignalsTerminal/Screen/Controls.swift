// The appearance of single-line controls: buttons, toggles, pickers, progress bars, column titles,
// and the labels of fields.

import Signals

/// A line of text in pieces, each with a style on top of the line's style.
struct StyledLine {
  var pieces: [(text: String, style: Style)] = []

  init(_ pieces: (String, Style)...) { self.pieces = pieces.map { ($0.0, $0.1) } }

  var width: Int { pieces.reduce(0) { $0 + CharacterWidth.of($1.text) } }
}

enum Controls {
  /// The default width of a text field in cells.
  private static let fieldWidth = 20
  private static let barWidth = 10

  /// Returns the width that a control requests within a row.
  static func width(of element: DrawnElement) -> FlexItem {
    let label = CharacterWidth.of(label(of: element))
    switch element.value {
    case .text, .secret:
      return FlexItem(minimum: label + 4, ideal: label + fieldWidth, flex: 1)
    case .fraction: return FlexItem(minimum: label + 5, ideal: label + barWidth + 5, flex: 1)
    default:
      let width = line(of: element).width
      return FlexItem(minimum: min(width, 6), ideal: width)
    }
  }

  /// Returns the text before a field or a progress bar.
  static func label(of element: DrawnElement) -> String {
    if element.text.isEmpty { return "" }
    if element.value.editedText != nil { return "\(element.text): " }
    return "\(element.text) "
  }

  /// Returns the line of a control that doesn't fill its space.
  static func line(of element: DrawnElement) -> StyledLine {
    switch (element.kind, element.value) {
    case (.tableColumn, _):
      let mark = element.look.order.map { $0 == .ascending ? " ▲" : " ▼" } ?? ""
      return StyledLine((element.text + mark, .plain))
    case (_, .flag(let isOn)): return StyledLine(("[\(isOn ? "x" : " ")] \(element.text)", .plain))
    case (_, .address) where element.isActive: return StyledLine((element.text, Style(.underlined)))
    case (_, .address(let address)):
      return StyledLine((element.text, Style(.underlined)), (" (\(address))", .dim))
    case (.radioGroup, .choice(let choice, let options)):
      let pieces = options.map { option in
        let isChosen = option.id == choice.id
        return ("(\(isChosen ? "•" : " ")) \(option.title)  ", isChosen ? Style(.bold) : .plain)
      }
      var line = StyledLine(("\(element.text): ", .plain))
      line.pieces += pieces
      return line
    case (_, .choice(let choice, _)):
      return StyledLine(("\(element.text): ", .plain), ("‹\(choice.title)›", .bold))
    default: return StyledLine(("[\(element.text)\(element.isBusy ? "…" : "")]", .plain))
    }
  }

  /// Returns a progress bar of a given width, followed by its percentage.
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
