import SignalsTerminal

/// A terminal of cells: reads what is written to it, and shows it.
///
/// It knows what `EscapeWriter` and `TerminalApp` use, and nothing else: anything else is an issue of its own.
struct Emulator {
  private(set) var grid: CellGrid
  private(set) var modes: Set<String> = []
  private(set) var unknown: [String] = []
  private(set) var bytes = 0
  /// What is on the clipboard, as it was sent.
  private(set) var clipboard = ""
  private(set) var cursor = (x: 0, y: 0)
  let pool: GlyphPool
  private var style = Style.plain
  private var region: Range<Int>
  private var pending: [UInt8] = []
  private var kept: CellGrid?
  /// Whether the scalars of a cluster share its cells, or each that has a shape takes its own.
  private let joins: Bool

  init(width: Int, height: Int, pool: GlyphPool = GlyphPool(), joins: Bool = true) {
    self.joins = joins
    grid = CellGrid(width: width, height: height)
    self.pool = pool
    region = 0..<height
  }

  /// The text on screen, without blanks at the ends.
  var text: String {
    var lines = grid.lines(pool)
    while lines.last == "" { lines.removeLast() }
    return lines.joined(separator: "\n")
  }

  mutating func write(_ new: some Collection<UInt8>) {
    bytes += new.count
    pending += new
    // A character or a sequence may be cut: what is not whole waits.
    var rest = pending[...]
    while let first = rest.first {
      if first == 0x1B {
        guard let end = sequenceEnd(rest) else { break }
        run(rest[..<end])
        rest = rest[end...]
      } else if first < 0x20 {
        control(first)
        rest = rest.dropFirst()
      } else {
        let run = rest.prefix { $0 >= 0x20 }
        let isEnd = run.endIndex == rest.endIndex
        let text = String(decoding: run, as: UTF8.self)
        if isEnd, text.last == "\u{FFFD}" { break }
        if joins {
          for character in text { put(character) }
        } else {
          for scalar in text.unicodeScalars where CharacterWidth.of(Character(scalar)) > 0 {
            put(Character(scalar))
          }
        }
        rest = rest[run.endIndex...]
      }
    }
    pending = Array(rest)
  }

  private func sequenceEnd(_ bytes: ArraySlice<UInt8>) -> Int? {
    guard bytes.count > 1 else { return nil }
    if bytes[bytes.startIndex + 1] == UInt8(ascii: "]") {
      return bytes.firstIndex(of: 0x07).map { $0 + 1 }
    }
    guard bytes[bytes.startIndex + 1] == UInt8(ascii: "[") else { return bytes.startIndex + 2 }
    return bytes.dropFirst(2).firstIndex { (0x40...0x7E).contains($0) }.map { $0 + 1 }
  }

  private mutating func control(_ byte: UInt8) {
    switch byte {
    case 0x0D: cursor.x = 0
    case 0x0A: cursor.y = min(cursor.y + 1, grid.height - 1)
    default: unknown.append("control \(byte)")
    }
  }

  private mutating func put(_ character: Character) {
    let width = CharacterWidth.of(character)
    if width == 0 { return unknown.append("a character without width") }
    // Without wrapping, the last column is written again and again.
    cursor.x = min(cursor.x, grid.width - width)
    grid.write(
      String(character), x: cursor.x, y: cursor.y, style: style, in: grid.bounds, pool: pool)
    cursor.x += width
  }

  private mutating func run(_ sequence: ArraySlice<UInt8>) {
    let text = String(decoding: sequence.dropFirst(2).dropLast(), as: UTF8.self)
    if sequence.last == 0x07 { return clipboard = String(text.split(separator: ";").last ?? "") }
    let numbers = text.split(separator: ";", omittingEmptySubsequences: false).map { Int($0) ?? 0 }
    func number(_ place: Int) -> Int { place < numbers.count ? max(1, numbers[place]) : 1 }
    let column = min(cursor.x, grid.width - 1)
    switch sequence.last.map({ Character(Unicode.Scalar($0)) }) {
    case "H":
      cursor = (min(number(1), grid.width) - 1, min(number(0), grid.height) - 1)
    case "C": cursor.x = min(column + number(0), grid.width - 1)
    case "K":
      grid.fill(
        Rect(x: column, y: cursor.y, width: grid.width - column, height: 1),
        style: Style(background: style.background))
    case "J" where text == "2": clear()
    case "m": restyle(numbers)
    case "r":
      region = text.isEmpty ? 0..<grid.height : number(0) - 1..<number(1)
      cursor = (0, 0)
    case "S": grid.scroll(region, by: number(0))
    case "T": grid.scroll(region, by: -number(0))
    case "h" where text.first == "?": set(text, true)
    case "l" where text.first == "?": set(text, false)
    default: unknown.append(text)
    }
  }

  private mutating func clear() { grid = CellGrid(width: grid.width, height: grid.height) }

  private mutating func set(_ mode: String, _ isOn: Bool) {
    if isOn { modes.insert(mode) } else { modes.remove(mode) }
    guard mode == "?1049" else { return }
    if isOn {
      kept = grid
      clear()
    } else if let kept {
      grid = kept
    }
  }

  private mutating func restyle(_ numbers: [Int]) {
    var numbers = numbers[...]
    while let code = numbers.popFirst() {
      switch code {
      case 0: style = .plain
      case 1: style.attributes.insert(.bold)
      case 2: style.attributes.insert(.dim)
      case 3: style.attributes.insert(.italic)
      case 4: style.attributes.insert(.underlined)
      case 7: style.attributes.insert(.reversed)
      case 30...37: style.foreground = .palette(UInt8(code - 30))
      case 39: style.foreground = .standard
      case 40...47: style.background = .palette(UInt8(code - 40))
      case 49: style.background = .standard
      case 90...97: style.foreground = .palette(UInt8(code - 82))
      case 100...107: style.background = .palette(UInt8(code - 92))
      case 38, 48:
        var color: Color?
        switch numbers.popFirst() {
        case 5: color = numbers.popFirst().map { .palette(UInt8($0)) }
        case 2 where numbers.count >= 3:
          let parts = numbers.prefix(3).map { UInt8($0) }
          numbers = numbers.dropFirst(3)
          color = .rgb(parts[0], parts[1], parts[2])
        default: unknown.append("color")
        }
        if let color {
          if code == 38 { style.foreground = color } else { style.background = color }
        }
      default: unknown.append("style \(code)")
      }
    }
  }
}
