/// A text that equals another only if their UTF-8 does.
///
/// Strings are equal if they look alike, whether their characters are composed or not. The names of
/// a table are written as bytes, so there two spellings are two names.
package struct ExactText: Hashable, Sendable {
  /// The text.
  package let text: String

  /// Creates the exact form of a text.
  package init(_ text: String) { self.text = text }

  /// Returns whether the UTF-8 of two texts is equal.
  @inline(__always)
  package static func == (lhs: ExactText, rhs: ExactText) -> Bool {
    isEqual(lhs.text, rhs.text)
  }

  /// Returns whether the UTF-8 of two texts is equal.
  @inline(__always)
  package static func isEqual(_ lhs: String, _ rhs: String) -> Bool {
    let count = lhs.utf8.count
    guard count == rhs.utf8.count, lhs == rhs else { return false }
    // Most texts are ASCII, of which there is no other spelling with as many bytes.
    return count == lhs.utf16.count || lhs.utf8.elementsEqual(rhs.utf8)
  }

  /// Hashes the UTF-8 of the text.
  package func hash(into hasher: inout Hasher) {
    let bytes = unsafe text.utf8.span.bytes
    hasher.combine(bytes.byteCount)
    unsafe bytes.withUnsafeBytes { unsafe hasher.combine(bytes: $0) }
  }
}
