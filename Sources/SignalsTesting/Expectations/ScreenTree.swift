internal import Signals

extension TestHost {
  /// The elements on screen as a tree: all that a user could tell apart, a line each.
  ///
  /// A line has kind, id, text and value; a picker's options; whether it is disabled, and whether
  /// it has the focus. Below it stand what is wrong with its value, and what it holds. Keys stand
  /// behind what they are bound for.
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

  /// What is on screen now.
  var screen: ScreenTree { ScreenTree(host) }
}

/// All that is on screen at one moment, in lines.
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
    switch element.value {
    case .none: break
    case .text(let text): line += " = \(text.debugDescription)"
    case .flag(let isOn): line += " = \(isOn)"
    case .fraction(let part): line += " = \(part)"
    case .choice(let choice, let options):
      line += " = \(choice.title.debugDescription) of \(options.map(\.title))"
    }
    if !element.isEnabled { line += " (disabled)" }
    if element.isBusy { line += " (busy)" }
    return element.id != nil && element.id == focus ? line + " (focus)" : line
  }
}

/// What has changed on screen: lines that went and came, each after the line before it, which
/// stayed.
///
/// So it says where, too: a line that stands several times on screen has a number, as in
/// `[2 of 3]`.
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

/// Tells equal lines apart.
private struct LinePlaces {
  private let counts: [String: Int]
  private var met: [String: Int] = [:]

  init(_ lines: [String]) {
    counts = Dictionary(lines.map { ($0, 1) }, uniquingKeysWith: +)
  }

  /// The line that follows, with its number among those that are equal to it.
  mutating func next(_ line: String) -> String {
    let count = counts[line] ?? 1
    if count == 1 { return line }
    let number = met[line, default: 0] + 1
    met[line] = number
    return "\(line) [\(number) of \(count)]"
  }
}
