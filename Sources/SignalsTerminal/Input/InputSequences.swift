// The meaning of escape sequences: named keys, mouse reports, and the beginning of a paste.

extension InputParser {
  static let letters: [UInt8: String] = [
    UInt8(ascii: "A"): "up", UInt8(ascii: "B"): "down", UInt8(ascii: "C"): "right",
    UInt8(ascii: "D"): "left", UInt8(ascii: "H"): "home", UInt8(ascii: "F"): "end",
    UInt8(ascii: "P"): "f1", UInt8(ascii: "Q"): "f2", UInt8(ascii: "R"): "f3",
    UInt8(ascii: "S"): "f4", UInt8(ascii: "M"): "return",
  ]

  static let consoleLetters: [UInt8: String] = [
    UInt8(ascii: "A"): "f1", UInt8(ascii: "B"): "f2", UInt8(ascii: "C"): "f3",
    UInt8(ascii: "D"): "f4", UInt8(ascii: "E"): "f5",
  ]

  private static let numbers: [Int: String] = [
    1: "home", 2: "insert", 3: "forward-delete", 4: "end", 5: "page-up", 6: "page-down", 7: "home",
    8: "end", 11: "f1", 12: "f2", 13: "f3", 14: "f4", 15: "f5", 17: "f6", 18: "f7", 19: "f8",
    20: "f9", 21: "f10", 23: "f11", 24: "f12",
  ]

  /// Handles a complete sequence.
  mutating func finish(_ parameters: [UInt8], final: UInt8) {
    defer { isAlt = false }
    if parameters.first == UInt8(ascii: "<") {
      return mouse(InputParser.integers(parameters.dropFirst()), final: final)
    }
    guard parameters.allSatisfy({ $0 < 0x3C }) else { return }
    let numbers = InputParser.integers(parameters[...])
    let modifiers = InputParser.modifiers(numbers.count > 1 ? numbers[1] : 1)
    switch final {
    case UInt8(ascii: "~"):
      switch numbers.first {
      case 200?: beginPaste()
      // A key from xterm in the mode that reports modified keys.
      case 27? where numbers.count == 3: character(numbers[2], modifiers: modifiers)
      case let number?:
        if let name = InputParser.numbers[number] { key(name, modifiers: modifiers) }
      case nil: break
      }
    case UInt8(ascii: "Z"): key("tab", modifiers: .shift)
    case UInt8(ascii: "u"): character(numbers.first ?? 0, modifiers: modifiers)
    // A cursor position report looks like F3 with other numbers.
    case UInt8(ascii: "R") where numbers.count > 1 && numbers[0] != 1: break
    case UInt8(ascii: "M"): break
    default: if let name = InputParser.letters[final] { key(name, modifiers: modifiers) }
    }
  }

  /// Handles a key from a terminal in a mode that reports all keys.
  private mutating func character(_ code: Int, modifiers: TerminalKey.Modifiers) {
    switch code {
    case 9: key("tab", modifiers: modifiers)
    case 13: key("return", modifiers: modifiers)
    case 27: key("escape", modifiers: modifiers)
    case 8, 127: key("delete", modifiers: modifiers)
    // Keys without a character, such as the Shift key alone.
    case 0xE000...0xF8FF: break
    default:
      guard code >= 32, let code = UInt32(exactly: code), let scalar = Unicode.Scalar(code),
        scalar.properties.generalCategory != .control
      else { return }
      // Shift turns a letter into another character.
      if modifiers == .shift, code != 32 {
        let upper = scalar.properties.uppercaseMapping
        key(upper.count == 1 ? upper : String(scalar))
      } else {
        key(String(scalar), modifiers: code == 32 ? modifiers.subtracting(.shift) : modifiers)
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
        // No valid number is larger.
        number = min(number * 10 + Int(byte - 0x30), 1 << 30)
      }
      return number
    }
  }

  private mutating func mouse(_ numbers: [Int], final: UInt8) {
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
