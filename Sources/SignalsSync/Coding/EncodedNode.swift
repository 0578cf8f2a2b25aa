/// The `Encoder` of one value.
///
/// The container that a type's `encode(to:)` requests determines its kind.
///
/// A part is finished when its own `encode(to:)` has returned. Only nested containers stay open
/// until the node itself is finished. The parts of a list follow each other in `writer`. The parts
/// of a record are sorted by key at the end.
final class EncodedNode: Encoder {
  enum Kind {
    /// No container was requested, which is encoded as a record without entries.
    case nothing
    case value
    case list
    /// A list whose elements are all of type `UInt8`. `writer` has the elements as bytes.
    case bytes
    case record
  }

  /// A part of a record or list.
  struct Part {
    /// The key in a record; empty in a list.
    let key: String
    /// The location of the part in `writer`, or the location of its insertion if it is open.
    let range: Range<Int>
    /// The node of an open part.
    let node: EncodedNode?
  }

  let depth: Int
  private(set) var kind = Kind.nothing
  /// Whether containers of different kinds were requested.
  private var isMixed = false
  private var writer = ByteWriter()
  /// A record's parts, or a list's open parts.
  private var parts: [Part] = []
  /// The number of a list's elements.
  private(set) var count = 0

  init(depth: Int) { self.depth = depth }

  /// Appends the bytes of a value by its `encode(to:)`.
  static func encode<Value: Encodable>(
    _ value: Value, to writer: inout ByteWriter, depth: Int
  ) throws(ValueCodingError) {
    try ValueCoding.check(depth)
    let node = EncodedNode(depth: depth)
    do {
      try value.encode(to: node)
    } catch {
      throw (error as? ValueCodingError)
        ?? .refused(type: "\(Value.self)", reason: String(describing: error))
    }
    try node.finish(to: &writer, type: Value.self)
  }

  // MARK: - Encoder

  var codingPath: [any CodingKey] { [] }
  var userInfo: [CodingUserInfoKey: Any] { [:] }

  func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
    become(.record)
    return KeyedEncodingContainer(KeyedNodeEncoding(node: self))
  }

  func unkeyedContainer() -> any UnkeyedEncodingContainer {
    if kind != .list { become(.bytes) }
    return UnkeyedNodeEncoding(node: self)
  }

  func singleValueContainer() -> any SingleValueEncodingContainer {
    SingleNodeEncoding(node: self)
  }

  private func become(_ new: Kind) {
    isMixed = isMixed || (kind != .nothing && kind != new)
    kind = new
  }

  // MARK: - Parts

  /// Encodes the only value.
  func encodeValue<Value: Encodable>(_ value: Value) throws(ValueCodingError) {
    var new = ByteWriter()
    try ValueCoding.encode(value, to: &new, depth: depth + 1)
    become(.value)
    writer = new
  }

  /// Encodes a record's entry.
  func encodeEntry<Value: Encodable>(_ value: Value, key: String) throws(ValueCodingError) {
    let start = writer.count
    try append(value)
    parts.append(Part(key: key, range: start..<writer.count, node: nil))
  }

  /// Encodes a list's element.
  func encodeElement<Value: Encodable>(_ value: Value) throws(ValueCodingError) {
    if Value.self == UInt8.self, kind == .bytes {
      writer.write(unsafe unsafeBitCast(value, to: UInt8.self))
    } else {
      becomeList()
      try append(value)
    }
    count += 1
  }

  /// Appends a value, or nothing if its `encode(to:)` throws, since the caller may ignore the error.
  private func append<Value: Encodable>(_ value: Value) throws(ValueCodingError) {
    let start = writer.count
    do throws(ValueCodingError) {
      try ValueCoding.encode(value, to: &writer, depth: depth + 1)
    } catch {
      writer.truncate(to: start)
      throw error
    }
  }

  /// Adds an open part, which is finished with this node.
  func makePart(key: String = "") -> EncodedNode {
    if kind != .record {
      becomeList()
      count += 1
    }
    let part = EncodedNode(depth: depth + 1)
    parts.append(Part(key: key, range: writer.count..<writer.count, node: part))
    return part
  }

  /// Converts a list of bytes to a list of values.
  private func becomeList() {
    guard kind == .bytes else { return }
    kind = .list
    let bytes = writer.bytes
    writer.removeAll()
    for byte in bytes { byte.write(to: &writer, depth: depth) }
  }

  // MARK: - Finishing

  private func finish(
    to output: inout ByteWriter, type: Any.Type
  ) throws(ValueCodingError) {
    try ValueCoding.check(depth)
    guard !isMixed else {
      throw .refused(type: "\(type)", reason: "encode(to:) asked for containers of several kinds")
    }
    switch kind {
    case .value: output.write(contentsOf: writer.bytes)
    case .bytes where count > 0: ValueCoding.encodeBytes(writer.bytes, to: &output)
    case .list, .bytes:
      output.writeListHead(count: count)
      var written = 0
      for part in parts {
        output.write(contentsOf: writer.bytes[written..<part.range.lowerBound])
        written = part.range.lowerBound
        try part.node?.finish(to: &output, type: type)
      }
      output.write(contentsOf: writer.bytes[written...])
    case .record, .nothing: try finishRecord(to: &output, type: type)
    }
  }

  private func finishRecord(
    to output: inout ByteWriter, type: Any.Type
  ) throws(ValueCodingError) {
    let entries = sortedEntries()
    output.writeRecordHead(count: entries.count)
    for part in entries {
      part.key.writeKey(to: &output)
      if let node = part.node {
        try node.finish(to: &output, type: type)
      } else {
        output.write(contentsOf: writer.bytes[part.range])
      }
    }
  }

  /// Returns the entries ordered by the bytes of their keys, with the last entry of each key.
  private func sortedEntries() -> [Part] {
    func precedes(_ lhs: Part, _ rhs: Part) -> Bool {
      lhs.key.utf8.lexicographicallyPrecedes(rhs.key.utf8)
    }
    // The standard library's sort is stable.
    let sorted = parts.sorted(by: precedes)
    return sorted.indices.compactMap { index in
      let next = index + 1
      let isLast = next == sorted.count || precedes(sorted[index], sorted[next])
      return isLast ? sorted[index] : nil
    }
  }
}
