/// The generator that the graphs of the dynamic suite are drawn with: sfc32, seeded by a hash of "seed".
struct PseudoRandom {
  private var a, b, c, d: UInt32

  init() {
    var hash = Hash("seed")
    a = hash.next()
    b = hash.next()
    c = hash.next()
    d = hash.next()
  }

  /// A number from 0 up to 1.
  mutating func next() -> Double { Double(nextBits()) / 4_294_967_296 }

  private mutating func nextBits() -> UInt32 {
    var sum = a &+ b
    a = b ^ (b >> 9)
    b = c &+ (c << 3)
    c = (c << 21) | (c >> 11)
    d &+= 1
    sum &+= d
    c &+= sum
    return sum
  }

  /// In the manner of MurmurHash3.
  private struct Hash {
    private var state: UInt32 = 2_166_136_261

    init(_ text: String) {
      for unit in text.utf16 {
        var key = UInt32(unit) &* 3_432_918_353
        key = (key << 15) | (key >> 17)
        state ^= key &* 461_845_907
        state = (state << 13) | (state >> 19)
        state = state &* 5 &+ 3_864_292_196
      }
      state ^= UInt32(text.utf16.count)
    }

    mutating func next() -> UInt32 {
      state ^= state >> 16
      state &*= 2_246_822_507
      state ^= state >> 13
      state &*= 3_266_489_909
      state ^= state >> 16
      return state
    }
  }

  /// Whether it draws what every other implementation does.
  static func check(_ report: Report) {
    var hash = Hash("seed")
    let seeds = (0..<4).map { _ in hash.next() }
    report.expect(
      seeds == [246_123_560, 2_434_935_956, 752_727_108, 913_990_249], "the seeds are \(seeds)")
    var random = PseudoRandom()
    let drawn = (0..<8).map { _ in random.nextBits() }
    report.expect(
      drawn == [
        3_595_049_766, 1_538_291_281, 523_797_495, 2_091_590_326, 1_224_444_238, 2_865_563_924,
        2_468_257_480, 3_646_388_805,
      ], "the numbers drawn are \(drawn)")
  }
}
