extension ValueCoding {
  /// Skips one value of any kind, and checks that it has its only valid form.
  ///
  /// So bytes are equal exactly if the values are, as far as that doesn't depend on the type.
  /// Whether texts are valid UTF-8 is checked only by decoding.
  ///
  /// - Complexity: O(bytes).
  @discardableResult
  @inline(__always)
  package static func skip(_ reader: inout ByteReader) throws(ValueCodingError) -> Range<Int> {
    let start = reader.offset
    let tag = try reader.readTag()
    if tag > ValueTag.smallInteger.upperBound {
      try skipContent(of: tag, in: &reader, depth: 0)
    }
    return start..<reader.offset
  }

  /// Skips a value after its tag.
  private static func skipContent(
    of first: UInt8, in reader: inout ByteReader, depth: Int
  ) throws(ValueCodingError) {
    var tag = first
    while tag == ValueTag.some { tag = try reader.readOptionalTag() }
    switch tag {
    case ValueTag.smallInteger, ValueTag.nil, ValueTag.false, ValueTag.true: break
    case ValueTag.integer, ValueTag.largeInteger: _ = try reader.readInteger(of: tag)
    case ValueTag.float, ValueTag.double: _ = try reader.readFloatingPoint(of: tag)
    case ValueTag.shortText, ValueTag.text:
      _ = try reader.readText(of: tag, isKey: false)
    case ValueTag.bytes: _ = try reader.readBytesRange()
    case ValueTag.uuid:
      _ = try reader.checked { reader throws(ByteError) in try reader.skip(16) }
    case ValueTag.object:
      try reader.checked { reader throws(ByteError) in
        try reader.skip(8)
        _ = try reader.readVarint()
      }
    case ValueTag.list, ValueTag.shortList: try skipList(of: tag, in: &reader, depth: depth)
    case ValueTag.record, ValueTag.shortRecord: try skipRecord(of: tag, in: &reader, depth: depth)
    default: throw .unknownTag(tag, offset: reader.offset - 1)
    }
  }

  private static func skipList(
    of tag: UInt8, in reader: inout ByteReader, depth: Int
  ) throws(ValueCodingError) {
    try check(depth)
    for _ in 0..<(try reader.readListHead(of: tag, [Any].self)) {
      try skipContent(of: reader.readTag(), in: &reader, depth: depth + 1)
    }
  }

  private static func skipRecord(
    of tag: UInt8, in reader: inout ByteReader, depth: Int
  ) throws(ValueCodingError) {
    try check(depth)
    var last: Range<Int>?
    for _ in 0..<(try reader.readRecordHead(of: tag, Any.self)) {
      last = try reader.readKey(after: last)
      try skipContent(of: reader.readTag(), in: &reader, depth: depth + 1)
    }
  }
}
