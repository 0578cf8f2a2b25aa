// Optionals and collections of any values. The elements of sets and the keys of dictionaries are
// ordered by their bytes, because the order of the collections differs from process to process.
// Reading doesn't require this order, so that an array can be read as a set, and equal elements are
// merged, because the `==` of a type can change. Bytes are also read as a list of numbers.

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
    if let bytes = try reader.readBytesIfPresent() {
      if Element.self == UInt8.self { return unsafe unsafeBitCast(bytes, to: Self.self) }
      return try read(listing: bytes, depth: depth)
    }
    try ValueCoding.check(depth)
    let count = try reader.readListHead(Self.self)
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
    if let bytes = try reader.readBytesIfPresent() { return try read(listing: bytes, depth: depth) }
    try ValueCoding.check(depth)
    let count = try reader.readListHead(Self.self)
    let direct = ValueCoding.directDecoding(of: Element.self)
    var elements: Self = []
    elements.reserveCapacity(Swift.min(count, reader.reservable(Element.self)))
    for _ in 0..<count {
      elements.insert(try ValueCoding.decode(as: direct, from: &reader, depth: depth + 1))
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
    if Key.self != String.self, let bytes = try reader.readBytesIfPresent() {
      return try read(listing: bytes, depth: depth)
    }
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
      let key: Key
      if Key.self == String.self {
        let range = try reader.readKey(after: last)
        last = range
        key = unsafe unsafeBitCast(try reader.text(in: range), to: Key.self)
      } else {
        key = try ValueCoding.decode(as: keyDecoding, from: &reader, depth: depth + 1)
      }
      result.updateValue(
        try ValueCoding.decode(as: valueDecoding, from: &reader, depth: depth + 1), forKey: key)
    }
    return result
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

extension DirectlyDecodable {
  /// Reads bytes as the list of their numbers.
  fileprivate static func read(
    listing bytes: [UInt8], depth: Int
  ) throws(ValueCodingError) -> Self {
    var list = ByteWriter(capacity: 2 * bytes.count)
    list.writeListHead(count: bytes.count)
    for byte in bytes { byte.write(to: &list, depth: depth) }
    var reader = ByteReader(list.bytes)
    return try read(from: &reader, depth: depth)
  }
}

extension ByteReader {
  /// Reads a value that consists of bytes, or returns `nil` if the next value doesn't.
  fileprivate mutating func readBytesIfPresent() throws(ValueCodingError) -> [UInt8]? {
    guard peek() == ValueTag.bytes else { return nil }
    _ = try readTag()
    return Array(bytes[try readBytesRange()])
  }

  /// The number of values of a type whose size in memory is the number of remaining bytes.
  fileprivate func reservable<Element>(_: Element.Type) -> Int {
    remaining / max(1, MemoryLayout<Element>.stride)
  }
}
