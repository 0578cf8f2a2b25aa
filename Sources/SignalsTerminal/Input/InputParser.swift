// From the bytes of a terminal to keys, the mouse and pastes.
//
// State: `state`, what the bytes so far began; `parameters` of a sequence, and `isTooLong`, whether it has more of them
// than any that is known; `text` of a paste, and `isStalled`, whether it was given up waiting for its end; `partial` of a
// character in UTF-8. What is kept is bounded: a sequence that is too long is dropped, a long paste is told in pieces.
//
// Bytes may come cut anywhere. An escape alone is the key of that name, and is only told from the beginning of a
// sequence by time: `flush` is called when nothing came for as long as `patience` says.

/// Turns bytes into what a user did; however they are cut, the answer is the same.
package struct InputParser {
  enum State {
    case ground
    case escape
    /// `ESC [`
    case sequence
    /// `ESC O`
    case function
    /// `ESC [ [`: a function key of the Linux console.
    case console
    /// A string that a terminal sends as an answer, begun by a byte, up to its end; `true` after an escape in it.
    case string(UInt8, count: Int, Bool)
    /// The mouse as terminals told it before there was SGR: so many bytes to come.
    case oldMouse(Int)
    case paste
  }

  private(set) var state = State.ground
  private var parameters: [UInt8] = []
  private var isTooLong = false
  var text: [UInt8] = []
  var isStalled = false
  private var partial: [UInt8] = []
  var events: [TerminalInput] = []
  /// Whether an escape stood before what is being read.
  var isAlt = false
  /// What the key that deletes backwards sends.
  private let backspace: UInt8

  private static let sequenceLimit = 64

  /// A parser for a terminal whose key that deletes backwards sends some byte.
  package init(backspace: UInt8 = 0x7F) { self.backspace = backspace }

  /// How many milliseconds what came last may go on, before ``flush()``; nil if it is complete.
  package var patience: Int? {
    switch state {
    case .ground: partial.isEmpty ? nil : 40
    case .paste: isStalled ? nil : 1000
    default: 40
    }
  }

  /// Takes bytes; the answer is what they say.
  package mutating func parse(_ bytes: some Sequence<UInt8>) -> [TerminalInput] {
    for byte in bytes { take(byte) }
    defer { events = [] }
    return events
  }

  /// Nothing came for a while: what was begun is what it is.
  ///
  /// A paste goes on whatever the time, but for ctrl-c: its end may have been lost.
  package mutating func flush() -> [TerminalInput] {
    defer { events = [] }
    if case .paste = state {
      isStalled = true
      tellPart()
      return events
    }
    switch state {
    case .escape: key("escape")
    case .sequence where parameters.isEmpty: key("[", .alt)
    case .function: key("O", .alt)
    case .string(let first, count: 0, false): key(String(Unicode.Scalar(first)), .alt)
    default: break
    }
    if !partial.isEmpty {
      partial = []
      key("\u{FFFD}")
    }
    isAlt = false
    begin(.ground)
    return events
  }

  mutating func begin(_ new: State) {
    state = new
    parameters = []
    isTooLong = false
  }

  mutating func key(_ name: String, _ modifiers: TerminalKey.Modifiers = []) {
    events.append(.key(TerminalKey(name, isAlt ? modifiers.union(.alt) : modifiers)))
    isAlt = false
  }

  // MARK: - Bytes

  private mutating func take(_ byte: UInt8) {
    switch state {
    case .ground: takeCharacter(byte)
    case .escape: takeAfterEscape(byte)
    case .sequence: takeSequence(byte)
    case .function: takeNamed(byte, InputParser.letters)
    case .console: takeNamed(byte, InputParser.consoleLetters)
    case .string(let first, let count, let isEnding): takeString(byte, first, count, isEnding)
    case .oldMouse(let missing): begin(missing > 1 ? .oldMouse(missing - 1) : .ground)
    case .paste: takePaste(byte)
    }
  }

  mutating func takeCharacter(_ byte: UInt8) {
    if !partial.isEmpty || byte >= 0x80 { return takeUTF8(byte) }
    switch byte {
    case 0x1B: begin(.escape)
    case 0x0D, 0x0A: key("return")
    case 0x09: key("tab")
    case 0x7F, backspace: key("delete")
    case 0x08: key("delete", .control)
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
      begin(.string(byte, count: 0, false))
    case 0x1B:
      // The first was the key, unless a sequence follows with alt held down.
      key("escape")
    default:
      begin(.ground)
      isAlt = true
      takeCharacter(byte)
    }
  }

  private mutating func takeNamed(_ byte: UInt8, _ names: [UInt8: String]) {
    begin(.ground)
    if let name = names[byte] { key(name) } else { takeUnknown(byte) }
  }

  /// A sequence that nobody knows says nothing, unless an escape begins another.
  private mutating func takeUnknown(_ byte: UInt8) {
    isAlt = false
    if byte == 0x1B { begin(.escape) }
  }

  /// However long a string is, nothing of it is a key.
  private mutating func takeString(
    _ byte: UInt8, _ first: UInt8, _ count: Int, _ isEnding: Bool
  ) {
    if byte == 0x07 || byte == 0x18 || byte == 0x1A || (isEnding && byte == UInt8(ascii: "\\")) {
      begin(.ground)
    } else if isEnding {
      // Not the end of the string, but an escape all the same.
      begin(.escape)
      take(byte)
    } else {
      state = .string(first, count: count + 1, byte == 0x1B)
    }
  }

  private mutating func takeSequence(_ byte: UInt8) {
    switch byte {
    case UInt8(ascii: "M") where parameters.isEmpty: begin(.oldMouse(3))
    case UInt8(ascii: "[") where parameters.isEmpty: begin(.console)
    case 0x20...0x3F:
      if parameters.count < InputParser.sequenceLimit {
        parameters.append(byte)
      } else {
        isTooLong = true
      }
    case 0x40...0x7E:
      let (known, parameters) = (!isTooLong, parameters)
      begin(.ground)
      if known { finish(parameters, byte) } else { isAlt = false }
    default:
      begin(.ground)
      takeUnknown(byte)
    }
  }
}
