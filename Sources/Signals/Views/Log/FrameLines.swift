/// What is on screen, in lines that are the same wherever the same is: what an intent log compares frames by.
///
/// An element is a line, with its kind, id, text, value and look, whether it can be used and what is wrong with it,
/// indented below what holds it; a key that is bound is one, and so is the focus. Of the rows of a `ForEach` those that a
/// renderer has asked for have lines, and a line says how many others there are, and where.
struct FrameLines {
  private(set) var lines: [String] = []
  /// The rows of each `ForEach` that have lines, in order; nil if all of all have.
  var rows: [[Range<Int>]]? { isPartial ? shownRows : nil }

  private var shownRows: [[Range<Int>]] = []
  private var isPartial = false
  private let wanted: Wanted

  private enum Wanted {
    /// The rows that are there, and nothing is evaluated.
    case present
    /// These, and for a `ForEach` that they don't tell of all.
    case rows([[Range<Int>]])
  }

  /// What is there now; nil while a frame is due.
  ///
  /// O(elements on screen), and O(rows) up to the last row that somebody has asked for. It evaluates nothing.
  init?(of host: ViewHost) {
    self.init(of: host, .present)
  }

  /// Likewise with the rows that other lines have, evaluated if nobody here has asked for them; nil is all.
  init?(of host: ViewHost, rows: [[Range<Int>]]?) {
    self.init(of: host, .rows(rows ?? []))
  }

  private init?(of host: ViewHost, _ wanted: Wanted) {
    self.wanted = wanted
    guard host.isUpToDate, add(host.frame.root, of: host, indent: "") else { return nil }
    if let focus = host.focusState.id.peek() { lines.append("focus #\(Self.word(focus))") }
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
    if case .rows = wanted { _ = host.rows(of: scope) }
    guard let present = host.scopes[scope], present.isEvaluated else { return false }
    if let rows = present.rows { return add(rows, of: host, indent: indent) }
    return present.elements.allSatisfy { add($0, of: host, indent: indent) }
  }

  private mutating func add(_ rows: RowList, of host: ViewHost, indent: String) -> Bool {
    let ranges: [Range<Int>]
    let count = rows.shown.data.count
    switch wanted {
    case .present: ranges = rows.evaluatedRanges
    case .rows(let wanted):
      let all = 0..<count
      ranges =
        shownRows.count < wanted.count
        ? wanted[shownRows.count].map { $0.clamped(to: all) }.filter { !$0.isEmpty } : [all]
    }
    if ranges != [0..<count] && count > 0 { isPartial = true }
    shownRows.append(ranges)
    var end = 0
    for range in ranges {
      addGap(end..<max(end, range.lowerBound), indent)
      for position in max(end, range.lowerBound)..<max(end, range.upperBound) {
        let row = row(at: position, of: rows)
        if !add(row.id, of: host, indent: indent) { return false }
      }
      end = max(end, range.upperBound)
    }
    addGap(end..<count, indent)
    return true
  }

  private func row(at position: Int, of rows: RowList) -> Scope {
    // Looking at those that are there is not to ask for them: see ReleasingRows.swift.
    if case .present = wanted, let row = rows.shown.scope(at: position) { return row }
    return rows.row(at: position)
  }

  private mutating func addGap(_ rows: Range<Int>, _ indent: String) {
    if !rows.isEmpty { lines.append("\(indent)rows \(rows) that nobody has asked for") }
  }

  private mutating func add(_ element: Element, of host: ViewHost, indent: String) -> Bool {
    switch element.storage {
    case .scope(let scope): return add(scope, of: host, indent: indent)
    case .drawn(let drawn):
      lines.append(indent + FrameLines.line(of: drawn))
      lines += drawn.errors.map { "\(indent)! \(FrameLines.oneLine($0))" }
      return drawn.children.allSatisfy { add($0, of: host, indent: indent + "  ") }
    case .key(let binding):
      let isEnabled = binding.isEnabled ? "" : " (disabled)"
      lines.append("\(indent)key \(FrameLines.word(binding.key.name))\(isEnabled)")
    case .group, .branch, .view, .rows, .part, .identified, .environment, .life, .hidden: break
    }
    return true
  }

  private static func line(of element: DrawnElement) -> String {
    var line = word(element.kind.name)
    if let id = element.id { line += " #\(word(id))" }
    if !element.text.isEmpty { line += " \(element.text.debugDescription)" }
    switch element.value {
    case .none: break
    case .text(let text): line += " = \(text.debugDescription)"
    case .flag(let isOn): line += " = \(isOn)"
    case .fraction(let part): line += " = \(part)"
    case .choice(let choice, let options):
      line += " = \(choice.title.debugDescription) of \(options.map(\.title))"
    }
    if element.look != ElementLook() { line += " \(element.look.words)" }
    return element.isEnabled ? line : line + " (disabled)"
  }

  /// A name as it is, or quoted where it could be taken for something else.
  private static func word(_ name: String) -> String {
    let isPlain = name.utf8.allSatisfy { $0 > 0x22 && $0 != 0x7f }
    return isPlain && !name.isEmpty && !name.contains(where: \.isWhitespace)
      ? name : name.debugDescription
  }

  /// A text as it is, or quoted where it is not one line.
  private static func oneLine(_ text: String) -> String {
    text.contains(where: \.isNewline) || text.hasPrefix("\"") ? text.debugDescription : text
  }
}

extension ElementLook {
  /// What it wishes.
  fileprivate var words: String {
    var words = styles.map(\.name)
    let wishes: [(String, Any?)] = [
      ("minWidth", minWidth), ("maxWidth", maxWidth), ("minHeight", minHeight),
      ("maxHeight", maxHeight), ("flex", flex), ("alignment", alignment), ("order", order),
    ]
    for case (let name, let value?) in wishes { words.append("\(name) \(value)") }
    return "{\(words.joined(separator: ", "))}"
  }
}

extension RowList {
  /// Where the rows stand that somebody has asked for, and that nothing has changed since.
  ///
  /// O(rows) up to the last one of them.
  fileprivate var evaluatedRanges: [Range<Int>] {
    var ranges: [Range<Int>] = []
    forEachKnown { position, row in
      guard row.isEvaluated else { return }
      if let last = ranges.last, last.upperBound == position {
        ranges[ranges.count - 1] = last.lowerBound..<position + 1
      } else {
        ranges.append(position..<position + 1)
      }
    }
    return ranges
  }
}
