// Making a snapshot of the contents, if the classes of this process aren't those that the file
// describes.
//
// The snapshot's own decoder does it, with its checks and its rules for classes that have changed
// since: `ContentsDecoding` is the decoder, which finds everything where a snapshot would have it,
// and `RowDecoding` has the values of one object.
//
// State of a `RowDecoding`, which has one object after the other: `entity`, `row`, `changes` and
// `properties`, the object; `item`, the number of its next value; `reader`, where that is.

internal import Signals

extension StoredContents {
  /// Returns the objects as a snapshot.
  ///
  /// - Parameter renamed: The present classes of those that had other names, by these.
  /// - Complexity: O(n log n).
  func snapshot(renamed: [String: Object.Type]) throws(StoreFileError) -> Snapshot {
    do {
      return try Snapshot(from: ContentsDecoding(self, renamed: renamed))
    } catch {
      throw StoreFileError(decoding: error)
    }
  }
}

/// The decoder of a snapshot.
private final class ContentsDecoding: Decoder {
  let contents: StoredContents
  let renamed: [String: Object.Type]
  let order: [Entity]
  /// The position in the order of each entity that is there, or -1.
  let positions: [Int]
  let replicaNumbers: [UInt64: Int]
  /// The numbers of the classes that have objects.
  let classes: [Int]
  /// The position among these of each class.
  let classPositions: [Int: Int]

  init(_ contents: StoredContents, renamed: [String: Object.Type]) {
    (self.contents, self.renamed, order) = (contents, renamed, contents.inOrder)
    var positions = [Int](repeating: -1, count: contents.rows.count)
    for (position, entity) in order.enumerated() { positions[Int(entity)] = position }
    self.positions = positions
    let used = Set(order.map { Int(contents.rows[Int($0)].classNumber) }).sorted()
    classes = used
    classPositions = Dictionary(uniqueKeysWithValues: used.enumerated().map { ($1, $0) })
    replicaNumbers = Dictionary(
      uniqueKeysWithValues: contents.replicas.enumerated().map { ($1, $0) })
  }

  var codingPath: [any CodingKey] { [] }

  var userInfo: [CodingUserInfoKey: Any] {
    contents.isOrderFull
      ? [:] : [.snapshotSequences: order.map { contents.rows[Int($0)].sequence }]
  }

  func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedDecodingContainer<Key> {
    KeyedDecodingContainer(PartsDecoding<Key>(decoding: self))
  }

  func unkeyedContainer() throws -> any UnkeyedDecodingContainer { throw misuse("a list") }

  func singleValueContainer() throws -> any SingleValueDecodingContainer {
    throw misuse("a single value")
  }

  func superDecoder() throws -> any Decoder { throw misuse("a superclass") }

  /// The class with a number, under its present name.
  func encodedClass(_ number: Int) -> EncodedClass {
    let stored = contents.classes[number]
    let type = stored.className.type == nil ? renamed[stored.className.name] : nil
    return EncodedClass(
      type.map { ClassName($0) } ?? stored.className,
      isSkippedIfUndecodable: stored.isSkippedIfUndecodable,
      properties: stored.properties.map { property in
        let kind: EncodedClass.Property.Kind =
          switch property.kind {
          case .value: .value
          case .link: .link
          case .list: .list
          }
        return EncodedClass.Property(name: property.name, kind: kind)
      })
  }

  /// The position of a link's target; one that no object has if the target isn't there.
  func position(of id: ObjectID) -> Int {
    contents.entities.find(id).map { positions[Int($0)] } ?? -1
  }

  /// An error of this decoder: a snapshot asks only for what is here.
  func misuse(_ what: String) -> DecodingError {
    .dataCorrupted(.init(codingPath: [], debugDescription: "a file has no \(what) here"))
  }

  /// Returns a value as the type that was asked for, which is its own.
  func same<One, Other>(_ value: One, as type: Other.Type) throws -> Other {
    guard One.self == Other.self else { throw misuse("\(type)") }
    return unsafe unsafeBitCast(value, to: type)
  }
}

/// The parts of a snapshot, by their keys.
private struct PartsDecoding<Key: CodingKey>: KeyedDecodingContainerProtocol {
  let decoding: ContentsDecoding

  var codingPath: [any CodingKey] { [] }
  var allKeys: [Key] { ["version", "replicas", "classes", "objects"].compactMap(Key.init) }

  func contains(_ key: Key) -> Bool { allKeys.contains { $0.stringValue == key.stringValue } }
  func decodeNil(forKey key: Key) -> Bool { false }

  func decode<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value {
    switch key.stringValue {
    case "version": try decoding.same(Snapshot.version, as: type)
    case "replicas": try decoding.same(decoding.contents.replicas, as: type)
    default: throw decoding.misuse(key.stringValue)
    }
  }

  func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
    switch key.stringValue {
    case "classes": ClassesDecoding(decoding: decoding)
    case "objects": ObjectsDecoding(decoding)
    default: throw decoding.misuse(key.stringValue)
    }
  }

  func nestedContainer<Nested: CodingKey>(
    keyedBy type: Nested.Type, forKey key: Key
  ) throws -> KeyedDecodingContainer<Nested> { throw decoding.misuse(key.stringValue) }

  func superDecoder() throws -> any Decoder { throw decoding.misuse("superclass") }
  func superDecoder(forKey key: Key) throws -> any Decoder { try superDecoder() }
}

extension UnkeyedDecodingContainer where Self: PartsOfContents {
  var codingPath: [any CodingKey] { [] }

  mutating func nestedContainer<Nested: CodingKey>(
    keyedBy type: Nested.Type
  ) throws -> KeyedDecodingContainer<Nested> { throw decoding.misuse("record") }

  mutating func superDecoder() throws -> any Decoder { throw decoding.misuse("superclass") }
}

/// A container of parts of the contents.
private protocol PartsOfContents {
  var decoding: ContentsDecoding { get }
}

/// The classes.
private struct ClassesDecoding: UnkeyedDecodingContainer, PartsOfContents {
  let decoding: ContentsDecoding
  var currentIndex = 0

  var count: Int? { decoding.classes.count }
  var isAtEnd: Bool { currentIndex == decoding.classes.count }
  func decodeNil() -> Bool { false }

  mutating func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
    currentIndex += 1
    return try decoding.same(
      decoding.encodedClass(decoding.classes[currentIndex - 1]), as: type)
  }

  mutating func nestedUnkeyedContainer() throws -> any UnkeyedDecodingContainer {
    throw decoding.misuse("list")
  }
}

/// The objects, in their order.
private struct ObjectsDecoding: UnkeyedDecodingContainer, PartsOfContents {
  let decoding: ContentsDecoding
  private let row: RowDecoding
  private(set) var currentIndex = 0

  init(_ decoding: ContentsDecoding) {
    self.decoding = decoding
    row = RowDecoding(decoding)
  }

  var count: Int? { decoding.order.count }
  var isAtEnd: Bool { currentIndex == decoding.order.count }
  func decodeNil() -> Bool { false }

  func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
    throw decoding.misuse("\(type)")
  }

  mutating func nestedUnkeyedContainer() -> any UnkeyedDecodingContainer {
    row.begin(decoding.order[currentIndex])
    currentIndex += 1
    return row
  }
}

/// The values of one object.
///
/// One instance is used for all objects, because an allocation for each would take as long as
/// reading its values.
private final class RowDecoding: UnkeyedDecodingContainer, PartsOfContents {
  let decoding: ContentsDecoding
  private let contents: StoredContents
  private var entity: Entity = 0
  private var row = StoredContents.Row()
  private var changes: [StoredContents.Change]?
  private var properties: [StoredClass.StoredProperty] = []
  private var reader = ByteReader([])
  private var source: Int32 = -1
  private var item = 0

  /// What precedes the values of an object: its class, replica and counter.
  private static let head = 3

  init(_ decoding: ContentsDecoding) {
    (self.decoding, contents) = (decoding, decoding.contents)
  }

  /// Continues with an object.
  func begin(_ entity: Entity) {
    self.entity = entity
    row = contents.rows[Int(entity)]
    changes = contents.changed[entity]
    properties = contents.classes[Int(row.classNumber)].properties
    item = 0
    let end = contents.sources[Int(row.source)].count
    if source != row.source {
      source = row.source
      reader = ByteReader(contents.sources[Int(source)])
    }
    reader.move(to: row.offset..<end)
  }

  var count: Int? { properties.count + Self.head }
  var currentIndex: Int { item }
  var isAtEnd: Bool { item == properties.count + Self.head }
  func decodeNil() -> Bool { false }

  func nestedUnkeyedContainer() throws -> any UnkeyedDecodingContainer {
    throw decoding.misuse("list")
  }

  func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
    if isAtEnd { throw decoding.misuse("more values") }
    let start = reader.offset
    item += 1
    do {
      return try decodeItem(item - 1 - Self.head, as: type)
    } catch let error as InitialValue {
      throw error
    } catch {
      // The value stays the next one, which can be passed over as one of another type.
      item -= 1
      reader.move(to: start..<reader.end)
      throw error
    }
  }

  private func decodeItem<Value: Decodable>(_ number: Int, as type: Value.Type) throws -> Value {
    let id = contents.entities.ids[Int(entity)]
    switch number {
    case -3:
      let position = decoding.classPositions[Int(row.classNumber)] ?? 0
      return try decoding.same(position, as: type)
    case -2: return try decoding.same(decoding.replicaNumbers[id.replica] ?? 0, as: type)
    case -1: return try decoding.same(id.counter, as: type)
    default: return try decodeValue(number, as: type)
    }
  }

  private func decodeValue<Value: Decodable>(_ number: Int, as type: Value.Type) throws -> Value {
    let kind = properties[number].kind
    guard let changes, case let change = changes[number], change.isAny else {
      return try decode(kind, as: type, from: &reader)
    }
    try StoredContents.skip(kind, &reader)
    switch change {
    case .none: throw decoding.misuse("\(type)")
    case .bytes(let source, let range):
      var part = ByteReader(contents.sources[source], in: range)
      return try decode(kind, as: type, from: &part)
    case .members(let members):
      return try decoding.same(members.map { decoding.position(of: $0) }, as: type)
    }
  }

  private func decode<Value: Decodable>(
    _ kind: StoredClass.Kind, as type: Value.Type, from reader: inout ByteReader
  ) throws -> Value {
    switch kind {
    case .value:
      if try StoredContents.skipInitialValue(&reader) { throw InitialValue() }
      return try ValueCoding.decode(type, from: &reader, depth: 0)
    case .link:
      return try decoding.same(
        contents.target(&reader).map { decoding.position(of: $0) }, as: type)
    case .list:
      return try decoding.same(
        contents.members(&reader).map { decoding.position(of: $0) }, as: type)
    }
  }
}

extension StoredContents.Change {
  fileprivate var isAny: Bool {
    if case .none = self { false } else { true }
  }
}
