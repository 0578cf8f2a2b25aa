/// The lines of a report or an expectation: a section for each store, and then one for the screen.
///
/// Lines that are indented below a line of a store belong to it. The lines of the screen are a flat
/// list, in order.
struct ReportLines {
  struct Section {
    var title: String?
    var nodes: [Node] = []
  }

  struct Node {
    let line: String
    var below: [Node] = []
  }

  private(set) var sections = [Section()]

  init(_ lines: [String]) {
    // The nodes that may still get children, outermost first, with their indentation.
    var open: [(indent: Int, node: Node)] = []
    func close(downTo indent: Int) {
      while let last = open.last, last.indent >= indent {
        open.removeLast()
        if open.isEmpty {
          sections[sections.count - 1].nodes.append(last.node)
        } else {
          open[open.count - 1].node.below.append(last.node)
        }
      }
    }
    for line in lines {
      let indent = line.prefix { $0 == " " }.count
      if ReportLines.isTitle(line) {
        close(downTo: 0)
        sections.append(Section(title: line))
      } else if sections[sections.count - 1].title == "screen" {
        sections[sections.count - 1].nodes.append(Node(line: line))
      } else {
        close(downTo: indent)
        open.append((indent, Node(line: line)))
      }
    }
    close(downTo: 0)
  }

  private static func isTitle(_ line: String) -> Bool {
    line == "screen" || line.wholeMatch(of: /store \d+/) != nil
  }

  // MARK: - Expectations

  /// Returns the lines of an expectation in the form of a report.
  ///
  /// Trailing blanks and common indentation are removed, because a report has neither.
  static func lines(of text: String) -> [String] {
    let lines = text.split(whereSeparator: \.isNewline).map { line in
      String(line.reversed().drop(while: \.isWhitespace).reversed())
    }.filter { !$0.isEmpty }
    let indent = lines.map { $0.prefix { $0 == " " }.count }.min() ?? 0
    return lines.map { String($0.dropFirst(indent)) }
  }

  /// Returns lines as a string literal that evaluates to exactly these lines.
  static func literal(_ lines: [String]) -> String {
    let text = lines.joined(separator: "\n")
    var marks = ""
    while text.contains("\\\(marks)") || text.contains("\"\"\"\(marks)") { marks += "#" }
    return "\(marks)\"\"\"\n\(text)\n\"\"\"\(marks)"
  }

  // MARK: - Partial expectations

  /// Returns each line of this expectation, and whether it was met in a report.
  func met(in found: ReportLines) -> [(line: String, isMet: Bool)] {
    sections.flatMap { section -> [(line: String, isMet: Bool)] in
      let other = found.sections.first { $0.title == section.title }
      let title = section.title.map { [($0, other != nil)] } ?? []
      return title
        + Self.met(section.nodes, in: other?.nodes ?? [], inOrder: section.title == "screen")
    }
  }

  private static func met(
    _ expected: [Node], in found: [Node], inOrder: Bool
  ) -> [(line: String, isMet: Bool)] {
    var left = found[...]
    return expected.flatMap { node -> [(line: String, isMet: Bool)] in
      let alike = left.indices.filter { left[$0].line == node.line }
      let whole = alike.first { index in
        met(node.below, in: left[index].below, inOrder: false).allSatisfy(\.isMet)
      }
      guard let index = whole ?? alike.first else {
        return [(node.line, false)] + met(node.below, in: [], inOrder: false)
      }
      let below = left[index].below
      if inOrder { left = left[(index + 1)...] } else { left.remove(at: index) }
      return [(node.line, true)] + met(node.below, in: below, inOrder: false)
    }
  }
}
