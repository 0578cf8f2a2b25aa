// Whether a value is the same as another: equal, or with NaN in the same places.
//
// A value that contains NaN isn't equal to itself. That it isn't equal to another value then
// doesn't tell whether the two are the same or differ. So both are split into parts, as an encoder
// does, and the parts are compared.

@usableFromInline
package enum Sameness {
  /// Whether writing one value over the other changes nothing.
  ///
  /// - Complexity: One comparison if the values are equal, two if they differ; the second one
  ///   compares a value with itself.
  @inlinable
  @inline(__always)
  static func areSame<Value: Equatable & Encodable>(_ one: Value, _ other: Value) -> Bool {
    if one == other { return true }
    return one == one ? false : areSamePartwise(one, other)
  }

  /// Whether two unequal values, the first of which isn't equal to itself, have the same parts.
  @usableFromInline
  @inline(never)
  static func areSamePartwise<Value: Equatable & Encodable>(_ one: Value, _ other: Value) -> Bool {
    if other == other { return false }
    if let one = one as? Double, let other = other as? Double { return one.isNaN && other.isNaN }
    guard let parts = Parts(of: one) else { return false }
    return parts.entries == Parts(of: other)?.entries
  }
}

extension Sameness {
  /// Returns whether two values are the same, if they are only known to be `Equatable`.
  ///
  /// A value that doesn't equal itself and can't be encoded is never the same as another.
  @inlinable
  @inline(__always)
  package static func areSameIfEqual<Value: Equatable>(_ one: Value, _ other: Value) -> Bool {
    if one == other { return true }
    return one == one ? false : areSameIfEncodable(one, other)
  }

  /// Compares the parts of two unequal values, the first of which isn't equal to itself, if they
  /// can be encoded.
  @usableFromInline
  @inline(never)
  static func areSameIfEncodable<Value: Equatable>(_ one: Value, _ other: Value) -> Bool {
    func open<Part: Equatable & Encodable>(_ one: Part) -> Bool {
      (other as? Part).map { areSamePartwise(one, $0) } ?? false
    }
    return (one as? any Equatable & Encodable).map { open($0) } ?? false
  }
}

/// The parts of a value, in the order in which it encodes them.
///
/// Each entry names its container, so that values of one type with different nesting differ.
private final class Parts {
  enum Part: Equatable {
    case nothing
    case flag(Bool)
    case text(String)
    case number(String)
    case notANumber
    case container(Int)
  }

  struct Entry: Equatable {
    let container: Int
    let key: String
    let part: Part
  }

  private(set) var entries: [Entry] = []
  private var containers = 0

  /// Returns nil if the value can't be encoded.
  init?(of value: some Encodable) {
    do { try encode(value, container: 0, key: "") } catch { return nil }
  }

  func add(_ part: Part, container: Int, key: String) {
    entries.append(Entry(container: container, key: key, part: part))
  }

  func addContainer(in container: Int, key: String) -> Int {
    containers += 1
    add(.container(containers), container: container, key: key)
    return containers
  }

  func encode(_ value: some Encodable, container: Int, key: String) throws {
    switch value {
    case let flag as Bool: add(.flag(flag), container: container, key: key)
    case let text as String: add(.text(text), container: container, key: key)
    case let number as any BinaryInteger: add(.number("\(number)"), container: container, key: key)
    case let number as any BinaryFloatingPoint:
      let double = Double(number)
      add(double.isNaN ? .notANumber : .number("\(number)"), container: container, key: key)
    default:
      try value.encode(to: PartsEncoder(parts: self, container: container, key: key))
    }
  }
}

/// Encodes one value into parts.
private struct PartsEncoder: Encoder {
  let parts: Parts
  let container: Int
  let key: String
  var codingPath: [any CodingKey] { [] }
  var userInfo: [CodingUserInfoKey: Any] { [:] }

  func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
    KeyedEncodingContainer(
      PartsByKey<Key>(parts: parts, container: parts.addContainer(in: container, key: key)))
  }

  func unkeyedContainer() -> any UnkeyedEncodingContainer {
    PartsInOrder(parts: parts, container: parts.addContainer(in: container, key: key))
  }

  func singleValueContainer() -> any SingleValueEncodingContainer {
    SinglePart(parts: parts, container: container, key: key)
  }
}

private struct SinglePart: SingleValueEncodingContainer {
  let parts: Parts
  let container: Int
  let key: String
  var codingPath: [any CodingKey] { [] }

  func encodeNil() { parts.add(.nothing, container: container, key: key) }
  func encode<Value: Encodable>(_ value: Value) throws {
    try parts.encode(value, container: container, key: key)
  }
}

private struct PartsInOrder: UnkeyedEncodingContainer {
  let parts: Parts
  let container: Int
  var count = 0
  var codingPath: [any CodingKey] { [] }

  private mutating func next() -> String {
    defer { count += 1 }
    return "\(count)"
  }

  mutating func encodeNil() { parts.add(.nothing, container: container, key: next()) }
  mutating func encode<Value: Encodable>(_ value: Value) throws {
    try parts.encode(value, container: container, key: next())
  }
  mutating func nestedContainer<Key: CodingKey>(
    keyedBy type: Key.Type
  ) -> KeyedEncodingContainer<Key> {
    PartsEncoder(parts: parts, container: container, key: next()).container(keyedBy: type)
  }
  mutating func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer {
    PartsEncoder(parts: parts, container: container, key: next()).unkeyedContainer()
  }
  mutating func superEncoder() -> any Encoder {
    PartsEncoder(parts: parts, container: container, key: next())
  }
}

private struct PartsByKey<Key: CodingKey>: KeyedEncodingContainerProtocol {
  let parts: Parts
  let container: Int
  var codingPath: [any CodingKey] { [] }

  private func encoder(_ key: String) -> PartsEncoder {
    PartsEncoder(parts: parts, container: container, key: key)
  }

  func encodeNil(forKey key: Key) {
    parts.add(.nothing, container: container, key: key.stringValue)
  }
  func encode<Value: Encodable>(_ value: Value, forKey key: Key) throws {
    try parts.encode(value, container: container, key: key.stringValue)
  }
  func nestedContainer<Nested: CodingKey>(
    keyedBy type: Nested.Type, forKey key: Key
  ) -> KeyedEncodingContainer<Nested> {
    encoder(key.stringValue).container(keyedBy: type)
  }
  func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer {
    encoder(key.stringValue).unkeyedContainer()
  }
  func superEncoder() -> any Encoder { encoder("super") }
  func superEncoder(forKey key: Key) -> any Encoder { encoder(key.stringValue) }
}
