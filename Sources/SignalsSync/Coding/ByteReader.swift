internal import Signals

/// Reads numbers, texts and slices from an array of bytes, and never beyond their end.
///
/// Each function moves past the bytes that it returns. If it throws, the position is undefined. The
/// bytes aren't trusted: a length is compared with the rest of them before anything is allocated.
package struct ByteReader: Sendable {
  /// The bytes that are read.
  package let bytes: [UInt8]
  /// The offset of the next byte.
  package private(set) var offset: Int
  /// The offset after the last byte that may be read.
  package private(set) var end: Int

  /// Creates a reader of all bytes.
  package init(_ bytes: [UInt8]) {
    self.bytes = bytes
    offset = 0
    end = bytes.count
  }

  /// Creates a reader of some of the bytes.
  ///
  /// - Precondition: The range lies within the bytes.
  package init(_ bytes: [UInt8], in range: Range<Int>) {
    if range.lowerBound < 0 || range.upperBound > bytes.count { Self.trapRange(range, of: bytes) }
    self.bytes = bytes
    offset = range.lowerBound
    end = range.upperBound
  }

  /// The number of remaining bytes.
  package var remaining: Int { end - offset }

  /// Whether all bytes have been read.
  package var isAtEnd: Bool { offset == end }

  /// Continues at another range of the same bytes.
  ///
  /// - Precondition: The range lies within the bytes.
  package mutating func move(to range: Range<Int>) {
    if range.lowerBound < 0 || range.upperBound > bytes.count { Self.trapRange(range, of: bytes) }
    offset = range.lowerBound
    end = range.upperBound
  }

  @inline(never)
  private static func trapRange(_ range: Range<Int>, of bytes: [UInt8]) -> Never {
    trap("the range \(range) is beyond the \(bytes.count) bytes to read")
  }

  /// Reads a byte.
  package mutating func read() throws(ByteError) -> UInt8 {
    guard offset < end else { throw .endOfBytes(offset: offset) }
    let byte = bytes[offset]
    offset += 1
    return byte
  }

  /// Returns the next byte without moving past it, or `nil` at the end.
  package func peek() -> UInt8? {
    offset < end ? bytes[offset] : nil
  }

  /// Reads a varint, which must have the shortest form of its number.
  package mutating func readVarint() throws(ByteError) -> UInt64 {
    let start = offset
    let first = try read()
    if first < 0x80 { return UInt64(first) }
    var next = start
    guard let value = bytes.span.varint(at: &next, end: end) else {
      let isCut = next == end && bytes[end - 1] >= 0x80 && end - start < 10
      throw isCut ? .endOfBytes(offset: end) : .invalidNumber(offset: start)
    }
    offset = next
    return value
  }

  /// Reads a varint that is the number of the elements that follow.
  ///
  /// - Parameter size: The smallest size of an element, in bytes.
  /// - Throws: ``ByteError/invalidCount(_:offset:)`` if the remaining bytes can't have so many
  ///   elements, or another ``ByteError`` if the bytes aren't a varint.
  package mutating func readCount(ofSize size: Int = 1) throws(ByteError) -> Int {
    let start = offset
    let count = try readVarint()
    guard count <= UInt64(remaining / size) else { throw .invalidCount(count, offset: start) }
    return Int(count)
  }

  /// Reads a number of 4 bytes.
  package mutating func readFixed32() throws(ByteError) -> UInt32 {
    guard remaining >= 4 else { throw .endOfBytes(offset: offset) }
    defer { offset += 4 }
    return bytes.span.halfWord(at: offset)
  }

  /// Reads a number of 8 bytes.
  package mutating func readFixed64() throws(ByteError) -> UInt64 {
    guard remaining >= 8 else { throw .endOfBytes(offset: offset) }
    defer { offset += 8 }
    return bytes.span.word(at: offset)
  }

  /// Reads a text that is preceded by its number of bytes.
  package mutating func readText() throws(ByteError) -> String {
    try readUTF8(count: readCount())
  }

  /// Reads a text of a number of bytes, which must be valid UTF-8.
  package mutating func readUTF8(count: Int) throws(ByteError) -> String {
    let start = offset
    let slice = try readSlice(count: count)
    // Most texts are ASCII, for which the general validation takes five times as long.
    if slice.allSatisfy({ $0 < 0x80 }) { return String(decoding: slice, as: UTF8.self) }
    guard let text = String(validating: slice, as: UTF8.self) else {
      throw .invalidText(offset: start)
    }
    return text
  }

  /// Reads bytes without copying them.
  package mutating func readSlice(count: Int) throws(ByteError) -> ArraySlice<UInt8> {
    try bytes[skip(count)]
  }

  /// Skips bytes.
  ///
  /// - Returns: The range of the bytes.
  @discardableResult
  package mutating func skip(_ count: Int) throws(ByteError) -> Range<Int> {
    guard count >= 0, count <= remaining else { throw .endOfBytes(offset: offset) }
    let start = offset
    offset += count
    return start..<offset
  }
}

/// The reason why bytes can't be read.
package enum ByteError: Error, Equatable, Sendable {
  /// The bytes end within a number, a text or a slice.
  case endOfBytes(offset: Int)
  /// A number has more bits than its type, or more bytes than it needs.
  case invalidNumber(offset: Int)
  /// A count is too large for the remaining bytes.
  case invalidCount(UInt64, offset: Int)
  /// A text isn't valid UTF-8.
  case invalidText(offset: Int)
}
