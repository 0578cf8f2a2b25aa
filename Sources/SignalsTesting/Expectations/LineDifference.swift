/// The lines to remove and to add to turn one list of lines into another.
struct LineDifference {
  enum Line: Equatable {
    case same(String)
    case removed(String)
    case added(String)
  }

  /// All lines, with removed lines before those added in their place.
  let lines: [Line]

  init(from old: [String], to new: [String]) {
    var removed: Set<Int> = []
    var added: Set<Int> = []
    for change in new.difference(from: old) {
      switch change {
      case .remove(let offset, _, _): removed.insert(offset)
      case .insert(let offset, _, _): added.insert(offset)
      }
    }
    var lines: [Line] = []
    var (x, y) = (0, 0)
    while x < old.count || y < new.count {
      if removed.contains(x) {
        lines.append(.removed(old[x]))
        x += 1
      } else if added.contains(y) {
        lines.append(.added(new[y]))
        y += 1
      } else {
        lines.append(.same(old[x]))
        x += 1
        y += 1
      }
    }
    self.lines = lines
  }

  /// The changes with two unchanged lines around them.
  ///
  /// Longer runs of unchanged lines are shown as their number.
  var text: String {
    var result: [String] = []
    var equal: [String] = []
    func flush(isLast: Bool) {
      let isFirst = result.isEmpty
      let (head, tail) = (isFirst ? 0 : 2, isLast ? 0 : 2)
      if equal.count <= head + tail + 1 {
        result += equal.map { "  \($0)" }
      } else {
        result += equal.prefix(head).map { "  \($0)" }
        result.append("  … \(equal.count - head - tail) equal lines")
        result += equal.suffix(tail).map { "  \($0)" }
      }
      equal = []
    }
    for line in lines {
      switch line {
      case .same(let line): equal.append(line)
      case .removed(let line):
        flush(isLast: false)
        result.append("- \(line)")
      case .added(let line):
        flush(isLast: false)
        result.append("+ \(line)")
      }
    }
    flush(isLast: true)
    return result.joined(separator: "\n")
  }
}
