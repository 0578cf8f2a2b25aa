internal import Signals
internal import SignalsReplay

extension TestHost {
  /// The elements on screen as a tree: everything that a user can distinguish, one line for each
  /// element.
  ///
  /// A line contains the kind, id, text and value of an element, the options of a picker, and
  /// whether the element is disabled or has the focus. Below it are the errors of its value, and
  /// its children. Keys are listed after the content that they are bound to.
  ///
  /// ```
  /// column #column
  ///   textField #name "Name" = "" (focus)
  ///     ! "Not empty"
  ///   picker #size "Size" = "s" of ["s", "m"]
  ///   button #save "Save" (disabled)
  ///   key "escape"
  /// ```
  public var tree: String { screen.lines.joined(separator: "\n") }

  /// The current content of the screen.
  var screen: ScreenTree { ScreenTree(host) }
}

/// The content of the screen at one moment, in lines.
struct ScreenTree {
  private(set) var lines: [String] = []
  private let focus: String?

  init(_ host: ViewHost) {
    focus = untracked { host.focus }
    let frame = host.frame
    add(frame.elements(of: frame.root), in: frame, indent: "")
  }

  private mutating func add(_ elements: [Element], in frame: Frame, indent: String) {
    for element in elements {
      switch element.content {
      case .drawn(let drawn):
        lines.append(indent + line(of: drawn))
        for error in drawn.errors { lines.append("\(indent)  ! \(error.debugDescription)") }
        add(drawn.children, in: frame, indent: indent + "  ")
      case .scope(let scope): add(frame.elements(of: scope), in: frame, indent: indent)
      case nil:
        guard let (key, isEnabled) = element.boundKey else { continue }
        lines.append(
          "\(indent)key \(key.name.debugDescription)" + (isEnabled ? "" : " (disabled)"))
      }
    }
  }

  private func line(of element: DrawnElement) -> String {
    var line = element.kind.name
    if let id = element.id { line += " #\(ValueText.word(id))" }
    if !element.text.isEmpty || element.kind == .text {
      line += " \(element.text.debugDescription)"
    }
    line += element.value.assignment
    if !element.isEnabled { line += " (disabled)" }
    if element.isBusy { line += " (busy)" }
    return element.id != nil && element.id == focus ? line + " (focus)" : line
  }
}

/// The changes on screen: removed and added lines, each after the nearest unchanged line before it.
///
/// That line shows where a change happened. If it occurs several times on screen, it has a number,
/// as in `[2 of 3]`.
struct ScreenReport {
  let lines: [String]

  init(from old: ScreenTree, to new: ScreenTree) {
    let difference = LineDifference(from: old.lines, to: new.lines)
    var places = LinePlaces(new.lines)
    var lines: [String] = []
    var stayed: String?
    for line in difference.lines {
      switch line {
      case .same(let line): stayed = places.next(line)
      case .removed(let line):
        if let line = stayed.take() { lines.append("  \(line)") }
        lines.append("- \(line)")
      case .added(let line):
        if let line = stayed.take() { lines.append("  \(line)") }
        _ = places.next(line)
        lines.append("+ \(line)")
      }
    }
    self.lines = lines
  }
}

/// Distinguishes equal lines.
private struct LinePlaces {
  private let counts: [String: Int]
  private var met: [String: Int] = [:]

  init(_ lines: [String]) {
    counts = Dictionary(lines.map { ($0, 1) }, uniquingKeysWith: +)
  }

  /// Returns the next line, with its number if it occurs several times.
  mutating func next(_ line: String) -> String {
    let count = counts[line] ?? 1
    if count == 1 { return line }
    let number = met[line, default: 0] + 1
    met[line] = number
    return "\(line) [\(number) of \(count)]"
  }
}
