// Integers of all sizes have one form, and floating-point numbers that are integral have it, too.

extension FixedWidthInteger {
  fileprivate func writeInteger(to writer: inout ByteWriter) {
    if let value = Int64(exactly: self) {
      let zigzag = value.zigzag
      if zigzag <= UInt64(ValueTag.smallInteger.upperBound) {
        writer.write(UInt8(zigzag))
      } else {
        writer.write(ValueTag.integer)
        writer.writeVarint(zigzag)
      }
    } else {
      // No type of this coding has integers beyond 64 bits.
      writer.write(ValueTag.largeInteger)
      writer.writeVarint(UInt64(self))
    }
  }

  fileprivate static func readInteger(
    from reader: inout ByteReader
  ) throws(ValueCodingError) -> Self {
    let start = reader.offset
    let tag = try reader.readTag()
    let value: Self?
    switch tag {
    case ValueTag.smallInteger: value = Self(exactly: Int64(zigzag: UInt64(tag)))
    case ValueTag.integer, ValueTag.largeInteger:
      let number = try reader.checked { reader throws(ByteError) in try reader.readVarint() }
      value =
        tag == ValueTag.integer ? Self(exactly: Int64(zigzag: number)) : Self(exactly: number)
    default: throw reader.mismatch(tag, Self.self)
    }
    guard let value else { throw .outOfRange(type: "\(Self.self)", offset: start) }
    return value
  }
}

extension DirectlyEncodable where Self: FixedWidthInteger {
  func write(to writer: inout ByteWriter, depth: Int) { writeInteger(to: &writer) }
}

extension DirectlyDecodable where Self: FixedWidthInteger {
  static func read(from reader: inout ByteReader, depth: Int) throws(ValueCodingError) -> Self {
    try readInteger(from: &reader)
  }
}

extension Int: DirectlyEncodable, DirectlyDecodable {}
extension Int8: DirectlyEncodable, DirectlyDecodable {}
extension Int16: DirectlyEncodable, DirectlyDecodable {}
extension Int32: DirectlyEncodable, DirectlyDecodable {}
extension Int64: DirectlyEncodable, DirectlyDecodable {}
extension UInt: DirectlyEncodable, DirectlyDecodable {}
extension UInt8: DirectlyEncodable, DirectlyDecodable {}
extension UInt16: DirectlyEncodable, DirectlyDecodable {}
extension UInt32: DirectlyEncodable, DirectlyDecodable {}
extension UInt64: DirectlyEncodable, DirectlyDecodable {}

extension Double: DirectlyEncodable, DirectlyDecodable {
  /// Up to this magnitude an integral number is written as an integer.
  private static let integralLimit = 0x1p48

  func write(to writer: inout ByteWriter, depth: Int) {
    if magnitude < Self.integralLimit, let integer = Int64(exactly: self), !isNegativeZero {
      integer.write(to: &writer, depth: depth)
    } else if Double(Float(self)) == self {
      writer.write(ValueTag.float)
      writer.writeFixed(Float(self).bitPattern)
    } else {
      writer.write(ValueTag.double)
      writer.writeFixed(bitPattern)
    }
  }

  private var isNegativeZero: Bool { self == 0 && sign == .minus }

  static func read(from reader: inout ByteReader, depth: Int) throws(ValueCodingError) -> Double {
    switch reader.peek() {
    case ValueTag.float:
      return try reader.checked { reader throws(ByteError) in
        try reader.skip(1)
        return Double(Float(bitPattern: try reader.readFixed32()))
      }
    case ValueTag.double:
      return try reader.checked { reader throws(ByteError) in
        try reader.skip(1)
        return Double(bitPattern: try reader.readFixed64())
      }
    case .some(let tag) where !isInteger(tag):
      _ = try reader.readTag()
      throw reader.mismatch(tag, Double.self)
    default:
      let start = reader.offset
      let integer = try Int64.read(from: &reader, depth: depth)
      guard let value = Double(exactly: integer) else {
        throw .outOfRange(type: "Double", offset: start)
      }
      return value
    }
  }

  private static func isInteger(_ tag: UInt8) -> Bool {
    ValueTag.smallInteger ~= tag || tag == ValueTag.integer || tag == ValueTag.largeInteger
  }
}

extension Float: DirectlyEncodable, DirectlyDecodable {
  func write(to writer: inout ByteWriter, depth: Int) {
    Double(self).write(to: &writer, depth: depth)
  }

  static func read(from reader: inout ByteReader, depth: Int) throws(ValueCodingError) -> Float {
    let start = reader.offset
    let value = try Double.read(from: &reader, depth: depth)
    guard let narrow = Float(exactly: value) ?? (value.isNaN ? Float(value) : nil) else {
      throw .outOfRange(type: "Float", offset: start)
    }
    return narrow
  }
}

extension Bool: DirectlyEncodable, DirectlyDecodable {
  func write(to writer: inout ByteWriter, depth: Int) {
    writer.write(self ? ValueTag.true : ValueTag.false)
  }

  static func read(from reader: inout ByteReader, depth: Int) throws(ValueCodingError) -> Bool {
    let tag = try reader.readTag()
    switch tag {
    case ValueTag.false: return false
    case ValueTag.true: return true
    default: throw reader.mismatch(tag, Bool.self)
    }
  }
}
