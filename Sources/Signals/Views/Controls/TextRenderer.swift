/// Draws frames as plain text, with one element below the other.
///
/// It suits tests, logs and pipes. Its output is stable:
///
/// - A text is drawn as its text, a button as `[title]`, or `[title…]` while it is busy.
/// - A text field is drawn as `label: [text]`, a toggle as `[x] label`, a picker as
///   `label: <choice>`. Below a field are its errors, each after `! `.
/// - A text editor is drawn as `label:`, followed by its lines, each after `| `. A secure field is
///   drawn with a dot for each character, and a radio group as `label: (x) one  ( ) other`.
/// - A link is drawn as `[title](address)`, an image as `(image: text)`,
///   unless it only decorates.
/// - The elements of a row are drawn side by side. So are the titles of a table, with `^` or `v`
///   after the one that the table is sorted by.
/// - Looks (``ElementLook``) are ignored.
/// - Control characters in the data, except tabs and line ends, are drawn as pictures (`␛` for an
///   escape), so they have no effect when printed on a terminal.
///
/// Each frame is drawn in full, which evaluates every row of a `ForEach`.
public final class TextRenderer: Renderer {
  /// The text of the last frame, without a final line end.
  public private(set) var text = ""
  /// The number of frames drawn.
  public private(set) var frames = 0
  private let onFrame: ((String) -> Void)?

  /// Creates a renderer.
  ///
  /// - Parameter onFrame: Gets the text of each frame.
  public init(onFrame: ((String) -> Void)? = nil) { self.onFrame = onFrame }

  /// Draws a frame.
  ///
  /// After the first, a frame without changed scopes isn't drawn.
  ///
  /// - Parameters:
  ///   - new: The frame to show.
  ///   - old: The frame before it; nil for the first.
  public func commit(_ new: Frame, replacing old: Frame?) {
    // The focus and refused input aren't part of the text.
    if old != nil, new.changed.isEmpty { return }
    frames += 1
    var lines: [String]
    var cover: Cover?
    repeat {
      cover = new.cover
      lines = TextRenderer.lines(of: new.front, in: new)
      // A row evaluated during the drawing may cover the screen.
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

  /// Returns the drawn elements of a horizontal row.
  ///
  /// Views and elements that only add a look are replaced by their contents, so that these are laid
  /// out side by side, like the other elements of the row.
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
    case (.textEditor, .text(let text)):
      return (element.text.isEmpty ? [] : ["\(element.text):"]) + split(text).map { "| \($0)" }
    case (_, .text(let text)): return ["\(element.text): [\(text)]"]
    case (_, .secret(let text)): return ["\(element.text): [\(ElementValue.masked(text))]"]
    case (.image, _): return element.text.isEmpty ? [] : ["(image: \(element.text))"]
    case (_, .address(let address)): return ["[\(element.text)](\(address))"]
    case (.radioGroup, .choice(let choice, let options)):
      let marked = options.map { "(\($0.id == choice.id ? "x" : " ")) \($0.title)" }
      return ["\(element.text): \(marked.joined(separator: "  "))"]
    case (_, .flag(let isOn)): return ["[\(isOn ? "x" : " ")] \(element.text)"]
    case (_, .choice(let choice, _)): return ["\(element.text): <\(choice.title)>"]
    case (_, .fraction(let part)): return [bar(element.text, filled: part)]
    default:
      let own = element.text.isEmpty && element.kind != .text ? [] : split(element.text)
      return own + lines(of: element.children, in: frame)
    }
  }

  private static func printable(_ text: String) -> String {
    // Control characters of two bytes begin with 0xC2, as a few harmless characters do.
    guard text.utf8.contains(where: { $0 < 32 && $0 != 9 && $0 != 10 || $0 == 127 || $0 == 0xC2 })
    else { return text }
    var printable = String.UnicodeScalarView()
    for scalar in text.unicodeScalars {
      switch scalar.value {
      case 9, 10: printable.append(scalar)
      // The pictures have the same order.
      case 0..<32: printable.append(Unicode.Scalar(0x2400 + scalar.value) ?? "\u{FFFD}")
      case 127: printable.append("\u{2421}")
      case 128..<160: printable.append("\u{FFFD}")
      default: printable.append(scalar)
      }
    }
    return String(printable)
  }

  private static func split(_ text: String) -> [String] {
    // Most texts are one line, and searching bytes is much faster than searching characters.
    guard text.utf8.contains(UInt8(ascii: "\n")) else { return [text] }
    return text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
  }

  private static func bar(_ label: String, filled part: Double) -> String {
    let part = part > 0 ? min(part, 1) : 0
    let filled = Int((part * 10).rounded(.down))
    let bar = String(repeating: "#", count: filled) + String(repeating: "-", count: 10 - filled)
    return "\(label.isEmpty ? "" : "\(label) ")[\(bar)] \(Int((part * 100).rounded(.down)))%"
  }

  /// Places blocks of lines side by side, two spaces apart.
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
