// The first bytes of the sort keys of a row, encoded so that they compare as the rows do.
//
// Comparing two rows reads their keys, which retains and releases strings and boxes. A sort of many
// rows therefore compares prefixes, and looks at the rows only if these don't decide.
//
// The encoding of a row is that of each key, followed by the row's number in the order of
// insertion:
// - nil: a zero byte.
// - Integers: a byte that is 0x80 plus the number of bytes that a value from 0 up needs, or 0x40
//   less the number that a negative one does, and these bytes. So small ones leave room for the next
//   key.
// - Floating-point values: 1, and 8 bytes: those of negative ones inverted, and of others with the
//   sign bit set; -0 as 0, and NaN after everything.
// - Strings: 1, their UTF-8, and a zero byte.
// The bytes of a descending key are inverted.
//
// Equal strings can have different UTF-8: a letter and an accent, or one scalar for both. Strings
// are ordered by their composed form (NFC). So only scalars that composition never changes are
// encoded, and only if they aren't followed by one that may combine with them. From the first other
// scalar on, and from a key that only its descriptor can compare, the bytes are unknown.

/// The first bytes of the encoded keys of a row.
struct KeyPrefix {
  /// The number of bytes that a prefix has room for.
  static let size = 16

  /// The bytes, the first one as the most significant; zero where they aren't known.
  private(set) var bytes: UInt128 = 0
  /// The number of bytes that are known.
  private(set) var known = 0

  /// Appends the low bytes of a number, as many as there is room for.
  ///
  /// - Parameters:
  ///   - value: The number, whose higher bytes are zero.
  ///   - count: The number of bytes to append.
  @inline(__always)
  private mutating func append(_ value: UInt128, count: Int) {
    let shift = (KeyPrefix.size - known - count) * 8
    // Bytes that don't fit are shifted out.
    bytes |= shift >= 0 ? value &<< shift : value &>> -shift
    known = min(known + count, KeyPrefix.size)
  }

  /// Appends one of the keys.
  ///
  /// - Returns: Whether all of it is known, so that the next key can follow.
  @inline(__always)
  mutating func append(_ key: SortKey, isDescending: Bool) -> Bool {
    switch key {
    case .unsorted: return true
    case .other, .pair: return false
    case .missing: append(isDescending ? 0xff : 0, count: 1)
    case .int(let value): append(value, isDescending: isDescending)
    case .double(let value):
      let encoded = 1 << 64 | UInt128(KeyPrefix.encoded(value))
      append(isDescending ? ~encoded & KeyPrefix.mask(9) : encoded, count: 9)
    case .string(let text):
      append(isDescending ? 0xfe : 1, count: 1)
      return append(text, isDescending: isDescending)
    }
    return true
  }

  /// Appends the number of a row in the order of insertion, which ends the encoding.
  @inline(__always)
  mutating func append(sequence: UInt64) {
    // Seven bytes, so that there is room for them after an integer.
    if sequence >> 56 == 0 { append(UInt128(sequence), count: 7) }
  }

  @inline(__always)
  private mutating func append(_ value: Int, isDescending: Bool) {
    let bits = UInt64(bitPattern: Int64(value))
    let count = (71 - (value < 0 ? ~bits : bits).leadingZeroBitCount) / 8
    let head = UInt128(value < 0 ? 0x40 - count : 0x80 + count)
    let encoded = head << (count * 8) | (UInt128(bits) & KeyPrefix.mask(count))
    append(isDescending ? ~encoded & KeyPrefix.mask(count + 1) : encoded, count: count + 1)
  }

  /// The bits of a number of bytes, fewer than a prefix has.
  @inline(__always)
  private static func mask(_ count: Int) -> UInt128 { 1 << (count * 8) - 1 }

  private static func encoded(_ value: Double) -> UInt64 {
    if value.isNaN { return ~0 }
    let bits = (value == 0 ? 0 : value).bitPattern
    return bits >> 63 == 1 ? ~bits : bits | 1 << 63
  }

  /// Appends the part of a string that is known, and the zero byte if that is all of it.
  private mutating func append(_ text: String, isDescending: Bool) -> Bool {
    let utf8 = text.utf8Span.span
    let room = KeyPrefix.size - known
    var bytes: UInt128 = 0
    var count = 0
    var isKnown = true
    while count < room, count < utf8.count {
      let next = count + KeyPrefix.lengthOfStableScalar(in: utf8, at: count)
      if next == count
        || next < utf8.count && KeyPrefix.lengthOfStableScalar(in: utf8, at: next) == 0
      {
        isKnown = false
        break
      }
      // The last scalar may be cut.
      let end = min(next, room)
      for index in count..<end { bytes = bytes << 8 | UInt128(utf8[index]) }
      count = end
    }
    if isKnown, count < room {
      bytes <<= 8
      count += 1
    }
    if isDescending { bytes = ~bytes & KeyPrefix.mask(count) }
    append(bytes, count: count)
    return isKnown
  }

  /// The number of bytes of a scalar that composition doesn't change, unless one that isn't of this
  /// kind follows; 0 if it isn't of this kind.
  ///
  /// The ranges are those of common scripts: neither are all stable scalars in them, nor may any
  /// other be.
  @inline(__always)
  static func lengthOfStableScalar(in utf8: borrowing Span<UInt8>, at index: Int) -> Int {
    let lead = utf8[index]
    // The zero byte ends a string.
    if lead < 0x80 { return lead == 0 ? 0 : 1 }
    // Up to U+02FF; the combining marks begin at U+0300.
    if lead < 0xcc { return 2 }
    return lengthOfOtherStableScalar(lead: lead, in: utf8, at: index)
  }

  private static func lengthOfOtherStableScalar(
    lead: UInt8, in utf8: borrowing Span<UInt8>, at index: Int
  ) -> Int {
    let length = lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4
    var scalar = UInt32(lead) & (0xff >> UInt32(length + 1))
    for next in index + 1..<index + length { scalar = scalar << 6 | UInt32(utf8[next] & 0x3f) }
    let isStable =
      switch scalar {
      case 0x386, 0x388...0x3ff: true  // Greek
      case 0x400...0x482, 0x48a...0x52f: true  // Cyrillic
      case 0x531...0x556, 0x561...0x587: true  // Armenian
      case 0x5d0...0x5ea: true  // Hebrew letters
      case 0x621...0x64a: true  // Arabic letters
      case 0xe01...0xe30, 0xe32, 0xe33, 0xe40...0xe46: true  // Thai letters
      case 0x2010...0x2027, 0x2030...0x205e, 0x20a0...0x20bf: true  // Punctuation, currencies
      case 0x3041...0x3096, 0x30a1...0x30fa, 0x30fc: true  // Kana
      case 0x4e00...0x9fff: true  // Ideographs
      case 0xac00...0xd7a3: true  // Hangul syllables
      case 0x1f300...0x1faff: true  // Pictographs
      default: false
      }
    return isStable ? length : 0
  }
}
