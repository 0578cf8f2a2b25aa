// Pasted text: everything up to the end marker that the terminal sends, whatever it contains.

extension InputParser {
  private static let pasteLimit = 1 << 16
  private static let pasteEnd = Array("\u{1B}[201~".utf8)

  mutating func beginPaste() {
    begin(.paste)
    text = []
    isStalled = false
  }

  mutating func takePaste(_ byte: UInt8) {
    if isStalled, byte == 0x03 {
      // The end of the paste was lost, and the user wants to get out.
      emit(text[...])
      text = []
      begin(.ground)
      return takeCharacter(byte)
    }
    isStalled = false
    text.append(byte)
    if byte == UInt8(ascii: "~"),
      text.suffix(InputParser.pasteEnd.count) == InputParser.pasteEnd[...]
    {
      emit(text.dropLast(InputParser.pasteEnd.count))
      text = []
      begin(.ground)
    } else if text.count >= InputParser.pasteLimit {
      emitPart()
    }
  }

  /// Reports the part of a paste received so far.
  ///
  /// Keeps back a character or an end marker that may be incomplete, and a carriage return whose
  /// line feed may still arrive.
  mutating func emitPart() {
    var end = text.count
    if let escape = text.suffix(InputParser.pasteEnd.count).lastIndex(of: 0x1B) {
      end = escape
    } else {
      // A character has at most four bytes.
      let begins = text.suffix(4).lastIndex { $0 & 0xC0 != 0x80 }
      if let begins, text[begins] >= 0xC0 || text[begins] == 0x0D { end = begins }
    }
    emit(text[..<end])
    text.removeSubrange(..<end)
  }

  private mutating func emit(_ bytes: ArraySlice<UInt8>) {
    if !bytes.isEmpty { events.append(.paste(String(decoding: bytes, as: UTF8.self))) }
  }
}
