// What precedes the contents of texts, lists and records.

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
    try readHead(type, size: 1, short: ValueTag.shortList, long: ValueTag.list)
  }

  /// Reads the number of entries of a record.
  mutating func readRecordHead(_ type: Any.Type) throws(ValueCodingError) -> Int {
    try readHead(type, size: 2, short: ValueTag.shortRecord, long: ValueTag.record)
  }

  private mutating func readHead(
    _ type: Any.Type, size: Int, short: ClosedRange<UInt8>, long: UInt8
  ) throws(ValueCodingError) -> Int {
    let tag = try readTag()
    if short ~= tag {
      let count = Int(tag - short.lowerBound)
      guard count <= remaining / size else {
        throw .damaged(.invalidCount(UInt64(count), offset: offset - 1))
      }
      return count
    }
    guard tag == long else { throw mismatch(tag, type) }
    return try checked { reader throws(ByteError) in try reader.readCount(ofSize: size) }
  }
}

extension ValueCoding {
  /// Throws if values are nested too deeply.
  static func check(_ depth: Int) throws(ValueCodingError) {
    guard depth < depthLimit else { throw .tooDeep }
  }
}
