/// Texts of one line that are ASCII alone, and shown as they are: most texts, and each byte of them is a cell.
enum ASCII {
  /// The cells of a text; nil if it is another.
  static func count(_ text: some StringProtocol) -> Int? {
    unsafe withBytes(of: text) { $0.count }
  }

  /// Calls `body` with the bytes of a text; nil if it is another.
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
