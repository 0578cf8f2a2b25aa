// Parses the bytes of a terminal into keys, mouse actions and pastes.
//
// State: `state`, the construct being read; the `parameters` of a sequence, and `isTooLong`,
// whether it has more of them than any known sequence; the `text` of a paste, and `isStalled`,
// whether its end didn't arrive in time; the `partial` bytes of a UTF-8 character. All of it is
// bounded: a sequence that is too long is dropped, and a long paste is reported in parts.
//
// Bytes may be split anywhere. A lone escape byte is the escape key. Only time distinguishes it
// from the beginning of a sequence: `flush` is called when no byte has arrived within `patience`.

/// Turns bytes into user actions.
///
/// The result doesn't depend on how the bytes are split.
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
    /// A string that a terminal sends as a response, up to its end, with its first byte. `true`
    /// after an escape within it.
    case string(UInt8, count: Int, Bool)
    /// A mouse report in the encoding older than SGR, with the number of bytes still expected.
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
  /// Whether an escape preceded the bytes being read.
  var isAlt = false
  /// The byte that the backspace key sends.
  private let backspace: UInt8

  private static let sequenceLimit = 64

  /// Creates a parser for a terminal, given the byte that its backspace key sends.
  package init(backspace: UInt8 = 0x7F) { self.backspace = backspace }

  /// The number of milliseconds to wait for more bytes before ``flush()``; nil if the input so far
  /// is complete.
  package var patience: Int? {
    switch state {
    case .ground: partial.isEmpty ? nil : 40
    case .paste: isStalled ? nil : 1000
    default: 40
    }
  }

  /// Parses bytes.
  ///
  /// - Returns: The actions that the bytes complete.
  package mutating func parse(_ bytes: some Sequence<UInt8>) -> [TerminalInput] {
    for byte in bytes { take(byte) }
    defer { events = [] }
    return events
  }

  /// Completes the pending input, because no byte has arrived for a while.
  ///
  /// A paste isn't ended by time. But once it has stalled, ctrl-c ends it, because its end may have
  /// been lost.
  package mutating func flush() -> [TerminalInput] {
    defer { events = [] }
    if case .paste = state {
      isStalled = true
      emitPart()
      return events
    }
    switch state {
    case .escape: key("escape")
    case .sequence where parameters.isEmpty: key("[", modifiers: .alt)
    case .function: key("O", modifiers: .alt)
    case .string(let first, count: 0, false): key(String(Unicode.Scalar(first)), modifiers: .alt)
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

  mutating func key(_ name: String, modifiers: TerminalKey.Modifiers = []) {
    events.append(.key(TerminalKey(name, modifiers: isAlt ? modifiers.union(.alt) : modifiers)))
    isAlt = false
  }

  // MARK: - Bytes

  private mutating func take(_ byte: UInt8) {
    switch state {
    case .ground: takeCharacter(byte)
    case .escape: takeAfterEscape(byte)
    case .sequence: takeSequence(byte)
    case .function: takeNamed(byte, from: InputParser.letters)
    case .console: takeNamed(byte, from: InputParser.consoleLetters)
    case .string(let first, let count, let isEnding):
      takeString(byte, first: first, count: count, isEnding: isEnding)
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
    case 0x08: key("delete", modifiers: .control)
    case 0x00: key(" ", modifiers: .control)
    case 0x01...0x1A: key(String(Unicode.Scalar(byte + 0x60)), modifiers: .control)
    case 0x1C...0x1F: key(String(Unicode.Scalar(byte + 0x40)), modifiers: .control)
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
    // Invalid UTF-8 becomes replacement characters.
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
      // The first escape was the key, unless a sequence with alt held down follows.
      key("escape")
    default:
      begin(.ground)
      isAlt = true
      takeCharacter(byte)
    }
  }

  private mutating func takeNamed(_ byte: UInt8, from names: [UInt8: String]) {
    begin(.ground)
    if let name = names[byte] { key(name) } else { takeUnknown(byte) }
  }

  /// Ignores an unknown sequence, unless the byte is an escape, which begins another.
  private mutating func takeUnknown(_ byte: UInt8) {
    isAlt = false
    if byte == 0x1B { begin(.escape) }
  }

  /// Skips a string of any length.
  ///
  /// None of its bytes is a key.
  private mutating func takeString(
    _ byte: UInt8, first: UInt8, count: Int, isEnding: Bool
  ) {
    if byte == 0x07 || byte == 0x18 || byte == 0x1A || (isEnding && byte == UInt8(ascii: "\\")) {
      begin(.ground)
    } else if isEnding {
      // Not the end of the string, but an escape that begins something else.
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
      if known { finish(parameters, final: byte) } else { isAlt = false }
    default:
      begin(.ground)
      takeUnknown(byte)
    }
  }
}
