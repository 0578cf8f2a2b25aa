/// The coding of property values as bytes, which say themselves what kind of value they are.
///
/// A value of any `Codable` type can be encoded. Values of the types that properties mostly have, and
/// optionals, arrays, sets and dictionaries of any values, are written directly; all others pass
/// through an `Encoder`.
///
/// Each value has one form, which doesn't depend on the process, and all other forms are refused: a
/// value that was decoded has the same bytes when it is encoded again by the same type. The elements
/// of sets and the keys of dictionaries are ordered by their bytes. Texts are written as they are, so
/// two spellings of a text have different bytes although Swift compares them as equal.
///
/// A number has the same bytes whatever its type: a `Double` that is a 64-bit integer is written as
/// that. So a property's type can change to one that can represent the values.
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

  /// Decodes a value, which others may follow.
  ///
  /// - Throws: ``ValueCodingError`` if the bytes don't begin with a value of the type.
  package func decodeNext(from reader: inout ByteReader) throws(ValueCodingError) -> Value {
    try ValueCoding.decode(Value.self, as: decoding, from: &reader, depth: 0)
  }
}
