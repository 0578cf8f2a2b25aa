// The order of texts: that of the scalars of their composed forms (NFC).
//
// `String` promises the same order, but its operators differ from it where one composed form begins
// with the other. They then take the text with fewer bytes for the smaller one, and these bytes
// needn't be composed: of "e\u{301}" and "\u{E9}t", neither is less than the other, and a text can
// be less than one that is less than an equal of it. A tree in such an order would lose rows.

/// The order of texts.
enum TextOrder {
  /// Compares two texts: negative if the first one is smaller, positive if it is larger, zero if they
  /// are canonically equivalent.
  ///
  /// - Complexity: O(*n*) for texts of *n* bytes. It allocates memory only if composition may change
  ///   the first scalars that differ.
  @inline(__always)
  static func compare(_ left: String, to right: String) -> Int {
    if left == right { return 0 }
    if left.utf8Span.isKnownASCII, right.utf8Span.isKnownASCII { return left < right ? -1 : 1 }
    return compareUnequal(left, to: right)
  }

  /// Compares two texts that aren't equal.
  @inline(never)
  private static func compareUnequal(_ left: String, to right: String) -> Int {
    let (first, second) = (left.utf8Span.span, right.utf8Span.span)
    let end = min(first.count, second.count)
    var index = 0
    while index < end, first[index] == second[index] { index += 1 }
    var start = index
    // The byte at an end would begin a scalar.
    while start > 0, start < end, first[start] & 0xc0 == 0x80 { start -= 1 }
    guard isStable(first, at: start), isStable(second, at: start) else {
      return compareComposed(left, to: right)
    }
    return index < end ? (first[index] < second[index] ? -1 : 1) : first.count - second.count
  }

  /// Whether composition doesn't change the scalar at an index, or the text ends there.
  private static func isStable(_ utf8: borrowing Span<UInt8>, at index: Int) -> Bool {
    if index == utf8.count { return true }
    let length = KeyPrefix.lengthOfStableScalar(in: utf8, at: index)
    return length > 0
      && (index + length == utf8.count
        || KeyPrefix.lengthOfStableScalar(in: utf8, at: index + length) > 0)
  }

  /// Compares two texts that aren't equal by their composed forms.
  ///
  /// Composition doesn't change a zero scalar, nor those before it. Behind texts without such
  /// scalars it makes sure that none of them begins with the other.
  private static func compareComposed(_ left: String, to right: String) -> Int {
    let parts = [left, right].map {
      $0.unicodeScalars.split(separator: "\0", omittingEmptySubsequences: false)
    }
    for (first, second) in zip(parts[0], parts[1]) {
      let (first, second) = (String(first) + "\0", String(second) + "\0")
      if first != second { return first < second ? -1 : 1 }
    }
    return parts[0].count - parts[1].count
  }
}
