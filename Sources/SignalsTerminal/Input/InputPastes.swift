// What a terminal says was pasted: everything up to the end that it tells, whatever it contains.

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
      // Its end was lost: whoever sits there wants to get out.
      tell(text[...])
      text = []
      begin(.ground)
      return takeCharacter(byte)
    }
    isStalled = false
    text.append(byte)
    if byte == UInt8(ascii: "~"),
      text.suffix(InputParser.pasteEnd.count) == InputParser.pasteEnd[...]
    {
      tell(text.dropLast(InputParser.pasteEnd.count))
      text = []
      begin(.ground)
    } else if text.count >= InputParser.pasteLimit {
      tellPart()
    }
  }

  /// Tells what came of a paste, but for a character or an end that may be cut, and a line end of which one half may be
  /// to come.
  mutating func tellPart() {
    var end = text.count
    if let escape = text.suffix(InputParser.pasteEnd.count).lastIndex(of: 0x1B) {
      end = escape
    } else {
      // No character has more than four bytes.
      let begins = text.suffix(4).lastIndex { $0 & 0xC0 != 0x80 }
      if let begins, text[begins] >= 0xC0 || text[begins] == 0x0D { end = begins }
    }
    tell(text[..<end])
    text.removeSubrange(..<end)
  }

  private mutating func tell(_ bytes: ArraySlice<UInt8>) {
    if !bytes.isEmpty { events.append(.paste(String(decoding: bytes, as: UTF8.self))) }
  }
}
