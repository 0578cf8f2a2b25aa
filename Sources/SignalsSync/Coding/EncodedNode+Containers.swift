// The generic `encode` of each container is also the witness of the requirements for basic types.

/// The keyed container of a node.
struct KeyedNodeEncoding<Key: CodingKey>: KeyedEncodingContainerProtocol {
  let node: EncodedNode

  var codingPath: [any CodingKey] { [] }

  func encodeNil(forKey key: Key) throws {
    try node.encodeEntry(Bool?.none, key: key.stringValue)
  }

  func encode<Value: Encodable>(_ value: Value, forKey key: Key) throws {
    try node.encodeEntry(value, key: key.stringValue)
  }

  func nestedContainer<NestedKey: CodingKey>(
    keyedBy keyType: NestedKey.Type, forKey key: Key
  ) -> KeyedEncodingContainer<NestedKey> {
    node.makePart(key: key.stringValue).container(keyedBy: keyType)
  }

  func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer {
    node.makePart(key: key.stringValue).unkeyedContainer()
  }

  func superEncoder() -> any Encoder { node.makePart(key: "super") }

  func superEncoder(forKey key: Key) -> any Encoder { node.makePart(key: key.stringValue) }
}

/// The unkeyed container of a node.
struct UnkeyedNodeEncoding: UnkeyedEncodingContainer {
  let node: EncodedNode

  var codingPath: [any CodingKey] { [] }
  var count: Int { node.count }

  func encodeNil() throws { try node.encodeElement(Bool?.none) }

  func encode<Value: Encodable>(_ value: Value) throws { try node.encodeElement(value) }

  func nestedContainer<NestedKey: CodingKey>(
    keyedBy keyType: NestedKey.Type
  ) -> KeyedEncodingContainer<NestedKey> {
    node.makePart().container(keyedBy: keyType)
  }

  func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer {
    node.makePart().unkeyedContainer()
  }

  func superEncoder() -> any Encoder { node.makePart() }
}

/// The container of a node with a single value.
struct SingleNodeEncoding: SingleValueEncodingContainer {
  let node: EncodedNode

  var codingPath: [any CodingKey] { [] }

  func encodeNil() throws { try node.encodeValue(Bool?.none) }

  func encode<Value: Encodable>(_ value: Value) throws { try node.encodeValue(value) }
}
