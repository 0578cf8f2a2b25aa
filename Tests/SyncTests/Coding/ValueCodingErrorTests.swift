import Signals
import SignalsSync
import SignalsTesting
import TestSupport
import Testing

private struct Pair: Codable, Equatable {
  var first = 1
  var second: String? = "two"
}

/// A value with a chosen depth of nesting.
private struct Nested: Codable, Equatable {
  var inner: [Nested] = []

  init(depth: Int) { inner = depth == 0 ? [] : [Nested(depth: depth - 1)] }
}

private struct Endless: Codable {
  init() {}
  init(from decoder: any Decoder) throws {
    self = try decoder.singleValueContainer().decode(Self.self)
  }
  func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(self)
  }
}

/// Uses what synthesized conformances don't.
private class Base: Codable {
  var name = "base"
}

private final class Derived: Base {
  var values: [Int] = [1, 2]
  private enum Keys: String, CodingKey { case values, list }

  override init() { super.init() }
  required init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: Keys.self)
    var list = try container.nestedUnkeyedContainer(forKey: .list)
    while !list.isAtEnd { values.append(try list.decodeNil() ? 0 : list.decode(Int.self)) }
    try super.init(from: container.superDecoder())
  }
  override func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: Keys.self)
    var list = container.nestedUnkeyedContainer(forKey: .list)
    try super.encode(to: container.superEncoder())
    try list.encodeNil()
    try list.encode(7)
  }
}

private struct Mixed: Encodable {
  func encode(to encoder: any Encoder) throws {
    _ = encoder.container(keyedBy: Key.self)
    _ = encoder.unkeyedContainer()
  }
  enum Key: CodingKey {}
}

private struct Refusing: Codable {
  struct Reason: Error {}
  init() {}
  init(from decoder: any Decoder) throws { throw Reason() }
  func encode(to encoder: any Encoder) throws { throw Reason() }
}

@Suite("Values that can't be coded")
struct ValueCodingErrorTests {
  @Test func `A value of another kind is named, with the type and the offset`() throws {
    let error = ValueCodingError.mismatch(found: "a text", type: "Int", offset: 0)
    #expect(throws: error) { try decoded(encoded("5"), as: Int.self) }
    #expect("\(error)" == "found a text instead of a value of Int at offset 0")
    for bytes in [[0x80], [0x82], [0x40], [0x90], [0xa0], [0x89, 0]] as [[UInt8]] {
      #expect(throws: ValueCodingError.self) { try decoded(bytes, as: Int.self) }
      #expect(throws: ValueCodingError.self) { try decoded(bytes, as: Double.self) }
      #expect(throws: ValueCodingError.self) { try decoded(bytes, as: ObjectID.self) }
    }
    #expect(throws: ValueCodingError.self) { try decoded([0x00], as: Bool.self) }
    #expect(throws: ValueCodingError.self) { try decoded([0x00], as: [Int].self) }
    #expect(throws: ValueCodingError.self) { try decoded([0x00], as: [String: Int].self) }
    #expect(throws: ValueCodingError.self) { try decoded([0x91, 0x00], as: [Int: Int].self) }
    #expect(throws: ValueCodingError.self) { try decoded([0x00], as: Pair.self) }
  }

  @Test func `Bytes after a value, or too few of them, are errors`() {
    #expect(throws: ValueCodingError.trailingBytes(offset: 1)) {
      try decoded([0, 0], as: Int.self)
    }
    #expect(throws: ValueCodingError.damaged(.endOfBytes(offset: 0))) {
      try decoded([], as: Int.self)
    }
    #expect(throws: ValueCodingError.damaged(.endOfBytes(offset: 1))) {
      try decoded([0x41], as: String.self)
    }
    #expect(throws: ValueCodingError.unknownTag(0xff, offset: 0)) {
      try decoded([0xff], as: Pair.self)
    }
  }

  @Test func `A record without a needed key, or with keys out of order, is an error`() throws {
    #expect(throws: ValueCodingError.missing(key: "first", offset: 0)) {
      try decoded([0xa0], as: Pair.self)
    }
    #expect(throws: ValueCodingError.unorderedKeys(offset: 4)) {
      try decoded([0xa2, 0x41, 0x62, 0, 0x41, 0x61, 0], as: Pair.self)
    }
    #expect(throws: ValueCodingError.unorderedKeys(offset: 4)) {
      try decoded([0xa2, 0x41, 0x62, 0, 0x41, 0x62, 0], as: Pair.self)
    }
  }

  @Test func `Keys that a type doesn't know are passed over`() throws {
    let bytes = try encoded(["first": 5, "later": 6, "x": 7])
    #expect(try decoded(bytes, as: Pair.self) == Pair(first: 5, second: nil))
  }

  @Test func `An announced count that the bytes can't hold allocates nothing`() {
    let huge: [UInt8] = [0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f]
    for tag in [0x87, 0x89, 0x8b, 0x8c] as [UInt8] {
      #expect(throws: ValueCodingError.self) { try decoded([tag] + huge, as: String.self) }
      #expect(throws: ValueCodingError.self) { try decoded([tag] + huge, as: [UInt8].self) }
      #expect(throws: ValueCodingError.self) { try decoded([tag] + huge, as: [Int: Int].self) }
      #expect(throws: ValueCodingError.self) { try decoded([tag] + huge, as: Pair.self) }
    }
  }

  @Test func `Values nested too deeply are refused in both directions`() throws {
    let allowed = Nested(depth: 30)
    #expect(try decoded(encoded(allowed), as: Nested.self) == allowed)
    #expect(throws: ValueCodingError.tooDeep) { try encoded(Nested(depth: 200)) }
    #expect(throws: ValueCodingError.tooDeep) { try encoded(Endless()) }
    #expect(throws: ValueCodingError.tooDeep) { try decoded([0x00], as: Endless.self) }
    let deep: [UInt8] = (0..<5_000).flatMap { _ in [0xa1, 0x45] + Array("inner".utf8) + [0x91] }
    #expect(throws: ValueCodingError.tooDeep) { try decoded(deep + [0xa0], as: Nested.self) }
  }

  @Test func `Superclasses and nested containers keep what they wrote`() throws {
    let derived = try decoded(encoded(Derived()), as: Derived.self)
    #expect(derived.name == "base")
    #expect(derived.values == [1, 2, 0, 7])
  }

  @Test func `What a type's own conformance throws is told, and misuse, too`() {
    #expect(throws: ValueCodingError.refused(type: "Refusing", reason: "Reason()")) {
      try encoded(Refusing())
    }
    #expect(throws: ValueCodingError.refused(type: "Refusing", reason: "Reason()")) {
      try decoded([0x00], as: Refusing.self)
    }
    #expect(throws: ValueCodingError.self) { try encoded(Mixed()) }
  }

  @Test(arguments: 0..<8)
  func `Damaged values give typed errors or other values, and never trap`(seed: UInt64) throws {
    var random = SeededRandom(seed: seed)
    for _ in 0..<40 * effort {
      let bytes = try encoded(Tree.random(&random))
      for _ in 0..<10 {
        let damaged = damaged(bytes, using: &random)
        do throws(ValueCodingError) {
          _ = try decoded(damaged, as: Tree.self)
        } catch {
          #expect(!"\(error)".isEmpty)
        }
        _ = try? decoded(damaged, as: [String: [Int?]].self)
        _ = try? decoded(damaged, as: Set<String>.self)
      }
    }
  }
}
