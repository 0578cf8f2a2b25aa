/// Replaces the parts of texts that differ in each run: a UUID becomes `UUID-1`, the next one
/// `UUID-2`.
///
/// State: `numbers`, in the order in which UUIDs were first found, so that the same UUID has the
/// same number in all texts; `mode`, the treatment of UUIDs without a number.
struct StableTexts {
  enum Mode {
    /// They get the next number.
    case numbering
    /// They all become `UUID`, so that they don't influence a sort order.
    case blank
    /// They stay unchanged.
    case known
  }

  private var numbers: [String: Int] = [:]
  var mode = Mode.numbering

  /// Returns a text with its UUIDs replaced by their numbers.
  mutating func stable(_ text: String) -> String {
    StableTexts.replacing(StableTexts.identifiers(in: text), of: text) { id in
      let key = id.uppercased()
      if numbers[key] == nil, mode == .numbering { numbers[key] = numbers.count + 1 }
      return numbers[key].map { "UUID-\($0)" } ?? (mode == .known ? id : "UUID")
    }
  }

  /// Returns whether a text contains a UUID.
  static func isRandom(_ text: String) -> Bool { !identifiers(in: text).isEmpty }

  /// Returns a text without its UUIDs and without the numbers of objects, such as `#12`.
  ///
  /// Used to decide whether two runs ended in the same way.
  static func blank(_ text: String) -> String {
    let text = replacing(identifiers(in: text), of: text) { _ in "UUID" }
    var blank = ""
    var isNumber = false
    for character in text {
      if isNumber, character.isASCII, character.isNumber { continue }
      isNumber = character == "#"
      blank.append(character)
    }
    return blank
  }

  /// Returns the ranges of UUIDs: 8, 4, 4, 4 and 12 hexadecimal digits, separated by dashes.
  private static func identifiers(in text: String) -> [Range<String.Index>] {
    let bytes = Array(text.utf8)
    guard bytes.count >= 36, bytes.contains(UInt8(ascii: "-")) else { return [] }
    var found: [Range<String.Index>] = []
    var start = 0
    while start + 36 <= bytes.count {
      guard isIdentifier(bytes[start..<start + 36]) else {
        start += 1
        continue
      }
      let first = text.utf8.index(text.startIndex, offsetBy: start)
      found.append(first..<text.utf8.index(first, offsetBy: 36))
      start += 36
    }
    return found
  }

  private static func isIdentifier(_ bytes: ArraySlice<UInt8>) -> Bool {
    bytes.indices.allSatisfy { index in
      switch (index - bytes.startIndex, bytes[index]) {
      case (8, let byte), (13, let byte), (18, let byte), (23, let byte):
        byte == UInt8(ascii: "-")
      case (_, UInt8(ascii: "0")...UInt8(ascii: "9")), (_, UInt8(ascii: "a")...UInt8(ascii: "f")),
        (_, UInt8(ascii: "A")...UInt8(ascii: "F")):
        true
      default: false
      }
    }
  }

  private static func replacing(
    _ ranges: [Range<String.Index>], of text: String, by name: (String) -> String
  ) -> String {
    if ranges.isEmpty { return text }
    var result = ""
    var rest = text.startIndex
    for range in ranges {
      result += text[rest..<range.lowerBound]
      result += name(String(text[range]))
      rest = range.upperBound
    }
    return result + text[rest...]
  }
}
