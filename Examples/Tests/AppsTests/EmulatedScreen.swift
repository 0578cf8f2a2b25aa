/// A terminal's screen, made of the bytes that a program writes: after ECMA-48 and xterm's control sequences.
///
/// It is not the product's own, and knows nothing of it. Styles are ignored; what it does not know is an issue.
struct EmulatedScreen {
  private(set) var unknown: [String] = []
  /// The private modes that are on.
  private(set) var modes: Set<String> = ["?7", "?25"]
  private var rows: [[String]]
  private var kept: [[String]] = []
  private let (width, height): (Int, Int)
  private var (x, y) = (0, 0)
  private var region: ClosedRange<Int>
  private var pending: [UInt8] = []

  init(width: Int, height: Int) {
    (self.width, self.height) = (width, height)
    rows = Array(repeating: Array(repeating: " ", count: width), count: height)
    region = 0...height - 1
  }

  /// What can be read, without blanks at the ends.
  var text: String {
    var lines = rows.map { row in
      var line = row[...]
      while line.last == " " { line.removeLast() }
      return line.joined()
    }
    while lines.last == "" { lines.removeLast() }
    return lines.joined(separator: "\n")
  }

  /// Takes what was written; what is cut waits for the rest.
  mutating func write(_ bytes: some Sequence<UInt8>) {
    pending += bytes
    while let first = pending.first, let length = length(first), length <= pending.count {
      let unit = String(decoding: pending[..<length], as: UTF8.self)
      pending.removeFirst(length)
      switch first {
      case 0x1B where unit.hasPrefix("\u{1B}["): control(unit.dropFirst(2))
      case 0x0D: x = 0
      case 0x0A: if y == region.upperBound { scroll(1) } else { y = min(y + 1, height - 1) }
      case 0x08: x = max(x - 1, 0)
      case 0..<0x20: unknown.append("\(Array(unit.utf8))")
      default: for scalar in unit.unicodeScalars { put(scalar) }
      }
    }
  }

  /// How many bytes belong together; nil while that can't be told.
  private func length(_ first: UInt8) -> Int? {
    switch first {
    case 0x1B:
      guard pending.count > 1 else { return nil }
      if pending[1] != UInt8(ascii: "[") { return 2 }
      return pending.dropFirst(2).firstIndex { (0x40...0x7E).contains($0) }.map { $0 + 1 }
    case 0xF0...: return 4
    case 0xE0...: return 3
    case 0xC0...: return 2
    default: return 1
    }
  }

  private mutating func put(_ scalar: Unicode.Scalar) {
    let columns = EmulatedScreen.columns(of: scalar)
    if columns == 0 {
      if x > 0 { rows[y][x - 1].unicodeScalars.append(scalar) }
      return
    }
    if x + columns > width, modes.contains("?7") {
      x = 0
      if y == region.upperBound { scroll(1) } else { y = min(y + 1, height - 1) }
    }
    x = min(x, width - columns)
    // Half of a wide character is none.
    if rows[y][x] == "" { rows[y][x - 1] = " " }
    if x + columns < width, rows[y][x + columns] == "" { rows[y][x + columns] = " " }
    rows[y][x] = String(scalar)
    if columns == 2 { rows[y][x + 1] = "" }
    x += columns
  }

  /// The width of a character, after Unicode's East Asian Width (W and F), in ranges.
  private static func columns(of scalar: Unicode.Scalar) -> Int {
    switch scalar.properties.generalCategory {
    case .nonspacingMark, .enclosingMark, .format: return 0
    default: break
    }
    let wide: [ClosedRange<UInt32>] = [
      0x1100...0x115F, 0x2E80...0x303E, 0x3041...0xA4CF, 0xAC00...0xD7A3, 0xF900...0xFAFF,
      0xFE30...0xFE6F, 0xFF00...0xFF60, 0xFFE0...0xFFE6, 0x1F300...0x1F64F, 0x1F900...0x1F9FF,
      0x20000...0x3FFFD,
    ]
    return wide.contains { $0.contains(scalar.value) } ? 2 : 1
  }

  private mutating func control(_ sequence: Substring) {
    let text = String(sequence.dropLast())
    let numbers = text.split(separator: ";", omittingEmptySubsequences: false).map { Int($0) ?? 0 }
    func number(_ place: Int) -> Int { place < numbers.count ? max(numbers[place], 1) : 1 }
    switch sequence.last {
    case "H": (y, x) = (min(number(0), height) - 1, min(number(1), width) - 1)
    case "C": x = min(x + number(0), width - 1)
    case "K" where text.isEmpty:
      x = min(x, width - 1)
      if rows[y][x] == "" { rows[y][x - 1] = " " }
      for place in x..<width { rows[y][place] = " " }
    case "J" where text == "2": erase()
    case "m": break
    case "r":
      region = text.isEmpty ? 0...height - 1 : number(0) - 1...number(1) - 1
      (x, y) = (0, 0)
    case "S": scroll(number(0))
    case "T": scroll(-number(0))
    case "h" where text.hasPrefix("?"):
      modes.insert(text)
      if text == "?1049" {
        kept = rows
        erase()
      }
    case "l" where text.hasPrefix("?"):
      if modes.remove(text) != nil, text == "?1049" { rows = kept }
    default: unknown.append("CSI \(sequence)")
    }
  }

  private mutating func erase() {
    rows = Array(repeating: Array(repeating: " ", count: width), count: height)
  }

  /// Moves the rows of the region up, or down by a negative number.
  private mutating func scroll(_ distance: Int) {
    let blank = Array(repeating: " ", count: width)
    for _ in 0..<min(abs(distance), region.count) {
      rows.remove(at: distance > 0 ? region.lowerBound : region.upperBound)
      rows.insert(blank, at: distance > 0 ? region.upperBound : region.lowerBound)
    }
  }
}
