/// The coding of property values as bytes, which say themselves what kind of value they are.
///
/// A value of any `Codable` type can be encoded. Values of the types that properties mostly have, and
/// optionals, arrays, sets and dictionaries of any values, are written directly; all others pass
/// through an `Encoder`. The bytes don't depend on the process: equal sets and dictionaries have
/// equal bytes.
///
/// A number has the same bytes whatever its type: an integral `Double` is written as an integer. So
/// a property's type can change to one that can represent the values.
package enum ValueCoding {
  /// How deeply values can be nested.
  package static let depthLimit = 100

  /// Appends the bytes of a value.
  ///
  /// A ``ValueCoder`` is faster for many values of one type.
  ///
  /// - Throws: ``ValueCodingError`` if the value refuses, or is nested too deeply; what was appended
  ///   is undefined then.
  @inline(__always)
  package static func encode<Value: Encodable>(
    _ value: Value, to writer: inout ByteWriter
  ) throws(ValueCodingError) {
    try encode(value, to: &writer, depth: 0)
  }

  /// Decodes the value in all bytes that are left.
  ///
  /// - Throws: ``ValueCodingError`` if they aren't exactly one value of the type.
  @inline(__always)
  package static func decode<Value: Decodable>(
    _ type: Value.Type = Value.self, from reader: inout ByteReader
  ) throws(ValueCodingError) -> Value {
    let value = try ValueCoding.decode(Value.self, from: &reader, depth: 0)
    guard reader.isAtEnd else { throw .trailingBytes(offset: reader.offset) }
    return value
  }

  /// Appends a value that is bytes.
  package static func encodeBytes(_ bytes: [UInt8], to writer: inout ByteWriter) {
    writer.write(ValueTag.bytes)
    writer.writeVarint(UInt64(bytes.count))
    writer.write(contentsOf: bytes)
  }

  /// Passes over one value of any kind.
  ///
  /// Whether texts are valid UTF-8 and keys are in order isn't checked.
  ///
  /// - Returns: The value's range.
  /// - Complexity: O(bytes), without recursion.
  @discardableResult
  package static func skip(_ reader: inout ByteReader) throws(ValueCodingError) -> Range<Int> {
    let start = reader.offset
    var left = 1
    while left > 0 {
      let tag = try reader.readTag()
      guard let contents = try skipContent(of: tag, in: &reader) else {
        throw .unknownTag(tag, offset: reader.offset - 1)
      }
      left += contents - 1
    }
    return start..<reader.offset
  }

  /// Passes over what follows a tag, except for the values in a list or a record.
  ///
  /// - Returns: The number of these values; nil if there is no such tag.
  @inline(__always)
  private static func skipContent(
    of tag: UInt8, in reader: inout ByteReader
  ) throws(ValueCodingError) -> Int? {
    do throws(ByteError) {
      switch tag {
      case ValueTag.smallInteger, ValueTag.nil, ValueTag.false, ValueTag.true: break
      case ValueTag.shortText: try reader.skip(Int(tag - ValueTag.shortText.lowerBound))
      case ValueTag.integer, ValueTag.largeInteger: _ = try reader.readVarint()
      case ValueTag.float: try reader.skip(4)
      case ValueTag.double: try reader.skip(8)
      case ValueTag.text, ValueTag.bytes: try reader.skip(reader.readCount())
      case ValueTag.uuid: try reader.skip(16)
      case ValueTag.object:
        try reader.skip(8)
        _ = try reader.readVarint()
      case ValueTag.some: return 1
      case ValueTag.list: return try reader.readCount()
      case ValueTag.record: return try 2 * reader.readCount(ofSize: 2)
      case ValueTag.shortList: return Int(tag - ValueTag.shortList.lowerBound)
      case ValueTag.shortRecord: return 2 * Int(tag - ValueTag.shortRecord.lowerBound)
      default: return nil
      }
      return 0
    } catch {
      throw .damaged(error)
    }
  }
}

extension ByteReader {
  /// Reads the tag of a value.
  @inline(__always)
  mutating func readTag() throws(ValueCodingError) -> UInt8 {
    try checked { reader throws(ByteError) in try reader.read() }
  }

  /// Reads what follows a tag.
  @inline(__always)
  mutating func checked<Result>(
    _ read: (inout ByteReader) throws(ByteError) -> Result
  ) throws(ValueCodingError) -> Result {
    do throws(ByteError) {
      return try read(&self)
    } catch {
      throw .damaged(error)
    }
  }

  /// The error that the value with the tag just read isn't one of a type.
  func mismatch(_ tag: UInt8, _ type: Any.Type) -> ValueCodingError {
    .mismatch(found: ValueTag.name(of: tag), type: String(describing: type), offset: offset - 1)
  }
}

/// Encodes and decodes values of one type; how is found once, when it is made.
///
/// Keep one for each property: then a value of a common type is written without looking up its type.
package struct ValueCoder<Value: Codable> {
  private let encoding = ValueCoding.directEncoding(of: Value.self)
  private let decoding = ValueCoding.directDecoding(of: Value.self)

  /// Creates the coder of the type.
  package init() {}

  /// Appends the bytes of a value.
  ///
  /// - Throws: ``ValueCodingError`` if the value refuses, or is nested too deeply; what was appended
  ///   is undefined then.
  package func encode(_ value: Value, to writer: inout ByteWriter) throws(ValueCodingError) {
    try ValueCoding.encode(value, as: encoding, to: &writer, depth: 0)
  }

  /// Decodes the value in all bytes that are left.
  ///
  /// - Throws: ``ValueCodingError`` if they aren't exactly one value of the type.
  package func decode(from reader: inout ByteReader) throws(ValueCodingError) -> Value {
    let value = try ValueCoding.decode(Value.self, as: decoding, from: &reader, depth: 0)
    guard reader.isAtEnd else { throw .trailingBytes(offset: reader.offset) }
    return value
  }
}
