import Foundation
import Signals
import SignalsSync
import SignalsTesting
import TestSupport
import Testing

/// A value with everything that synthesized conformances have.
enum Tree: Codable, Hashable {
  case leaf
  case number(Double, count: Int8)
  case text(String?)
  indirect case branch(left: Tree, right: Tree)
  case node(Node)

  struct Node: Codable, Hashable {
    var name = ""
    var id: ObjectID?
    var flags: [Bool?] = []
    var weights: [String: Float] = [:]
    var byNumber: [Int: Tree] = [:]
    var tags: Set<UInt16> = []
    var nested: Int??
    var bytes: [UInt8] = []
    var children: [Tree] = []
  }

  static func random(_ random: inout SeededRandom, depth: Int = 0) -> Tree {
    switch Int.random(in: 0...(depth > 3 ? 2 : 4), using: &random) {
    case 0: return .leaf
    case 1:
      return .number(
        random.chance(50) ? Double(Int.random(in: -99...99, using: &random)) : .pi * 1e30,
        count: .random(in: .min ... .max, using: &random))
    case 2:
      return .text(random.chance(30) ? nil : String(repeating: "é", count: Int(random.next() % 70)))
    case 3:
      return .branch(
        left: .random(&random, depth: depth + 1), right: .random(&random, depth: depth + 1))
    default:
      var node = Node()
      let count = Int.random(in: 0...20, using: &random)
      node.name = random.chance(50) ? UUID().uuidString : "x"
      node.id = random.chance(50) ? nil : ObjectID(replica: random.next(), counter: random.next())
      node.flags = (0..<count).map { _ in [nil, true, false].randomElement(using: &random)! }
      node.nested = [nil, .some(nil), .some(.some(1))].randomElement(using: &random)!
      node.tags = Set((0..<count).map { _ in .random(in: 0...999, using: &random) })
      node.bytes = (0..<count).map { UInt8($0) }
      for _ in 0..<Int.random(in: 0...3, using: &random) {
        node.weights["\(random.next() % 99)"] = Float(random.next() % 1_000) / 8
        node.byNumber[Int(random.next() % 99)] = .random(&random, depth: depth + 1)
        node.children.append(.random(&random, depth: depth + 1))
      }
      return .node(node)
    }
  }
}

func encoded<Value: Encodable>(_ value: Value) throws(ValueCodingError) -> [UInt8] {
  var writer = ByteWriter()
  try ValueCoding.encode(value, to: &writer)
  return writer.bytes
}

func decoded<Value: Decodable>(
  _ bytes: [UInt8], as type: Value.Type = Value.self
) throws(ValueCodingError) -> Value {
  var reader = ByteReader(bytes)
  return try ValueCoding.decode(from: &reader)
}

@Suite("Coding of values")
struct ValueCodingTests {
  private func check<Value: Codable & Equatable>(
    _ value: Value, _ bytes: [UInt8]? = nil, at location: SourceLocation = #_sourceLocation
  ) throws {
    let written = try encoded(value)
    if let bytes { #expect(written == bytes, sourceLocation: location) }
    #expect(try decoded(written, as: Value.self) == value, sourceLocation: location)
    let coder = ValueCoder<Value>()
    var writer = ByteWriter()
    try coder.encode(value, to: &writer)
    #expect(writer.bytes == written, sourceLocation: location)
    var reader = ByteReader(written)
    #expect(try coder.decodeNext(from: &reader) == value, sourceLocation: location)
    #expect(reader.isAtEnd, sourceLocation: location)
    reader.move(to: 0..<written.count)
    #expect(try ValueCoding.skip(&reader) == 0..<written.count, sourceLocation: location)
  }

  @Test func `The format of each kind of value`() throws {
    try check(0, [0x00])
    try check(-1, [0x01])
    try check(31 as UInt8, [0x3e])
    try check(-32 as Int16, [0x3f])
    try check(32, [0x83, 0x40])
    try check(Int.min, [0x83] + [UInt8](repeating: 0xff, count: 9) + [0x01])
    try check(UInt64.max, [0x84] + [UInt8](repeating: 0xff, count: 9) + [0x01])
    try check(true, [0x82])
    try check(false, [0x81])
    try check(3.0, [0x06])
    try check(-0.0, [0x85, 0, 0, 0, 0x80])
    try check(0.5 as Float, [0x85, 0, 0, 0, 0x3f])
    try check(0.1, [0x86, 0x9a, 0x99, 0x99, 0x99, 0x99, 0x99, 0xb9, 0x3f])
    try check("", [0x40])
    try check("hé", [0x43, 0x68, 0xc3, 0xa9])
    try check(String(repeating: "a", count: 63), [0x7f] + [UInt8](repeating: 97, count: 63))
    try check(String(repeating: "a", count: 64), [0x87, 64] + [UInt8](repeating: 97, count: 64))
    try check([1, 2], [0x92, 0x02, 0x04])
    try check([UInt8](), [0x90])
    try check([7, 8] as [UInt8], [0x89, 2, 7, 8])
    try check(["b": 1, "a": 2], [0xa2, 0x41, 0x61, 0x04, 0x41, 0x62, 0x02])
    try check([2: true], [0x92, 0x04, 0x82])
    try check(Set([3, 1, 2]), [0x93, 0x02, 0x04, 0x06])
    try check(
      ObjectID(replica: 0x0102_0304_0506_0708, counter: 200),
      [0x8a, 8, 7, 6, 5, 4, 3, 2, 1, 0xc8, 0x01])
    try check([Bool?](repeating: nil, count: 16), [0x8b, 16] + [UInt8](repeating: 0x80, count: 16))
    try check(Tree.leaf, [0xa1, 0x44, 0x6c, 0x65, 0x61, 0x66, 0xa0])
  }

  @Test func `Nested optionals keep their depth`() throws {
    try check(Int?.none, [0x80])
    try check(Int??.some(.none), [0x8d, 0x80])
    try check(Int???.some(.some(.none)), [0x8d, 0x8d, 0x80])
    try check(Int???.some(.none), [0x8d, 0x80])
    try check(Int???.some(.some(.some(1))), [0x02])
    try check([Int??.none, .some(.none), .some(.some(5))])
    try check([[Int?]?.none, [nil], [1]])
  }

  @Test(arguments: 0..<40)
  func `Any Codable value is decoded unchanged`(seed: UInt64) throws {
    var random = SeededRandom(seed: seed)
    for _ in 0..<10 * effort { try check(Tree.random(&random)) }
  }

  @Test func `Foundation's values are short`() throws {
    let id = UUID()
    try check(id)
    #expect(try encoded(id).count == 17)
    try check(Date(timeIntervalSinceReferenceDate: 0.1))
    #expect(try encoded(Date(timeIntervalSinceReferenceDate: 0.1)).count == 9)
    try check(Data([1, 2, 3]), [0x89, 3, 1, 2, 3])
    try check(Data())
    try check(URL(string: "https://example.org")!)
    try check(Decimal(string: "3.14159")!)
  }

  @Test(arguments: [
    "0F1E2D3C-4B5A-6978-8796-A5B4C3D2E1F", "0F1E2D3C-4B5A-6978-8796-A5B4C3D2E1F0A",
    "0f1e2d3c-4b5a-6978-8796-a5b4c3d2e1f0", "0F1E2D3C 4B5A-6978-8796-A5B4C3D2E1F0",
    "0F1E2D3C-4B5A-6978-8796-A5B4C3D2E1G0", "-F1E2D3C-4B5A-6978-8796-A5B4C3D2E1F0",
    "0F1E2D3C-4B5A-6978-8796-A5B4C3D2E1F0",
  ])
  func `A text that looks like a UUID is decoded unchanged`(text: String) throws {
    try check(text)
    try check([text: 1])
  }

  @Test func `Numbers of all types have one form, and are read as any type that can hold them`()
    throws
  {
    #expect(try encoded(5 as Int8) == encoded(5.0))
    #expect(try decoded(encoded(300), as: Double.self) == 300)
    #expect(try decoded(encoded(2.0), as: UInt8.self) == 2)
    #expect(try decoded(encoded(Float.nan), as: Float.self).isNaN)
    #expect(try decoded(encoded(-Double.infinity), as: Double.self) == -.infinity)
    let outOfRange = ValueCodingError.outOfRange(type: "UInt8", offset: 0)
    #expect(throws: outOfRange) { try decoded(encoded(300), as: UInt8.self) }
    #expect(throws: outOfRange) { try decoded(encoded(-1), as: UInt8.self) }
    #expect(throws: ValueCodingError.outOfRange(type: "Int", offset: 0)) {
      try decoded(encoded(UInt64.max), as: Int.self)
    }
    #expect(throws: ValueCodingError.outOfRange(type: "Float", offset: 0)) {
      try decoded(encoded(0.1), as: Float.self)
    }
    #expect(throws: ValueCodingError.outOfRange(type: "Double", offset: 0)) {
      try decoded(encoded(Int.max), as: Double.self)
    }
  }

  @Test func `Bytes and lists of numbers are read as each other`() throws {
    let numbers = try encoded([1, 2, 255])
    let bytes = try encoded([1, 2, 255] as [UInt8])
    for form in [numbers, bytes] {
      #expect(try decoded(form, as: [UInt8].self) == [1, 2, 255])
      #expect(try decoded(form, as: [Int].self) == [1, 2, 255])
      #expect(try decoded(form, as: [Double].self) == [1, 2, 255])
      #expect(try decoded(form, as: [UInt8?].self) == [1, 2, 255])
      #expect(try decoded(form, as: [UInt8]?.self) == [1, 2, 255])
      #expect(try decoded(form, as: Set<Int>.self) == [1, 2, 255])
      #expect(try decoded(form, as: Set<UInt8>.self) == [1, 2, 255])
      #expect(try decoded(form, as: Data.self) == Data([1, 2, 255]))
      #expect(try decoded(form, as: ContiguousArray<Int>.self) == [1, 2, 255])
      #expect(try decoded(form, as: ContiguousArray<UInt8>.self) == [1, 2, 255])
    }
    #expect(try decoded([0x89, 2, 7, 8], as: [Int: UInt8].self) == [7: 8])
    #expect(throws: ValueCodingError.self) { try decoded(encoded([1, 256]), as: [UInt8].self) }
    #expect(throws: ValueCodingError.self) { try decoded(bytes, as: [String].self) }
    #expect(throws: ValueCodingError.self) { try decoded(bytes, as: [Int: Int].self) }
    #expect(try encoded(decoded(numbers, as: [UInt8].self)) == bytes)
    #expect(try encoded(decoded(bytes, as: [Int].self)) == numbers)
  }

  @Test func `Equal sets and dictionaries have equal bytes, in whatever order they were made`()
    throws
  {
    for count in [0, 1, 2, 15, 16, 300] {
      let numbers = Array(0..<count)
      let texts = numbers.map { "k\($0)" }
      #expect(try encoded(Set(numbers)) == encoded(Set(numbers.reversed())))
      let forward = Dictionary(uniqueKeysWithValues: zip(texts, numbers))
      var backward: [String: Int] = [:]
      backward.reserveCapacity(1_000)
      for (key, value) in zip(texts, numbers).reversed() { backward[key] = value }
      #expect(try encoded(forward) == encoded(backward))
      try check(forward)
      try check(Set(texts))
      try check(Dictionary(uniqueKeysWithValues: zip(numbers, texts)))
    }
  }

  @Test func `Large arrays are decoded unchanged`() throws {
    try check((0..<100_000).map { $0 * 7_919 })
    try check([UInt8](repeating: 9, count: 1_000_000))
    try check((0..<10_000).map { "text \($0)" })
  }
}
