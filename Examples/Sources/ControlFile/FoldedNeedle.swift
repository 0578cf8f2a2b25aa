/// A text to search for, prepared once for many texts, that ignores the case of ASCII letters.
///
/// Letters outside ASCII match themselves alone: "É" does not find "é", and the Kelvin sign does not
/// find "k". Two needles are equal where they find the same texts.
public struct FoldedNeedle: Hashable, Sendable {
  /// The UTF-8 of the text, with ASCII letters in lower case.
  private let bytes: [UInt8]

  /// Prepares a search for `text`.
  public init(_ text: String) {
    bytes = text.utf8.map(ASCII.fold)
  }

  /// Whether every text contains this needle.
  public var isEmpty: Bool { bytes.isEmpty }

  /// Returns whether `text`, as UTF-8, contains the needle.
  fileprivate func isContained(in text: Span<UInt8>) -> Bool {
    let needle = bytes.span
    guard needle.count > 0 else { return true }
    guard text.count >= needle.count else { return false }
    let first = needle[0]
    for start in 0...(text.count - needle.count) where ASCII.fold(text[start]) == first {
      var length = 1
      while length < needle.count, ASCII.fold(text[start + length]) == needle[length] {
        length += 1
      }
      if length == needle.count { return true }
    }
    return false
  }
}

extension String {
  /// Returns whether this text contains `needle`, ignoring the case of ASCII letters.
  ///
  /// Compares bytes of UTF-8 and therefore finds whole scalars only, without allocating. The cost
  /// is that of a scan of the text for all but repetitive needles.
  public func containsFoldingASCII(_ needle: FoldedNeedle) -> Bool {
    withUTF8Bytes { needle.isContained(in: $0) }
  }
}

extension ScalarText {
  /// Returns whether this text contains `needle`, ignoring the case of ASCII letters.
  public func containsFoldingASCII(_ needle: FoldedNeedle) -> Bool {
    string.containsFoldingASCII(needle)
  }
}
