/// A self-describing binary encoding of property values.
///
/// A value of any `Codable` type can be encoded. Values of common property types, and optionals,
/// arrays, sets and dictionaries of any values, are encoded directly. All others use an `Encoder`.
///
/// Each value has exactly one form, which doesn't depend on the process. Numbers, texts and heads in
/// other forms are refused. The elements of sets and the keys of dictionaries are ordered by their
/// bytes. Texts aren't normalized, so two spellings of a text have different bytes even if Swift
/// compares them as equal.
///
/// The bytes of a number don't depend on its type: a `Double` that is a 64-bit integer is encoded
/// as an integer. So a property's type can change to another one that can represent the values. A
/// list can become a set or dictionary, whose elements are read in any order and merged if they are
/// equal, and bytes and lists of numbers are read as each other.
package enum ValueCoding {
  /// The largest depth of nested values.
  package static let depthLimit = 100

  /// Appends the bytes of a value.
  ///
  /// A ``ValueCoder`` is faster for many values of one type.
  ///
  /// - Throws: ``ValueCodingError`` if the value's `encode(to:)` throws or the value is nested too
  ///   deeply. The appended bytes are undefined then.
  @inline(__always)
  package static func encode<Value: Encodable>(
    _ value: Value, to writer: inout ByteWriter
  ) throws(ValueCodingError) {
    try encode(value, to: &writer, depth: 0)
  }

  /// Decodes the value in all remaining bytes.
  ///
  /// - Throws: ``ValueCodingError`` if the bytes aren't exactly one value of the type.
  @inline(__always)
  package static func decode<Value: Decodable>(
    _ type: Value.Type = Value.self, from reader: inout ByteReader
  ) throws(ValueCodingError) -> Value {
    let value = try ValueCoding.decode(Value.self, from: &reader, depth: 0)
    guard reader.isAtEnd else { throw .trailingBytes(offset: reader.offset) }
    return value
  }

  /// Appends a value that consists of bytes.
  package static func encodeBytes(_ bytes: [UInt8], to writer: inout ByteWriter) {
    if bytes.isEmpty {
      writer.writeListHead(count: 0)
      return
    }
    writer.write(ValueTag.bytes)
    writer.writeVarint(UInt64(bytes.count))
    writer.write(contentsOf: bytes)
  }
}

extension ByteReader {
  /// Reads the tag of a value.
  @inline(__always)
  mutating func readTag() throws(ValueCodingError) -> UInt8 {
    try checked { reader throws(ByteError) in try reader.read() }
  }

  /// Reads a value after its tag.
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

  /// Returns the error that the value with the tag just read has another type.
  func mismatch(_ tag: UInt8, _ type: Any.Type) -> ValueCodingError {
    .mismatch(found: ValueTag.name(of: tag), type: String(describing: type), offset: offset - 1)
  }
}

/// Encodes and decodes values of one type.
///
/// The coder chooses the strategy once, in `init()`. Use one coder for each property, so that
/// values of common types are encoded without looking up their type.
package struct ValueCoder<Value: Codable> {
  private let encoding = ValueCoding.directEncoding(of: Value.self)
  private let decoding = ValueCoding.directDecoding(of: Value.self)

  /// Creates the coder of the type.
  package init() {}

  /// Appends the bytes of a value.
  ///
  /// - Throws: ``ValueCodingError`` if the value's `encode(to:)` throws or the value is nested too
  ///   deeply. The appended bytes are undefined then.
  package func encode(_ value: Value, to writer: inout ByteWriter) throws(ValueCodingError) {
    try ValueCoding.encode(value, as: encoding, to: &writer, depth: 0)
  }

  /// Decodes a value, which other values may follow.
  ///
  /// - Throws: ``ValueCodingError`` if the bytes don't begin with a value of the type.
  package func decodeNext(from reader: inout ByteReader) throws(ValueCodingError) -> Value {
    try ValueCoding.decode(Value.self, as: decoding, from: &reader, depth: 0)
  }
}
