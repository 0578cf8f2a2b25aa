// Optionals and collections of any values. The elements of sets and the keys of dictionaries are
// ordered by their bytes, because the order of the collections differs from process to process.

/// Identifies optionals when their wrapped type isn't known.
protocol OptionalValue {}
extension Optional: OptionalValue {}

extension Optional: DirectlyEncodable where Wrapped: Encodable {
  func write(to writer: inout ByteWriter, depth: Int) throws(ValueCodingError) {
    guard let value = self else {
      writer.write(ValueTag.nil)
      return
    }
    let start = writer.count
    try ValueCoding.encode(value, to: &writer, depth: depth)
    let first = writer.bytes[start]
    if first == ValueTag.nil || first == ValueTag.some { writer.insert(ValueTag.some, at: start) }
  }
}

extension Optional: DirectlyDecodable where Wrapped: Decodable {
  static func read(from reader: inout ByteReader, depth: Int) throws(ValueCodingError) -> Self {
    switch reader.peek() {
    case ValueTag.nil:
      _ = try reader.readTag()
      return .none
    case ValueTag.some:
      _ = try reader.readTag()
      var inner = reader
      _ = try inner.readOptionalTag()
    default: break
    }
    return .some(try ValueCoding.decode(Wrapped.self, from: &reader, depth: depth))
  }
}

extension Array: DirectlyEncodable where Element: Encodable {
  func write(to writer: inout ByteWriter, depth: Int) throws(ValueCodingError) {
    if Element.self == UInt8.self, !isEmpty {
      ValueCoding.encodeBytes(unsafe unsafeBitCast(self, to: [UInt8].self), to: &writer)
      return
    }
    try ValueCoding.check(depth)
    writer.writeListHead(count: count)
    let direct = ValueCoding.directEncoding(of: Element.self)
    for element in self {
      try ValueCoding.encode(element, as: direct, to: &writer, depth: depth + 1)
    }
  }
}

extension Array: DirectlyDecodable where Element: Decodable {
  static func read(from reader: inout ByteReader, depth: Int) throws(ValueCodingError) -> Self {
    let start = reader.offset
    if Element.self == UInt8.self, reader.peek() == ValueTag.bytes {
      _ = try reader.readTag()
      let bytes = Array<UInt8>(reader.bytes[try reader.readBytesRange()])
      return unsafe unsafeBitCast(bytes, to: Self.self)
    }
    try ValueCoding.check(depth)
    let count = try reader.readListHead(Self.self)
    if Element.self == UInt8.self, count > 0 { throw .notCanonical(offset: start) }
    var elements: Self = []
    elements.reserve(count, readBy: reader)
    let direct = ValueCoding.directDecoding(of: Element.self)
    for _ in 0..<count {
      elements.append(try ValueCoding.decode(as: direct, from: &reader, depth: depth + 1))
    }
    return elements
  }
}

extension Set: DirectlyEncodable where Element: Encodable {
  func write(to writer: inout ByteWriter, depth: Int) throws(ValueCodingError) {
    try ValueCoding.check(depth)
    let direct = ValueCoding.directEncoding(of: Element.self)
    var elements: [[UInt8]] = []
    elements.reserveCapacity(count)
    for element in self {
      var part = ByteWriter()
      try ValueCoding.encode(element, as: direct, to: &part, depth: depth + 1)
      elements.append(part.bytes)
    }
    elements.sort { $0.lexicographicallyPrecedes($1) }
    elements.removeRepetitions { $0 == $1 }
    writer.writeListHead(count: elements.count)
    for element in elements { writer.write(contentsOf: element) }
  }
}

extension Set: DirectlyDecodable where Element: Decodable {
  static func read(from reader: inout ByteReader, depth: Int) throws(ValueCodingError) -> Self {
    try ValueCoding.check(depth)
    let count = try reader.readListHead(Self.self)
    let direct = ValueCoding.directDecoding(of: Element.self)
    var elements: Self = []
    elements.reserveCapacity(Swift.min(count, reader.reservable(Element.self)))
    var last: Range<Int>?
    for _ in 0..<count {
      let start = reader.offset
      let element: Element = try ValueCoding.decode(as: direct, from: &reader, depth: depth + 1)
      let range = start..<reader.offset
      guard elements.insert(element).inserted, last.map({ reader.precedes($0, range) }) ?? true
      else { throw .notCanonical(offset: start) }
      last = range
    }
    return elements
  }
}

extension Dictionary: DirectlyEncodable where Key: Encodable, Value: Encodable {
  /// A dictionary with texts as keys is written as a record, any other as a list of keys and
  /// values.
  func write(to writer: inout ByteWriter, depth: Int) throws(ValueCodingError) {
    try ValueCoding.check(depth)
    let keyEncoding = ValueCoding.directEncoding(of: Key.self)
    let valueEncoding = ValueCoding.directEncoding(of: Value.self)
    var entries: [(key: [UInt8], value: [UInt8])] = []
    entries.reserveCapacity(count)
    for (key, value) in self {
      var keyPart = ByteWriter()
      if let text = key as? String {
        keyPart.writeUTF8(of: text)
      } else {
        try ValueCoding.encode(key, as: keyEncoding, to: &keyPart, depth: depth + 1)
      }
      var valuePart = ByteWriter()
      try ValueCoding.encode(value, as: valueEncoding, to: &valuePart, depth: depth + 1)
      entries.append((keyPart.bytes, valuePart.bytes))
    }
    entries.sort {
      $0.key == $1.key
        ? $0.value.lexicographicallyPrecedes($1.value) : $0.key.lexicographicallyPrecedes($1.key)
    }
    entries.removeRepetitions { $0.key == $1.key }
    if Key.self == String.self {
      writer.writeRecordHead(count: entries.count)
    } else {
      writer.writeListHead(count: 2 * entries.count)
    }
    for entry in entries {
      if Key.self == String.self { writer.writeTextHead(count: entry.key.count) }
      writer.write(contentsOf: entry.key)
      writer.write(contentsOf: entry.value)
    }
  }
}

extension Dictionary: DirectlyDecodable where Key: Decodable, Value: Decodable {
  static func read(from reader: inout ByteReader, depth: Int) throws(ValueCodingError) -> Self {
    try ValueCoding.check(depth)
    let start = reader.offset
    let count: Int
    if Key.self == String.self {
      count = try reader.readRecordHead(Self.self)
    } else {
      let elements = try reader.readListHead(Self.self)
      guard elements.isMultiple(of: 2) else {
        throw .mismatch(found: "a key without a value", type: "\(Self.self)", offset: start)
      }
      count = elements / 2
    }
    let keyDecoding = ValueCoding.directDecoding(of: Key.self)
    let valueDecoding = ValueCoding.directDecoding(of: Value.self)
    var result: Self = [:]
    result.reserveCapacity(Swift.min(count, reader.reservable(Element.self)))
    var last: Range<Int>?
    for _ in 0..<count {
      let keyStart = reader.offset
      let (key, range) = try readKey(
        as: keyDecoding, from: &reader, after: last, depth: depth + 1)
      last = range
      let value = try ValueCoding.decode(
        Value.self, as: valueDecoding, from: &reader, depth: depth + 1)
      guard result.updateValue(value, forKey: key) == nil else {
        throw .notCanonical(offset: keyStart)
      }
    }
    return result
  }

  /// Reads a key, which must follow the previous one in the order.
  private static func readKey(
    as direct: (any DirectlyDecodable.Type)?, from reader: inout ByteReader,
    after last: Range<Int>?, depth: Int
  ) throws(ValueCodingError) -> (key: Key, range: Range<Int>) {
    if Key.self == String.self {
      let range = try reader.readKey(after: last)
      return (unsafe unsafeBitCast(try reader.text(in: range), to: Key.self), range)
    }
    let start = reader.offset
    let key = try ValueCoding.decode(Key.self, as: direct, from: &reader, depth: depth)
    let range = start..<reader.offset
    if let last, !reader.precedes(last, range) { throw .notCanonical(offset: start) }
    return (key, range)
  }
}

extension Array {
  /// Removes each element that equals the previous one.
  ///
  /// A set has several elements with equal bytes if they are not-a-number values, or if their type
  /// doesn't encode the difference. They are encoded as one element.
  fileprivate mutating func removeRepetitions(_ isRepeated: (Element, Element) -> Bool) {
    guard count > 1, zip(self, dropFirst()).contains(where: isRepeated) else { return }
    var kept: Self = []
    for element in self where kept.last.map({ !isRepeated($0, element) }) ?? true {
      kept.append(element)
    }
    self = kept
  }

  /// Reserves memory for elements that will be read.
  ///
  /// The count isn't trusted: no more memory is reserved than there are remaining bytes.
  mutating func reserve(_ count: Int, readBy reader: ByteReader) {
    reserveCapacity(Swift.min(count, reader.reservable(Element.self)))
  }
}

extension ByteReader {
  /// The number of values of a type whose size in memory is the number of remaining bytes.
  fileprivate func reservable<Element>(_: Element.Type) -> Int {
    remaining / max(1, MemoryLayout<Element>.stride)
  }
}
