// From the bytes of a terminal to keys, the mouse and pastes.
//
// State: `state`, what the bytes so far began; `parameters` of a sequence; `text` of a paste; `partial` of a character in
// UTF-8. What is kept is bounded: a sequence that is too long is dropped, a long paste is told in pieces.
//
// Bytes may come cut anywhere. An escape alone is the key of that name, and is only told from the beginning of a
// sequence by time: `flush` is called when nothing came for a while.

/// Turns bytes into what a user did; however they are cut, the answer is the same.
package struct InputParser {
  private enum State {
    case ground
    case escape
    /// `ESC [`
    case sequence
    /// `ESC O`
    case function
    /// A string that a terminal sends as an answer, up to its end; `true` after an escape in it.
    case string(Bool)
    /// The mouse as terminals told it before there was SGR: so many bytes to come.
    case oldMouse(Int)
    case paste
  }

  private var state = State.ground
  private var parameters: [UInt8] = []
  private var text: [UInt8] = []
  private var partial: [UInt8] = []
  private var events: [TerminalInput] = []
  /// Whether an escape stood before what is being read.
  private var isAlt = false

  private static let sequenceLimit = 64
  private static let pasteLimit = 1 << 16
  private static let pasteEnd = Array("\u{1B}[201~".utf8)

  package init() {}

  /// Whether what came last may be the beginning of something.
  package var isWaiting: Bool {
    if case .ground = state { return !partial.isEmpty }
    if case .paste = state { return false }
    return true
  }

  /// Takes bytes; the answer is what they say.
  package mutating func parse(_ bytes: some Sequence<UInt8>) -> [TerminalInput] {
    for byte in bytes { take(byte) }
    defer { events = [] }
    return events
  }

  /// Nothing came for a while: what was begun is what it is.
  package mutating func flush() -> [TerminalInput] {
    switch state {
    case .escape: key("escape")
    case .sequence where parameters.isEmpty: key("[", .alt)
    case .function: key("O", .alt)
    default: break
    }
    if !partial.isEmpty {
      partial = []
      key("\u{FFFD}")
    }
    if case .paste = state {} else { begin(.ground) }
    defer { events = [] }
    return events
  }

  private mutating func begin(_ new: State) {
    state = new
    parameters = []
  }

  private mutating func key(_ name: String, _ modifiers: TerminalKey.Modifiers = []) {
    events.append(.key(TerminalKey(name, isAlt ? modifiers.union(.alt) : modifiers)))
    isAlt = false
  }

  // MARK: - Bytes

  private mutating func take(_ byte: UInt8) {
    switch state {
    case .ground: takeCharacter(byte)
    case .escape: takeAfterEscape(byte)
    case .sequence: takeSequence(byte)
    case .function: takeFunction(byte)
    case .string(let isEnding): takeString(byte, isEnding)
    case .oldMouse(let missing): begin(missing > 1 ? .oldMouse(missing - 1) : .ground)
    case .paste: takePaste(byte)
    }
  }

  private mutating func takeCharacter(_ byte: UInt8) {
    if !partial.isEmpty || byte >= 0x80 { return takeUTF8(byte) }
    switch byte {
    case 0x1B: begin(.escape)
    case 0x0D, 0x0A: key("return")
    case 0x09: key("tab")
    case 0x7F, 0x08: key("delete", byte == 0x08 ? .control : [])
    case 0x00: key(" ", .control)
    case 0x01...0x1A: key(String(Unicode.Scalar(byte + 0x60)), .control)
    case 0x1C...0x1F: key(String(Unicode.Scalar(byte + 0x40)), .control)
    default: key(String(Unicode.Scalar(byte)))
    }
  }

  private mutating func takeUTF8(_ byte: UInt8) {
    if !partial.isEmpty, byte & 0xC0 != 0x80 {
      partial = []
      key("\u{FFFD}")
      return takeCharacter(byte)
    }
    partial.append(byte)
    let length =
      switch partial[0] {
      case 0xC2...0xDF: 2
      case 0xE0...0xEF: 3
      case 0xF0...0xF4: 4
      default: 1
      }
    guard partial.count >= length else { return }
    // What is no UTF-8 comes out as replacements.
    let text = String(decoding: partial, as: UTF8.self)
    partial = []
    key(text.unicodeScalars.count == 1 ? text : "\u{FFFD}")
  }

  private mutating func takeAfterEscape(_ byte: UInt8) {
    switch byte {
    case UInt8(ascii: "["): begin(.sequence)
    case UInt8(ascii: "O"): begin(.function)
    case UInt8(ascii: "P"), UInt8(ascii: "]"), UInt8(ascii: "X"), UInt8(ascii: "^"),
      UInt8(ascii: "_"):
      begin(.string(false))
    case 0x1B:
      // The first was the key, unless a sequence follows with alt held down.
      key("escape")
    default:
      begin(.ground)
      isAlt = true
      takeCharacter(byte)
    }
  }

  private mutating func takeFunction(_ byte: UInt8) {
    begin(.ground)
    if let name = InputParser.letters[byte] { key(name) } else { takeUnknown(byte) }
  }

  /// A sequence that nobody knows says nothing, unless an escape begins another.
  private mutating func takeUnknown(_ byte: UInt8) {
    isAlt = false
    if byte == 0x1B { begin(.escape) }
  }

  private mutating func takeString(_ byte: UInt8, _ isEnding: Bool) {
    parameters.append(byte)
    if byte == 0x07 || byte == 0x18 || byte == 0x1A || (isEnding && byte == UInt8(ascii: "\\")) {
      begin(.ground)
    } else if isEnding {
      // Not the end of the string, but an escape all the same.
      begin(.escape)
      take(byte)
    } else if parameters.count > InputParser.sequenceLimit * 16 {
      begin(.ground)
    } else {
      state = .string(byte == 0x1B)
    }
  }

  private mutating func takeSequence(_ byte: UInt8) {
    switch byte {
    case UInt8(ascii: "M") where parameters.isEmpty: begin(.oldMouse(3))
    case 0x20...0x3F:
      parameters.append(byte)
      if parameters.count > InputParser.sequenceLimit { begin(.ground) }
    case 0x40...0x7E:
      let parameters = parameters
      begin(.ground)
      finish(parameters, byte)
    default:
      begin(.ground)
      takeUnknown(byte)
    }
  }

  private mutating func takePaste(_ byte: UInt8) {
    text.append(byte)
    if text.suffix(InputParser.pasteEnd.count) == InputParser.pasteEnd[...] {
      paste(text.dropLast(InputParser.pasteEnd.count))
      text = []
      begin(.ground)
    } else if text.count >= InputParser.pasteLimit {
      // Neither a character nor the end is cut.
      var end = text.count
      if let escape = text.suffix(8).lastIndex(of: 0x1B) { end = escape }
      while end > 0, end == text.count || text[end] & 0xC0 == 0x80 { end -= 1 }
      paste(text[..<end])
      text.removeSubrange(..<end)
    }
  }

  private mutating func paste(_ bytes: ArraySlice<UInt8>) {
    events.append(.paste(String(decoding: bytes, as: UTF8.self)))
  }

  // MARK: - Sequences

  private static let letters: [UInt8: String] = [
    UInt8(ascii: "A"): "up", UInt8(ascii: "B"): "down", UInt8(ascii: "C"): "right",
    UInt8(ascii: "D"): "left", UInt8(ascii: "H"): "home", UInt8(ascii: "F"): "end",
    UInt8(ascii: "P"): "f1", UInt8(ascii: "Q"): "f2", UInt8(ascii: "R"): "f3",
    UInt8(ascii: "S"): "f4", UInt8(ascii: "M"): "return",
  ]

  private static let numbers: [Int: String] = [
    1: "home", 2: "insert", 3: "forward-delete", 4: "end", 5: "page-up", 6: "page-down", 7: "home",
    8: "end", 11: "f1", 12: "f2", 13: "f3", 14: "f4", 15: "f5", 17: "f6", 18: "f7", 19: "f8",
    20: "f9", 21: "f10", 23: "f11", 24: "f12",
  ]

  private mutating func finish(_ parameters: [UInt8], _ final: UInt8) {
    if parameters.first == UInt8(ascii: "<") {
      return mouse(InputParser.integers(parameters.dropFirst()), final)
    }
    guard parameters.allSatisfy({ $0 < 0x3C }) else { return isAlt = false }
    let numbers = InputParser.integers(parameters[...])
    let modifiers = InputParser.modifiers(numbers.count > 1 ? numbers[1] : 1)
    switch final {
    case UInt8(ascii: "~"):
      switch numbers.first {
      case 200?:
        begin(.paste)
        text = []
      case let number?:
        if let name = InputParser.numbers[number] { key(name, modifiers) }
      case nil: break
      }
    case UInt8(ascii: "Z"): key("tab", .shift)
    case UInt8(ascii: "u"): character(numbers.first ?? 0, modifiers)
    // Reports of the cursor look like a key with numbers of its own.
    case UInt8(ascii: "R") where numbers.count > 1 && numbers[0] != 1: break
    case UInt8(ascii: "M"): break
    default: if let name = InputParser.letters[final] { key(name, modifiers) }
    }
    isAlt = false
  }

  /// A key as terminals tell it that tell all.
  private mutating func character(_ code: Int, _ modifiers: TerminalKey.Modifiers) {
    switch code {
    case 9: key("tab", modifiers)
    case 13: key("return", modifiers)
    case 27: key("escape", modifiers)
    case 127: key("delete", modifiers)
    default:
      if code >= 32, let code = UInt32(exactly: code), let scalar = Unicode.Scalar(code) {
        key(String(scalar), modifiers)
      }
    }
  }

  private static func modifiers(_ number: Int) -> TerminalKey.Modifiers {
    TerminalKey.Modifiers(rawValue: UInt8(truncatingIfNeeded: max(0, number - 1)) & 7)
  }

  private static func integers(_ parameters: ArraySlice<UInt8>) -> [Int] {
    parameters.split(separator: UInt8(ascii: ";"), omittingEmptySubsequences: false).map { field in
      var number = 0
      for byte in field {
        guard byte >= 0x30, byte <= 0x39 else { break }
        // No number that means anything is larger.
        number = min(number * 10 + Int(byte - 0x30), 1 << 30)
      }
      return number
    }
  }

  private mutating func mouse(_ numbers: [Int], _ final: UInt8) {
    isAlt = false
    guard numbers.count == 3, numbers[1] > 0, numbers[2] > 0 else { return }
    let isRelease = final == UInt8(ascii: "m")
    let kind: TerminalMouse.Kind? =
      switch numbers[0] & ~0x1C {
      case 0: isRelease ? .release : .press
      case 32: .drag
      case 64: .scrollUp
      case 65: .scrollDown
      default: nil
      }
    guard let kind else { return }
    events.append(.mouse(TerminalMouse(kind, x: numbers[1] - 1, y: numbers[2] - 1)))
  }
}
