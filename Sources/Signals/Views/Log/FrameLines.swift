/// What is on screen, in lines that are the same wherever the same is: what an intent log compares frames by.
///
/// An element is a line, with its kind, id, text and value, whether it can be used and what is wrong with it, indented
/// below what holds it; a key that is bound is one, and so is the focus.
struct FrameLines {
  private(set) var lines: [String] = []

  /// Nil while a frame is due, or if the one on screen has rows that no renderer has asked for.
  ///
  /// O(elements). It evaluates nothing.
  init?(of host: ViewHost) {
    guard host.isUpToDate, add(host.frame.root, of: host, indent: "") else { return nil }
    if let focus = host.focusState.id.peek() { lines.append("focus #\(focus)") }
  }

  /// The lines as one text.
  var text: String { lines.joined(separator: "\n") }

  /// A number that differs if the lines do, but for one in 2 to the power of 64: FNV-1a.
  var number: UInt64 {
    var number: UInt64 = 0xcbf2_9ce4_8422_2325
    for line in lines {
      for byte in line.utf8 { number = (number ^ UInt64(byte)) &* 0x100_0000_01b3 }
      number = (number ^ 0x0a) &* 0x100_0000_01b3
    }
    return number
  }

  private mutating func add(_ scope: ScopeID, of host: ViewHost, indent: String) -> Bool {
    guard let present = host.scopes[scope], present.isEvaluated else { return false }
    if let rows = present.rows, !rows.areAllKnown { return false }
    for element in host.evaluatedElements(of: scope, inOrder: true) {
      if !add(element, of: host, indent: indent) { return false }
    }
    return true
  }

  private mutating func add(_ element: Element, of host: ViewHost, indent: String) -> Bool {
    switch element.storage {
    case .scope(let scope): return add(scope, of: host, indent: indent)
    case .drawn(let drawn):
      lines.append(indent + FrameLines.line(of: drawn))
      lines += drawn.errors.map { "\(indent)! \($0)" }
      return drawn.children.allSatisfy { add($0, of: host, indent: indent + "  ") }
    case .key(let binding):
      lines.append("\(indent)key \(binding.key)\(binding.isEnabled ? "" : " (disabled)")")
    case .group, .branch, .view, .rows, .identified, .environment, .life, .hidden: break
    }
    return true
  }

  private static func line(of element: DrawnElement) -> String {
    var line = element.kind.name
    if let id = element.id { line += " #\(id)" }
    if !element.text.isEmpty { line += " \(element.text.debugDescription)" }
    switch element.value {
    case .none: break
    case .text(let text): line += " = \(text.debugDescription)"
    case .flag(let isOn): line += " = \(isOn)"
    case .fraction(let part): line += " = \(part)"
    case .choice(let choice, let options):
      line += " = \(choice.debugDescription) of \(options)"
    }
    return element.isEnabled ? line : line + " (disabled)"
  }
}
