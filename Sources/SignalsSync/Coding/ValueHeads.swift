// The tags and counts that precede the contents of texts, lists and records.

extension ByteWriter {
  mutating func writeTextHead(count: Int) {
    writeHead(count: count, short: ValueTag.shortText, long: ValueTag.text)
  }

  mutating func writeListHead(count: Int) {
    writeHead(count: count, short: ValueTag.shortList, long: ValueTag.list)
  }

  mutating func writeRecordHead(count: Int) {
    writeHead(count: count, short: ValueTag.shortRecord, long: ValueTag.record)
  }

  private mutating func writeHead(count: Int, short: ClosedRange<UInt8>, long: UInt8) {
    if count < short.count {
      write(short.lowerBound + UInt8(count))
    } else {
      write(long)
      writeVarint(UInt64(count))
    }
  }
}

extension ByteReader {
  /// Reads the number of elements of a list.
  mutating func readListHead(_ type: Any.Type) throws(ValueCodingError) -> Int {
    try readListHead(of: readTag(), type)
  }

  /// Reads the number of elements of a list after its tag.
  mutating func readListHead(of tag: UInt8, _ type: Any.Type) throws(ValueCodingError) -> Int {
    try readHead(of: tag, type, size: 1, short: ValueTag.shortList, long: ValueTag.list)
  }

  /// Reads the number of entries of a record.
  mutating func readRecordHead(_ type: Any.Type) throws(ValueCodingError) -> Int {
    try readRecordHead(of: readTag(), type)
  }

  /// Reads the number of entries of a record after its tag.
  mutating func readRecordHead(of tag: UInt8, _ type: Any.Type) throws(ValueCodingError) -> Int {
    try readHead(of: tag, type, size: 2, short: ValueTag.shortRecord, long: ValueTag.record)
  }

  private mutating func readHead(
    of tag: UInt8, _ type: Any.Type, size: Int, short: ClosedRange<UInt8>, long: UInt8
  ) throws(ValueCodingError) -> Int {
    let start = offset - 1
    if short ~= tag {
      let count = Int(tag - short.lowerBound)
      guard count <= remaining / size else {
        throw .damaged(.invalidCount(UInt64(count), offset: start))
      }
      return count
    }
    guard tag == long else { throw mismatch(tag, type) }
    let count = try checked { reader throws(ByteError) in try reader.readCount(ofSize: size) }
    guard count >= short.count else { throw .notCanonical(offset: start) }
    return count
  }

  /// Skips a text after its tag.
  ///
  /// - Parameters:
  ///   - tag: The tag of a short or a long text.
  ///   - isKey: Whether the text is a record's key, which is never encoded as a UUID.
  /// - Returns: The range of its UTF-8 bytes.
  mutating func readText(of tag: UInt8, isKey: Bool) throws(ValueCodingError) -> Range<Int> {
    let start = offset - 1
    let short = ValueTag.shortText
    let range = try checked { reader throws(ByteError) in
      try reader.skip(tag == ValueTag.text ? reader.readCount() : Int(tag - short.lowerBound))
    }
    let isOfOtherForm =
      tag == ValueTag.text
      ? range.count < short.count
      : !isKey && range.count == UUIDText.count && UUIDText.bytes(of: bytes[range]) != nil
    if isOfOtherForm { throw .notCanonical(offset: start) }
    return range
  }

  /// Skips a record's key.
  ///
  /// - Parameter last: The range of the previous key, which must precede this one in the order.
  /// - Returns: The range of its UTF-8 bytes.
  mutating func readKey(after last: Range<Int>?) throws(ValueCodingError) -> Range<Int> {
    let start = offset
    let tag = try readTag()
    guard ValueTag.shortText ~= tag || tag == ValueTag.text else {
      throw mismatch(tag, String.self)
    }
    let key = try readText(of: tag, isKey: true)
    if let last, !precedes(last, key) { throw .unorderedKeys(offset: start) }
    return key
  }

  /// Returns whether bytes precede others in the order of a record's keys.
  private func precedes(_ first: Range<Int>, _ second: Range<Int>) -> Bool {
    bytes[first].lexicographicallyPrecedes(bytes[second])
  }

  /// Skips bytes after their tag.
  ///
  /// - Returns: The range of the bytes, which isn't empty, because an empty array is encoded as a
  ///   list.
  mutating func readBytesRange() throws(ValueCodingError) -> Range<Int> {
    let start = offset - 1
    let range = try checked { reader throws(ByteError) in try reader.skip(reader.readCount()) }
    if range.isEmpty { throw .notCanonical(offset: start) }
    return range
  }

  /// Reads the tag of the value in an optional, after the tag of the optional.
  mutating func readOptionalTag() throws(ValueCodingError) -> UInt8 {
    let tag = try readTag()
    // All others aren't marked.
    guard tag == ValueTag.nil || tag == ValueTag.some else {
      throw .notCanonical(offset: offset - 2)
    }
    return tag
  }
}

extension ValueCoding {
  /// Throws if values are nested too deeply.
  static func check(_ depth: Int) throws(ValueCodingError) {
    guard depth < depthLimit else { throw .tooDeep }
  }
}
