/// Draws frames as plain text, one line below the other.
///
/// Good for tests, logs and pipes. What it draws is stable: a text is its text, a button `[title]`, or `[title…]` while it is busy, a
/// text field `label: [text]`, a toggle `[x] label`, a picker `label: <choice>`, and below a field `! ` and
/// what is wrong with it. What a row holds stands
/// side by side, and so do the titles of a table, with `^` or `v` after the one that it is sorted by. Looks
/// (``ElementLook``) are left out. Control characters in the data, other than tabs and line ends, stand there as pictures
/// (`␛` for an escape), so that printed on a terminal they do nothing. It draws everything for each frame, and so
/// evaluates every row of a `ForEach`.
public final class TextRenderer: Renderer {
  /// The text of the last frame, without a line end at its end.
  public private(set) var text = ""
  /// How many frames were drawn.
  public private(set) var frames = 0
  private let onFrame: ((String) -> Void)?

  /// Creates a renderer; `onFrame` gets the text of each frame.
  public init(onFrame: ((String) -> Void)? = nil) { self.onFrame = onFrame }

  /// Draws a frame.
  public func commit(_ new: Frame, replacing old: Frame?) {
    // A text shows no focus, and nobody has typed into it.
    if old != nil, new.changed.isEmpty { return }
    frames += 1
    var lines: [String]
    var cover: Cover?
    repeat {
      cover = new.cover
      lines = TextRenderer.lines(of: new.front, in: new)
      // A row that was evaluated just now may cover the screen.
    } while new.cover?.element !== cover?.element
    text = TextRenderer.printable(lines.joined(separator: "\n"))
    onFrame?(text)
  }

  private static func lines(of elements: [Element], in frame: Frame) -> [String] {
    elements.flatMap { element -> [String] in
      switch element.content {
      case .drawn(let drawn): lines(of: drawn, in: frame)
      case .scope(let scope): lines(of: frame.elements(of: scope), in: frame)
      case nil: []
      }
    }
  }

  /// What views and rows come down to: a row does not ask which view made what stands in it.
  private static func drawn(_ elements: [Element], in frame: Frame) -> [DrawnElement] {
    elements.flatMap { element -> [DrawnElement] in
      switch element.content {
      case .drawn(let drawn) where drawn.kind == .modified: self.drawn(drawn.children, in: frame)
      case .drawn(let drawn): [drawn]
      case .scope(let scope): self.drawn(frame.elements(of: scope), in: frame)
      case nil: []
      }
    }
  }

  private static func lines(of element: DrawnElement, in frame: Frame) -> [String] {
    let lines = ownLines(of: element, in: frame)
    return element.errors.isEmpty ? lines : lines + element.errors.map { "! \($0)" }
  }

  private static func ownLines(of element: DrawnElement, in frame: Frame) -> [String] {
    switch (element.kind, element.value) {
    case (.row, _), (.tableHeader, _), (.tableRow, _):
      return sideBySide(drawn(element.children, in: frame).map { lines(of: $0, in: frame) })
    case (.button, _): return ["[\(element.text)\(element.isBusy ? "…" : "")]"]
    case (.divider, _): return ["----------"]
    case (.tableColumn, _):
      return [element.text + (element.look.order.map { $0 == .ascending ? " ^" : " v" } ?? "")]
    case (_, .text(let text)): return ["\(element.text): [\(text)]"]
    case (_, .flag(let isOn)): return ["[\(isOn ? "x" : " ")] \(element.text)"]
    case (_, .choice(let choice, _)): return ["\(element.text): <\(choice.title)>"]
    case (_, .fraction(let part)): return [bar(element.text, part)]
    default:
      let own = element.text.isEmpty && element.kind != .text ? [] : split(element.text)
      return own + lines(of: element.children, in: frame)
    }
  }

  private static func printable(_ text: String) -> String {
    // Those of two bytes begin with 0xC2, as a few harmless ones do.
    guard text.utf8.contains(where: { $0 < 32 && $0 != 9 && $0 != 10 || $0 == 127 || $0 == 0xC2 })
    else { return text }
    var printable = String.UnicodeScalarView()
    for scalar in text.unicodeScalars {
      switch scalar.value {
      case 9, 10: printable.append(scalar)
      // Their pictures stand in the same order.
      case 0..<32: printable.append(Unicode.Scalar(0x2400 + scalar.value) ?? "\u{FFFD}")
      case 127: printable.append("\u{2421}")
      case 128..<160: printable.append("\u{FFFD}")
      default: printable.append(scalar)
      }
    }
    return String(printable)
  }

  private static func split(_ text: String) -> [String] {
    // Most texts are one line, and looking at bytes is much faster than at characters.
    guard text.utf8.contains(UInt8(ascii: "\n")) else { return [text] }
    return text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
  }

  private static func bar(_ label: String, _ part: Double) -> String {
    let part = part > 0 ? min(part, 1) : 0
    let filled = Int((part * 10).rounded(.down))
    let bar = String(repeating: "#", count: filled) + String(repeating: "-", count: 10 - filled)
    return "\(label.isEmpty ? "" : "\(label) ")[\(bar)] \(Int((part * 100).rounded(.down)))%"
  }

  /// Puts blocks of lines beside each other, two spaces apart.
  private static func sideBySide(_ blocks: [[String]]) -> [String] {
    let blocks = blocks.filter { !$0.isEmpty }
    let height = blocks.map(\.count).max() ?? 0
    return (0..<height).map { line in
      var result = ""
      var missing = 0
      for block in blocks {
        let width = block.map(\.count).max() ?? 0
        if line < block.count {
          result += String(repeating: " ", count: missing) + block[line]
          missing = width - block[line].count + 2
        } else {
          missing += width + 2
        }
      }
      return result
    }
  }
}
