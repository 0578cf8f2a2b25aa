/// The 64-bit hash XXH64: fast, well distributed, and no protection against forgery.
package struct XXHash64 {
  private static let prime1: UInt64 = 0x9E37_79B1_85EB_CA87
  private static let prime2: UInt64 = 0xC2B2_AE3D_27D4_EB4F
  private static let prime3: UInt64 = 0x1656_67B1_9E37_79F9
  private static let prime4: UInt64 = 0x85EB_CA77_C2B2_AE63
  private static let prime5: UInt64 = 0x27D4_EB2F_1656_67C5

  /// Returns the hash of bytes.
  package static func hash(_ bytes: Span<UInt8>) -> UInt64 {
    hash(bytes, in: 0..<bytes.count)
  }

  /// Returns the hash of a range of bytes.
  package static func hash(_ bytes: Span<UInt8>, in range: Range<Int>) -> UInt64 {
    var offset = range.lowerBound
    let end = range.upperBound
    var hash = range.count >= 32 ? stripes(bytes, from: &offset, to: end) : prime5
    hash &+= UInt64(range.count)
    while end - offset >= 8 {
      hash = fold(bytes.word(at: offset), into: hash)
      offset += 8
    }
    if end - offset >= 4 {
      hash ^= UInt64(bytes.halfWord(at: offset)) &* prime1
      hash = rotated(hash, by: 23) &* prime2 &+ prime3
      offset += 4
    }
    while offset < end {
      hash ^= UInt64(bytes[offset]) &* prime5
      hash = rotated(hash, by: 11) &* prime1
      offset += 1
    }
    return finished(hash)
  }

  /// Returns a hash that depends on an earlier hash and one more word, in this order.
  package static func fold(_ word: UInt64, into hash: UInt64) -> UInt64 {
    rotated(hash ^ round(0, adding: word), by: 27) &* prime1 &+ prime4
  }

  /// Returns a hash all of whose bits depend on all bits of its argument.
  package static func finished(_ hash: UInt64) -> UInt64 {
    var hash = hash
    hash ^= hash &>> 33
    hash &*= prime2
    hash ^= hash &>> 29
    hash &*= prime3
    hash ^= hash &>> 32
    return hash
  }

  /// Hashes all whole stripes of 32 bytes, in four independent lanes.
  private static func stripes(
    _ bytes: Span<UInt8>, from offset: inout Int, to end: Int
  ) -> UInt64 {
    var lane1 = prime1 &+ prime2
    var lane2 = prime2
    var lane3: UInt64 = 0
    var lane4 = 0 &- prime1
    while end - offset >= 32 {
      lane1 = round(lane1, adding: bytes.word(at: offset))
      lane2 = round(lane2, adding: bytes.word(at: offset + 8))
      lane3 = round(lane3, adding: bytes.word(at: offset + 16))
      lane4 = round(lane4, adding: bytes.word(at: offset + 24))
      offset += 32
    }
    var hash = rotated(lane1, by: 1) &+ rotated(lane2, by: 7)
    hash &+= rotated(lane3, by: 12) &+ rotated(lane4, by: 18)
    hash = merged(hash, with: lane1)
    hash = merged(hash, with: lane2)
    hash = merged(hash, with: lane3)
    return merged(hash, with: lane4)
  }

  private static func round(_ lane: UInt64, adding word: UInt64) -> UInt64 {
    rotated(lane &+ word &* prime2, by: 31) &* prime1
  }

  private static func merged(_ hash: UInt64, with lane: UInt64) -> UInt64 {
    (hash ^ round(0, adding: lane)) &* prime1 &+ prime4
  }

  private static func rotated(_ word: UInt64, by count: UInt64) -> UInt64 {
    word &<< count | word &>> (64 &- count)
  }
}
