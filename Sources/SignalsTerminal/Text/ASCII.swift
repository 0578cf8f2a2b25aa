/// Single-line ASCII texts without control characters, which most texts are.
///
/// Each byte takes one cell.
enum ASCII {
  /// Returns the number of cells of a text; nil if it isn't such a text.
  static func count(_ text: some StringProtocol) -> Int? {
    unsafe withBytes(of: text) { $0.count }
  }

  /// Calls `body` with the bytes of a text.
  ///
  /// Returns nil if it isn't such a text.
  static func withBytes<Result>(
    of text: some StringProtocol, _ body: (UnsafeBufferPointer<UInt8>) -> Result
  ) -> Result? {
    let result = text.utf8.withContiguousStorageIfAvailable { bytes -> Result? in
      for place in bytes.indices {
        let byte = unsafe bytes[place]
        if byte < 0x20 || byte >= 0x7F { return nil }
      }
      return unsafe body(bytes)
    }
    return result ?? nil
  }
}
