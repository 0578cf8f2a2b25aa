import Signals
import SignalsSync
import SignalsTesting
import TestSupport
import Testing

/// A word, in which case makes no difference.
private struct Word: Codable, Hashable {
  var text: String

  init(text: String) { self.text = text }

  init(from decoder: any Decoder) throws {
    text = try decoder.singleValueContainer().decode(String.self)
  }

  func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(text)
  }

  static func == (one: Word, other: Word) -> Bool {
    one.text.lowercased() == other.text.lowercased()
  }

  func hash(into hasher: inout Hasher) { hasher.combine(text.lowercased()) }
}

@Suite("The only form of a value")
struct ValueFormTests {
  /// Expects that bytes are refused as a value of a type, and also if its type isn't known.
  private func expectRefusal<Value: Decodable>(
    _ bytes: [UInt8], as type: Value.Type, at offset: Int = 0, known: Bool = false,
    _ location: SourceLocation = #_sourceLocation
  ) {
    let error = ValueCodingError.notCanonical(offset: offset)
    #expect(throws: error, sourceLocation: location) { try decoded(bytes, as: type) }
    if known { return }
    #expect(throws: error, sourceLocation: location) {
      var reader = ByteReader(bytes)
      try ValueCoding.skip(&reader)
    }
  }

  @Test func `An integer has as few bytes as it needs`() {
    expectRefusal([0x83, 0], as: Int.self)
    expectRefusal([0x83, 0x3f], as: Int8.self)
    expectRefusal([0x83, 0x3f], as: Double.self)
    expectRefusal([0x84, 5], as: UInt64.self)
    expectRefusal([0x84] + [UInt8](repeating: 0xff, count: 8) + [0x7f], as: UInt64.self)
  }

  @Test func `A floating-point number has as few bytes as it needs`() {
    func bytes(_ number: Double) -> [UInt8] {
      var writer = ByteWriter()
      writer.write(0x86)
      writer.writeFixed(number.bitPattern)
      return writer.bytes
    }
    func bytes(_ number: Float) -> [UInt8] {
      var writer = ByteWriter()
      writer.write(0x85)
      writer.writeFixed(number.bitPattern)
      return writer.bytes
    }
    for number in [0, 1, -5, 0x1p62, -0x1p63, 0x1p63, 0x1p60 + 0x1p10] as [Double] {
      expectRefusal(bytes(number), as: Double.self)
      expectRefusal(bytes(Float(number)), as: Double.self)
      expectRefusal(bytes(Float(number)), as: Float.self)
    }
    for number in [0.5, -0.0, .infinity, 0x1p64, 1e30] as [Float] {
      expectRefusal(bytes(Double(number)), as: Double.self)
    }
    expectRefusal(bytes(Double(bitPattern: Double.nan.bitPattern | 1)), as: Double.self)
    expectRefusal(bytes(-Double.nan), as: Double.self)
    expectRefusal(bytes(Float.nan), as: Float.self)
  }

  @Test(arguments: 0..<4)
  func `A number has the same bytes whatever its type`(seed: UInt64) throws {
    var random = SeededRandom(seed: seed)
    for _ in 0..<500 {
      let bits: UInt64 = random.next() &>> .random(in: 0...63, using: &random)
      if let number = Double(exactly: bits) { #expect(try encoded(number) == encoded(bits)) }
      let signed = Int64(bitPattern: bits) &* (random.chance(50) ? 1 : -1)
      if let number = Double(exactly: signed) { #expect(try encoded(number) == encoded(signed)) }
      let number = Double(bitPattern: random.next())
      let again = try decoded(encoded(number), as: Double.self)
      #expect(again.bitPattern == number.bitPattern || (again.isNaN && number.isNaN))
      #expect(try encoded(again) == encoded(number), "seed \(seed)")
    }
  }

  @Test func `A text, bytes, a list and a record have the shortest head`() {
    expectRefusal([0x87, 1, 0x61], as: String.self)
    expectRefusal([0x8b, 1, 0], as: [Int].self)
    expectRefusal([0x8c, 1, 0x41, 0x61, 0], as: [String: Int].self)
    expectRefusal([0xa1, 0x87, 1, 0x61, 0], as: [String: Int].self, at: 1)
    expectRefusal([0x89, 0], as: [UInt8].self)
  }

  @Test func `A text that is a UUID is written as one, but no key is`() throws {
    let text = "0F1E2D3C-4B5A-6978-8796-A5B4C3D2E1F0"
    expectRefusal([0x40 + 36] + Array(text.utf8), as: String.self)
    #expect(try decoded(encoded([text: 1])) == [text: 1])
    let id = try encoded(text)
    #expect(throws: ValueCodingError.self) {
      try decoded([0xa1] + id + [0], as: [String: Int].self)
    }
  }

  @Test func `Only an optional of an optional is marked`() {
    expectRefusal([0x8d, 5], as: Int?.self)
    expectRefusal([0x8d, 5], as: Int??.self)
    expectRefusal([0x8d, 0x8d, 5], as: Int???.self, at: 1)
  }

  @Test func `A record's keys are in order, and each is there once`() {
    let unordered = ValueCodingError.unorderedKeys(offset: 4)
    for second in [0x61, 0x62] as [UInt8] {
      let bytes = [0xa2, 0x41, 0x62, 0, 0x41, second, 0]
      #expect(throws: unordered) { try decoded(bytes, as: [String: Int].self) }
      #expect(throws: unordered) {
        var reader = ByteReader(bytes)
        try ValueCoding.skip(&reader)
      }
    }
  }

  @Test func `Elements of a set are read in any order and merged, and written in theirs`() throws {
    let numbers = try decoded([0x94, 4, 2, 4, 2], as: Set<Int>.self)
    #expect(numbers == [1, 2])
    #expect(try encoded(numbers) == [0x92, 2, 4])
    #expect(try decoded(encoded(["b", "a", "b"]), as: Set<String>.self) == ["a", "b"])
    #expect(
      try decoded(encoded([["b", "a"], ["a"]]), as: [Set<String>].self) == [["a", "b"], ["a"]])
    let spellings: [UInt8] = [0x92, 0x42, 0xc3, 0xa9, 0x43, 0x65, 0xcc, 0x81]
    #expect(try decoded(spellings, as: Set<String>.self) == ["é"])
    let words = try encoded(["b", "A", "a"])
    #expect(try decoded(words, as: Set<Word>.self) == [Word(text: "a"), Word(text: "b")])
  }

  @Test func `Keys of a dictionary are read in any order, and the last value of each stays`() throws
  {
    let numbers = try decoded([0x96, 4, 0, 2, 1, 4, 2], as: [Int: Int].self)
    #expect(numbers == [1: -1, 2: 1])
    #expect(try encoded(numbers) == [0x94, 2, 1, 4, 2])
    // The same key for Swift, in two spellings.
    let spellings: [UInt8] = [0xa2, 0x43, 0x65, 0xcc, 0x81, 0, 0x42, 0xc3, 0xa9, 2]
    #expect(try decoded(spellings, as: [String: Int].self) == ["é": 1])
    let words = try encoded(["b", "1", "A", "2", "a", "3"])
    let merged = [Word(text: "a"): "3", Word(text: "b"): "1"]
    #expect(try decoded(words, as: [Word: String].self) == merged)
  }

  @Test func `All not-a-number values are one element of a set`() throws {
    #expect(try decoded(encoded(Set([Double.nan, .nan])), as: Set<Double>.self).count == 1)
    let twice = [Double.nan: 2, .signalingNaN: 1]
    #expect(try Array(decoded(encoded(twice), as: [Double: Int].self).values) == [1])
  }

  @Test func `Values nested more deeply than any type's are refused without recursion`() {
    let error = ValueCodingError.tooDeep
    for tag in [0x91, 0xa1] as [UInt8] {
      let level = tag == 0x91 ? [tag] : [tag, 0x40]
      #expect(throws: error) {
        var reader = ByteReader((0..<100_000).flatMap { _ in level } + [0])
        try ValueCoding.skip(&reader)
      }
    }
    var reader = ByteReader([UInt8](repeating: 0x8d, count: 1_000_000) + [0x80])
    #expect((try? ValueCoding.skip(&reader)) == 0..<1_000_001)
  }

  @Test(arguments: 0..<8)
  func `Damaged values that are decoded have one form when they are encoded again`(seed: UInt64)
    throws
  {
    var random = SeededRandom(seed: seed)
    func check<Value: Codable>(_ value: Value, isMerged: Bool = false) throws {
      let bytes = try encoded(value)
      for _ in 0..<30 * effort {
        let other = damaged(bytes, using: &random)
        guard let value = try? decoded(other, as: Value.self) else { continue }
        let again = try encoded(value)
        if isMerged {
          #expect(try encoded(decoded(again, as: Value.self)) == again, "seed \(seed)")
        } else {
          #expect(again == other, "seed \(seed)")
        }
      }
    }
    let texts = ["", "a", "é", "e\u{301}", "0F1E2D3C-4B5A-6978-8796-A5B4C3D2E1F0"]
    try check([0.5, 1, -0.0, 1e300, .nan, 0x1p50])
    try check([1, -70, 1 << 40] as [Int?])
    try check(Set([1, 2, 3, 300]), isMerged: true)
    try check(Set(texts), isMerged: true)
    try check(Dictionary(uniqueKeysWithValues: texts.dropLast(2).map { ($0, $0) }))
    try check([1: [0.5], 2: [], 70: [1, 2]] as [Int: [Float]], isMerged: true)
    try check([[1, 2, 3], []] as [[UInt8]], isMerged: true)
    try check([nil, .some(nil), .some(.some(true))] as [Bool??])
  }
}
