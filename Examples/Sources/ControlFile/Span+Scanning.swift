import Glibc

extension Span<UInt8> {
  /// Returns the first index from `start` on whose byte satisfies `predicate`, or `count`.
  @inline(__always)
  func firstIndex(from start: Int, where predicate: (UInt8) -> Bool) -> Int {
    var index = start
    while index < count, !predicate(self[index]) { index += 1 }
    return index
  }

  /// Returns the index of the first line feed from `start` on, or nil.
  func firstLineFeed(from start: Int) -> Int? {
    unsafe withUnsafeBytes { bytes in
      guard start < bytes.count, let base = bytes.baseAddress,
        let found = unsafe memchr(base + start, Int32(ASCII.lineFeed), bytes.count - start)
      else { return nil }
      return unsafe UnsafeRawPointer(found) - base
    }
  }

  /// Compares as many bytes as both have, and returns a number below, at or above 0 accordingly.
  func compare(_ other: Span<UInt8>) -> Int32 {
    unsafe withUnsafeBytes { a in
      unsafe other.withUnsafeBytes { b in
        guard let a = a.baseAddress, let b = b.baseAddress else { return 0 }
        return unsafe memcmp(a, b, min(count, other.count))
      }
    }
  }

  /// Returns where the bytes from `start` on are, without white space at both ends.
  func trimmedRange(from start: Int) -> Range<Int> {
    let start = firstIndex(from: start) { !ASCII.isWhite($0) }
    var end = count
    while end > start, ASCII.isWhite(self[end - 1]) { end -= 1 }
    return start..<end
  }
}

extension String {
  /// Calls `body` with the text as UTF-8, without allocating.
  ///
  /// What `utf8Span` gives is the same, but it costs 15 ns more to make. Only a string that is not
  /// stored as UTF-8 is copied first, and on Linux none is.
  @inline(__always)
  func withUTF8Bytes<Result>(_ body: (Span<UInt8>) -> Result) -> Result {
    if let result = unsafe utf8.withContiguousStorageIfAvailable({ unsafe body($0.span) }) {
      return result
    }
    return body(copiedUTF8.span)
  }

  /// A copy of the UTF-8, for a string that is not stored as such.
  ///
  /// Inlined into `withUTF8Bytes` it would have that retain the string on the way of all others.
  @inline(never)
  private var copiedUTF8: [UInt8] { Array(utf8) }
}
