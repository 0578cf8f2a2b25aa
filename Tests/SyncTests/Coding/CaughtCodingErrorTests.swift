import SignalsSync
import Testing

/// A value between others, which would be misread if its bytes were wrong.
private struct Framed<Inner: Codable>: Codable { var before = 1, value: Inner, after = "end" }

/// Values whose `encode(to:)` or `init(from:)` catches errors.
@Suite struct `Coding values that catch errors` {
  /// Refuses 13.
  struct Picky: Codable, Equatable {
    struct Unlucky: Error {}
    let number: Int
    init(_ number: Int) { self.number = number }
    init(from decoder: any Decoder) throws { number = try Int(from: decoder) }
    func encode(to encoder: any Encoder) throws {
      if number == 13 { throw Unlucky() }
      try number.encode(to: encoder)
    }
  }

  /// Leaves out the rows that can't be encoded.
  struct Lossy: Codable, Equatable {
    var rows: [[Picky]]
    init(_ rows: [[Int]]) { self.rows = rows.map { $0.map(Picky.init) } }
    init(from decoder: any Decoder) throws { rows = try [[Picky]](from: decoder) }
    func encode(to encoder: any Encoder) throws {
      var container = encoder.unkeyedContainer()
      for row in rows { try? container.encode(row) }
    }
  }

  /// Encodes the first value that can be encoded.
  struct Either: Codable, Equatable {
    var values: [[Picky]]
    init(_ values: [[Int]]) { self.values = values.map { $0.map(Picky.init) } }
    init(from decoder: any Decoder) throws {
      values = [try decoder.singleValueContainer().decode([Picky].self)]
    }
    func encode(to encoder: any Encoder) throws {
      var container = encoder.singleValueContainer()
      for value in values where (try? container.encode(value)) != nil { return }
    }
  }

  /// Values of several types in one list.
  struct Mixed: Codable, Equatable {
    var parts: [String] = []
    init(_ parts: String...) { self.parts = parts }
    init(from decoder: any Decoder) throws {
      var container = try decoder.unkeyedContainer()
      while !container.isAtEnd {
        if let number = try? container.decode(Int.self) {
          parts.append("\(number)")
        } else if let text = try? container.decode(String.self) {
          parts.append(text)
        } else if var inner = try? container.nestedUnkeyedContainer() {
          parts.append("[\(try inner.decode(Int.self))]")
        } else {
          parts.append("\(try container.decode(Bool.self))")
        }
      }
    }
    func encode(to encoder: any Encoder) throws {
      var container = encoder.unkeyedContainer()
      for part in parts {
        if let number = Int(part) {
          try container.encode(number)
        } else if let flag = Bool(part) {
          try container.encode(flag)
        } else if part.hasPrefix("[") {
          try container.encode([Int(part.dropFirst().dropLast()) ?? 0])
        } else {
          try container.encode(part)
        }
      }
    }
  }

  struct Old: Codable { var hours = 2 }
  struct Text: Codable { var minutes = "ninety" }
  /// Reads its earlier forms.
  struct Present: Codable, Equatable {
    var minutes: Int
    enum Keys: CodingKey { case minutes, hours }
    init(minutes: Int) { self.minutes = minutes }
    init(from decoder: any Decoder) throws {
      let container = try decoder.container(keyedBy: Keys.self)
      do { minutes = try container.decode(Int.self, forKey: .minutes) } catch DecodingError
        .keyNotFound
      {
        minutes = try container.decode(Int.self, forKey: .hours) * 60
      } catch DecodingError.typeMismatch { minutes = 90 }
    }
  }

  private func bytes(_ value: some Encodable) throws -> [UInt8] {
    var writer = ByteWriter()
    try ValueCoding.encode(value, to: &writer)
    return writer.bytes
  }

  private func read<Value: Decodable>(_ bytes: [UInt8], as _: Value.Type = Value.self) throws
    -> Value
  {
    var reader = ByteReader(bytes)
    return try ValueCoding.decode(Value.self, from: &reader)
  }

  /// Returns the value that is read, and checks that its neighbors are read too.
  private func coded<Value: Codable>(_ value: Value) throws -> Value {
    let framed = try read(bytes(Framed(value: value)), as: Framed<Value>.self)
    #expect(framed.before == 1 && framed.after == "end")
    return framed.value
  }

  @Test func `an element whose encoding throws leaves nothing behind`() throws {
    #expect(try coded(Lossy([[1], [13], [2, 3, 13], [4, 5]])) == Lossy([[1], [4, 5]]))
    #expect(try coded(Lossy([[13]])) == Lossy([]))
  }

  @Test func `a value whose encoding throws is replaced by the next`() throws {
    #expect(try coded(Either([[1, 13], [2]])) == Either([[2]]))
    #expect(try read(bytes(Either([[7, 13]])), as: [String: Int].self) == [:])
  }

  @Test func `an element that can't be decoded is there for the next attempt`() throws {
    for parts in [
      Mixed("1", "a", "b"), Mixed("1", "a", "true", "2", "[3]", "b"), Mixed("true", "[1]"),
    ] {
      #expect(try coded(parts) == parts)
    }
  }

  @Test func `a byte that can't be decoded is there for the next attempt`() throws {
    struct Numbers: Decodable {
      var values: [Int] = []
      init(from decoder: any Decoder) throws {
        var container = try decoder.unkeyedContainer()
        while !container.isAtEnd {
          if (try? container.decode(String.self)) != nil { continue }
          values.append(Int(try container.decode(UInt8.self)))
        }
      }
    }
    #expect(try read(bytes([3, 200] as [UInt8]), as: Numbers.self).values == [3, 200])
  }

  @Test func `a type that reads its earlier forms gets the errors that it catches`() throws {
    #expect(try read(bytes(Old()), as: Present.self).minutes == 120)
    #expect(try read(bytes(Text()), as: Present.self).minutes == 90)
  }

  @Test func `an error that the type doesn't catch is the decoder's own`() throws {
    struct Empty: Codable {}
    #expect(throws: ValueCodingError.self) { try read(bytes(Empty()), as: Present.self) }
    let error = #expect(throws: ValueCodingError.self) {
      try read(bytes(["minutes": true]), as: [String: Int].self)
    }
    #expect(error?.description.hasPrefix("found") == true)
  }
}
