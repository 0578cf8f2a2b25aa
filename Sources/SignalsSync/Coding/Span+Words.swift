// Fixed-width and variable-length integers in bytes: little-endian, at any alignment.

extension Span<UInt8> {
  /// Returns the eight bytes at an offset as an integer.
  package func word(at offset: Int) -> UInt64 {
    // The load checks its bounds; every bit pattern is a valid integer.
    UInt64(littleEndian: unsafe bytes.unsafeLoadUnaligned(fromByteOffset: offset, as: UInt64.self))
  }

  /// Returns the four bytes at an offset as an integer.
  package func halfWord(at offset: Int) -> UInt32 {
    UInt32(littleEndian: unsafe bytes.unsafeLoadUnaligned(fromByteOffset: offset, as: UInt32.self))
  }

  /// Returns the variable-length integer at an offset, and moves the offset past it.
  ///
  /// - Parameters:
  ///   - offset: The offset of the integer, then the offset after it.
  ///   - end: The offset at which the bytes end.
  /// - Returns: The integer, or `nil` if the bytes before `end` are not one in its shortest form.
  package func varint(at offset: inout Int, end: Int) -> UInt64? {
    var value: UInt64 = 0
    var shift: UInt64 = 0
    while offset < end {
      let byte = self[offset]
      offset += 1
      if shift == 63, byte > 1 { return nil }
      value |= UInt64(byte & 0x7f) &<< shift
      if byte < 0x80 { return byte == 0 && shift > 0 ? nil : value }
      shift += 7
      if shift > 63 { return nil }
    }
    return nil
  }
}

extension [UInt8] {
  /// Appends an integer as eight bytes.
  package mutating func append(word: UInt64) {
    let start = count
    append(contentsOf: repeatElement(0, count: 8))
    store(word: word, at: start)
  }

  /// Replaces the eight bytes at an offset by an integer.
  package mutating func store(word: UInt64, at offset: Int) {
    for index in 0..<8 {
      self[offset + index] = UInt8(truncatingIfNeeded: word &>> UInt64(8 * index))
    }
  }

  /// Appends an integer in seven bits a byte, the lowest bits first.
  package mutating func append(varint: UInt64) {
    var rest = varint
    while rest >= 0x80 {
      append(UInt8(truncatingIfNeeded: rest) | 0x80)
      rest &>>= 7
    }
    append(UInt8(truncatingIfNeeded: rest))
  }

  /// Returns the number of bytes of an integer's variable-length form.
  package static func varintSize(_ value: UInt64) -> Int {
    Swift.max(1, (70 - value.leadingZeroBitCount) / 7)
  }
}
