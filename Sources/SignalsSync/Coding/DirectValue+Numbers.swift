// Integers of all sizes have one form, which is also the form of floating-point numbers that are
// 64-bit integers. All not-a-number values are encoded as one value.

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
    guard ValueTag.isInteger(tag) else { throw reader.mismatch(tag, Self.self) }
    let number = try reader.readInteger(of: tag)
    let value =
      tag == ValueTag.largeInteger ? Self(exactly: number) : Self(exactly: Int64(zigzag: number))
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
  func write(to writer: inout ByteWriter, depth: Int) {
    if isNegativeZero || !isFinite {
      writeFloatingPoint(to: &writer)
    } else if let integer = Int64(exactly: self) {
      integer.write(to: &writer, depth: depth)
    } else if let integer = UInt64(exactly: self) {
      integer.write(to: &writer, depth: depth)
    } else {
      writeFloatingPoint(to: &writer)
    }
  }

  private func writeFloatingPoint(to writer: inout ByteWriter) {
    if isFloat {
      writer.write(ValueTag.float)
      writer.writeFixed(Float(self).bitPattern)
    } else {
      writer.write(ValueTag.double)
      writer.writeFixed(isNaN ? Double.nan.bitPattern : bitPattern)
    }
  }

  private var isNegativeZero: Bool { self == 0 && sign == .minus }

  /// Whether 4 bytes can represent the value.
  ///
  /// It is `false` for a value that isn't a number.
  private var isFloat: Bool { Double(Float(self)) == self }

  /// Whether the number is encoded with a tag of floating-point numbers.
  fileprivate func isWritten(as tag: UInt8) -> Bool {
    if isNaN { return tag == ValueTag.double && bitPattern == Double.nan.bitPattern }
    let isInteger =
      !isNegativeZero && (Int64(exactly: self) != nil || UInt64(exactly: self) != nil)
    return !isInteger && isFloat == (tag == ValueTag.float)
  }

  static func read(from reader: inout ByteReader, depth: Int) throws(ValueCodingError) -> Double {
    let start = reader.offset
    let tag = try reader.readTag()
    if tag == ValueTag.float || tag == ValueTag.double {
      return try reader.readFloatingPoint(of: tag)
    }
    guard ValueTag.isInteger(tag) else { throw reader.mismatch(tag, Double.self) }
    let number = try reader.readInteger(of: tag)
    let value =
      tag == ValueTag.largeInteger
      ? Double(exactly: number) : Double(exactly: Int64(zigzag: number))
    guard let value else { throw .outOfRange(type: "Double", offset: start) }
    return value
  }
}

extension ByteReader {
  /// Reads an integer after its tag: its zigzag form, or a large integer itself.
  @inline(__always)
  mutating func readInteger(of tag: UInt8) throws(ValueCodingError) -> UInt64 {
    if ValueTag.smallInteger ~= tag { return UInt64(tag) }
    let start = offset - 1
    let number = try checked { reader throws(ByteError) in try reader.readVarint() }
    let least =
      tag == ValueTag.integer
      ? UInt64(ValueTag.smallInteger.upperBound) + 1 : UInt64(Int64.max) + 1
    guard number >= least else { throw .notCanonical(offset: start) }
    return number
  }

  /// Reads a floating-point number after its tag.
  mutating func readFloatingPoint(of tag: UInt8) throws(ValueCodingError) -> Double {
    let start = offset - 1
    let value = try checked { reader throws(ByteError) in
      tag == ValueTag.float
        ? Double(Float(bitPattern: try reader.readFixed32()))
        : Double(bitPattern: try reader.readFixed64())
    }
    guard value.isWritten(as: tag) else { throw .notCanonical(offset: start) }
    return value
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
