/// The keyed container of a node.
///
/// It has the locations of keys and values, ordered by key.
struct KeyedNodeDecoding<Key: CodingKey>: KeyedDecodingContainerProtocol {
  private let node: DecodedNode
  private var entries: [(key: Range<Int>, value: Range<Int>)] = []

  init(node: DecodedNode) throws(ValueCodingError) {
    self.node = node
    var reader = node.reader
    let count = try reader.readRecordHead(Any.self)
    entries.reserve(count, readBy: reader)
    for _ in 0..<count {
      let key = try reader.readKey(after: entries.last?.key)
      entries.append((key, try ValueCoding.skip(&reader)))
    }
  }

  var codingPath: [any CodingKey] { [] }

  var allKeys: [Key] {
    entries.compactMap {
      String(validating: node.reader.bytes[$0.key], as: UTF8.self).flatMap(Key.init(stringValue:))
    }
  }

  func contains(_ key: Key) -> Bool { find(key) != nil }

  func decodeNil(forKey key: Key) throws -> Bool {
    try decodingErrors(Any.self, at: key) { isNil(try range(of: key)) }
  }

  func decode<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value {
    try decodingErrors(type, at: key) { try node.decode(type, in: range(of: key)) }
  }

  /// An existing entry has a value of the type, which is `nil` only if the type is an optional.
  func decodeIfPresent<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value? {
    guard let range = find(key) else { return nil }
    if isNil(range), !(type is any OptionalValue.Type) { return nil }
    return try decodingErrors(type, at: key) { try node.decode(type, in: range) }
  }

  func nestedContainer<NestedKey: CodingKey>(
    keyedBy type: NestedKey.Type, forKey key: Key
  ) throws -> KeyedDecodingContainer<NestedKey> {
    try part(at: key).container(keyedBy: type)
  }

  func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
    try part(at: key).unkeyedContainer()
  }

  func superDecoder() throws -> any Decoder {
    try decodingErrors(Any.self) { try node.part(in: range(named: "super")) }
  }

  func superDecoder(forKey key: Key) throws -> any Decoder { try part(at: key) }

  private func part(at key: Key) throws -> DecodedNode {
    try decodingErrors(Any.self, at: key) { try node.part(in: range(of: key)) }
  }

  private func isNil(_ range: Range<Int>) -> Bool {
    node.reader.bytes[range.lowerBound] == ValueTag.nil
  }

  private func find(_ key: Key) -> Range<Int>? { find(named: key.stringValue) }

  private func range(of key: Key) throws(ValueCodingError) -> Range<Int> {
    try range(named: key.stringValue)
  }

  private func range(named key: String) throws(ValueCodingError) -> Range<Int> {
    guard let range = find(named: key) else {
      throw .missing(key: key, offset: node.reader.offset)
    }
    return range
  }

  /// - Complexity: O(log n) comparisons for n entries.
  private func find(named key: String) -> Range<Int>? {
    var lower = 0
    var upper = entries.count
    while lower < upper {
      let middle = (lower + upper) / 2
      if node.reader.bytes[entries[middle].key].lexicographicallyPrecedes(key.utf8) {
        lower = middle + 1
      } else {
        upper = middle
      }
    }
    guard lower < entries.count, node.reader.bytes[entries[lower].key].elementsEqual(key.utf8)
    else { return nil }
    return entries[lower].value
  }
}

/// The unkeyed container of a node: a list, or bytes as a list of numbers.
struct UnkeyedNodeDecoding: UnkeyedDecodingContainer {
  private let node: DecodedNode
  private var reader: ByteReader
  private let isBytes: Bool
  private let total: Int
  private(set) var currentIndex = 0

  init(node: DecodedNode) throws(ValueCodingError) {
    self.node = node
    reader = node.reader
    isBytes = reader.peek() == ValueTag.bytes
    if isBytes {
      _ = try reader.readTag()
      let range = try reader.readBytesRange()
      reader.move(to: range)
      total = range.count
    } else {
      total = try reader.readListHead([Any].self)
    }
  }

  var codingPath: [any CodingKey] { [] }
  var count: Int? { total }
  var isAtEnd: Bool { currentIndex == total }

  mutating func decodeNil() throws -> Bool {
    guard !isAtEnd, !isBytes, reader.peek() == ValueTag.nil else { return false }
    _ = try advancing(Any.self) { try $0.next() }
    return true
  }

  mutating func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
    try advancing(type) { decoding in
      guard decoding.isBytes else { return try decoding.node.decode(type, in: decoding.next()) }
      let byte = try decoding.nextByte()
      if Value.self == UInt8.self { return unsafe unsafeBitCast(byte, to: Value.self) }
      var writer = ByteWriter()
      byte.write(to: &writer, depth: 0)
      var element = ByteReader(writer.bytes)
      return try ValueCoding.decode(type, from: &element)
    }
  }

  mutating func nestedContainer<NestedKey: CodingKey>(
    keyedBy type: NestedKey.Type
  ) throws -> KeyedDecodingContainer<NestedKey> {
    try advancing([String: Any].self) {
      try $0.node.part(in: $0.next()).container(keyedBy: type)
    }
  }

  mutating func nestedUnkeyedContainer() throws -> any UnkeyedDecodingContainer {
    try advancing([Any].self) { try $0.node.part(in: $0.next()).unkeyedContainer() }
  }

  mutating func superDecoder() throws -> any Decoder {
    try advancing(Any.self) { try $0.node.part(in: $0.next()) }
  }

  /// Decodes an element; after an error the next call decodes the same one.
  private mutating func advancing<Element>(
    _ type: Any.Type, _ decode: (inout UnkeyedNodeDecoding) throws -> Element
  ) throws -> Element {
    let start = (reader, currentIndex)
    return try decodingErrors(type) {
      do { return try decode(&self) } catch {
        (reader, currentIndex) = start
        throw error
      }
    }
  }

  private mutating func nextByte() throws(ValueCodingError) -> UInt8 {
    try checkElement()
    currentIndex += 1
    do { return try reader.read() } catch { throw .damaged(error) }
  }

  /// Skips an element that isn't a byte.
  private mutating func next() throws(ValueCodingError) -> Range<Int> {
    try checkElement()
    guard !isBytes else { throw reader.mismatch(ValueTag.bytes, [Any].self) }
    let range = try ValueCoding.skip(&reader)
    currentIndex += 1
    return range
  }

  private func checkElement() throws(ValueCodingError) {
    guard !isAtEnd else {
      throw .missing(key: "\(currentIndex)", offset: reader.offset)
    }
  }
}
