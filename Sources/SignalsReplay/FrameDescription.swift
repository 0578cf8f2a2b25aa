import Signals

/// A description of the screen in lines, by which an intent log compares frames.
///
/// Equal screens have equal lines in any process. An element has a line with its kind, id, text,
/// value and look and whether it is enabled, followed by a line for each of its errors. It is
/// indented below its container. A bound key has a line, and so has the focus. Only those rows of a
/// `ForEach` that a renderer has asked for have lines. A line in between states the range of rows
/// left out.
struct FrameDescription {
  private(set) var lines: [String] = []
  /// For each `ForEach`, in order, the ranges of rows that have lines; nil if no row is left out.
  var rows: [[Range<Int>]]? { isPartial ? shownRows : nil }

  private var shownRows: [[Range<Int>]] = []
  private var isPartial = false
  private let wanted: Wanted

  private enum Wanted {
    /// The rows that are already evaluated. Nothing is evaluated.
    case present
    /// The given rows, and all rows of each `ForEach` for which none are given.
    case rows([[Range<Int>]])
  }

  /// Describes the current screen without evaluating anything; nil while a frame is due.
  ///
  /// - Complexity: O(elements on screen), plus O(rows) up to the last row that a renderer has asked
  ///   for.
  init?(of host: ViewHost) {
    self.init(of: host, .present)
  }

  /// Describes the current screen with the given rows of each `ForEach`; nil while a frame is due.
  ///
  /// - Parameters:
  ///   - rows: The ``rows`` of the lines to compare with; nil for all rows. Rows that no renderer
  ///     of this host has asked for are evaluated.
  init?(of host: ViewHost, rows: [[Range<Int>]]?) {
    self.init(of: host, .rows(rows ?? []))
  }

  private init?(of host: ViewHost, _ wanted: Wanted) {
    self.wanted = wanted
    guard host.isUpToDate, add(host.frame.root, of: host, indent: "") else { return nil }
    if let focus = untracked({ host.focus }) { lines.append("focus #\(Self.word(focus))") }
  }

  /// The lines, joined to one string.
  var text: String { lines.joined(separator: "\n") }

  /// A 64-bit hash of the lines (FNV-1a).
  ///
  /// Different lines have the same hash with probability 2⁻⁶⁴.
  var number: UInt64 {
    var number: UInt64 = 0xcbf2_9ce4_8422_2325
    for line in lines {
      for byte in line.utf8 { number = (number ^ UInt64(byte)) &* 0x100_0000_01b3 }
      number = (number ^ 0x0a) &* 0x100_0000_01b3
    }
    return number
  }

  private mutating func add(_ scope: ScopeID, of host: ViewHost, indent: String) -> Bool {
    if case .rows = wanted { _ = host.frame.rows(of: scope) }
    switch host.evaluatedContent(of: scope) {
    case .elements(let elements):
      return elements.allSatisfy { add($0, of: host, indent: indent) }
    case .rows(let count, let evaluated):
      var evaluated = evaluated[...]
      return addRows(count, evaluated: &evaluated, in: scope, of: host, indent: indent)
    case nil: return false
    }
  }

  private mutating func addRows(
    _ count: Int, evaluated: inout ArraySlice<(position: Int, scope: ScopeID)>, in list: ScopeID,
    of host: ViewHost, indent: String
  ) -> Bool {
    let ranges: [Range<Int>]
    switch wanted {
    case .present: ranges = FrameDescription.ranges(of: evaluated.lazy.map { $0.position })
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
      addGap(end..<max(end, range.lowerBound), indent: indent)
      for position in max(end, range.lowerBound)..<max(end, range.upperBound) {
        let row =
          switch wanted {
          // Looking at existing rows must not count as asking for them: see
          // `Frame.releaseRows()`.
          case .present: evaluated.popFirst()?.scope
          case .rows: FrameDescription.row(at: position, in: list, of: host)
          }
        guard let row, add(row, of: host, indent: indent) else { return false }
      }
      end = max(end, range.upperBound)
    }
    addGap(end..<count, indent: indent)
    return true
  }

  /// Returns the row at a position, which is asked for; nil if an intent of another row has removed
  /// it.
  private static func row(at position: Int, in list: ScopeID, of host: ViewHost) -> ScopeID? {
    // Each evaluation of a row may make another frame.
    guard let rows = host.frame.rows(of: list), position < rows.count else { return nil }
    return rows[position]
  }

  /// Returns the ranges that ascending positions form.
  private static func ranges(of positions: some Sequence<Int>) -> [Range<Int>] {
    var ranges: [Range<Int>] = []
    for position in positions {
      if let last = ranges.last, last.upperBound == position {
        ranges[ranges.count - 1] = last.lowerBound..<position + 1
      } else {
        ranges.append(position..<position + 1)
      }
    }
    return ranges
  }

  private mutating func addGap(_ rows: Range<Int>, indent: String) {
    if !rows.isEmpty { lines.append("\(indent)rows \(rows) that were not asked for") }
  }

  private mutating func add(_ element: Element, of host: ViewHost, indent: String) -> Bool {
    switch element.content {
    case .scope(let scope): return add(scope, of: host, indent: indent)
    case .drawn(let drawn):
      lines.append(indent + FrameDescription.line(of: drawn))
      lines += drawn.errors.map { "\(indent)! \(FrameDescription.oneLine($0))" }
      return drawn.children.allSatisfy { add($0, of: host, indent: indent + "  ") }
    case nil:
      guard let binding = element.boundKey else { break }
      let isEnabled = binding.isEnabled ? "" : " (disabled)"
      lines.append("\(indent)key \(FrameDescription.word(binding.key.name))\(isEnabled)")
    }
    return true
  }

  private static func line(of element: DrawnElement) -> String {
    var line = word(element.kind.name)
    if let id = element.id { line += " #\(word(id))" }
    if !element.text.isEmpty { line += " \(element.text.debugDescription)" }
    line += element.value.assignment
    if element.look != ElementLook() { line += " \(element.look.words)" }
    return element.isEnabled ? line : line + " (disabled)"
  }

  /// A name, quoted if it could be taken for another part of the line.
  private static func word(_ name: String) -> String {
    let isPlain = name.utf8.allSatisfy { $0 > 0x22 && $0 != 0x7f }
    return isPlain && !name.isEmpty && !name.contains(where: \.isWhitespace)
      ? name : name.debugDescription
  }

  /// A text, quoted if it isn't a single line.
  private static func oneLine(_ text: String) -> String {
    text.contains(where: \.isNewline) || text.hasPrefix("\"") ? text.debugDescription : text
  }
}

extension ElementValue {
  /// The value in a line of a screen, such as ` = true`; empty if there is none.
  package var assignment: String {
    switch self {
    case .none: ""
    case .text(let text): " = \(text.debugDescription)"
    case .secret(let text): " = \(ElementValue.masked(text).debugDescription)"
    case .address(let address): " = \(address.debugDescription)"
    case .flag(let isOn): " = \(isOn)"
    case .fraction(let part): " = \(part)"
    case .choice(let choice, let options):
      " = \(choice.title.debugDescription) of \(options.map(\.title))"
    }
  }
}

extension ElementLook {
  /// The properties of the look that are set.
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
