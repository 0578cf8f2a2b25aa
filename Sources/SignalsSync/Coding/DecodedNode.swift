/// The `Decoder` of one value.
struct DecodedNode: Decoder {
  /// A reader positioned at the value's first byte, which ends after its last.
  let reader: ByteReader
  let depth: Int

  /// Decodes a value by its type's `init(from:)`.
  ///
  /// Entries and elements that the type doesn't read are skipped.
  static func decode<Value: Decodable>(
    _ type: Value.Type, from reader: inout ByteReader, depth: Int
  ) throws(ValueCodingError) -> Value {
    try ValueCoding.check(depth)
    let range = try ValueCoding.skip(&reader)
    let node = DecodedNode(reader: ByteReader(reader.bytes, in: range), depth: depth)
    do {
      return try Value(from: node)
    } catch {
      throw ValueCodingError(error, by: Value.self)
    }
  }

  var codingPath: [any CodingKey] { [] }
  var userInfo: [CodingUserInfoKey: Any] { [:] }

  func container<Key: CodingKey>(
    keyedBy type: Key.Type
  ) throws -> KeyedDecodingContainer<Key> {
    KeyedDecodingContainer(
      try decodingErrors([String: Any].self) { try KeyedNodeDecoding(node: self) })
  }

  func unkeyedContainer() throws -> any UnkeyedDecodingContainer {
    try decodingErrors([Any].self) { try UnkeyedNodeDecoding(node: self) }
  }

  func singleValueContainer() throws -> any SingleValueDecodingContainer {
    SingleNodeDecoding(node: self)
  }

  /// Decodes a value within this one.
  func decode<Value: Decodable>(
    _ type: Value.Type, in range: Range<Int>
  ) throws(ValueCodingError) -> Value {
    var part = ByteReader(reader.bytes, in: range)
    return try ValueCoding.decode(Value.self, from: &part, depth: depth + 1)
  }

  /// The decoder of a value within this one.
  func part(in range: Range<Int>) throws(ValueCodingError) -> DecodedNode {
    try ValueCoding.check(depth + 1)
    return DecodedNode(reader: ByteReader(reader.bytes, in: range), depth: depth + 1)
  }
}

/// The container of a node with a single value.
struct SingleNodeDecoding: SingleValueDecodingContainer {
  let node: DecodedNode

  var codingPath: [any CodingKey] { [] }

  func decodeNil() -> Bool { node.reader.peek() == ValueTag.nil }

  func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
    try decodingErrors(type) { try node.decode(type, in: node.reader.offset..<node.reader.end) }
  }
}
