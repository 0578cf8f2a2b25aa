// The sum of floating-point numbers without rounding.
//
// Numbers are added and removed for as long as the results live. If the total were rounded, each
// removal would leave an error behind, and an infinity or NaN would stay permanently. If partial
// sums were kept in the nodes of a tree, the total would depend on the history of the tree. So the
// exact sum is kept as one long integer and rounded when it is read. The result equals a fresh
// addition in any order, and is the number nearest to the true sum.
//
// State: `limbs`, the sum in units of 2^-1074, with 32 bits in each limb and room for carries;
// `additions`, the number of additions since carries were last propagated; and counters for NaNs
// and infinities.

/// The exact sum of a set of numbers.
struct ExactSum {
  private var limbs = [Int64](repeating: 0, count: 68)
  private var additions = 0
  private var nans = 0
  private var infinities = 0
  private var negativeInfinities = 0

  /// Adds a number, or removes one that was added if `sign` is negative.
  ///
  /// - Complexity: O(1).
  mutating func add(_ number: Double, times sign: Int) {
    guard number.isFinite else {
      if number.isNaN {
        nans += sign
      } else if number > 0 {
        infinities += sign
      } else {
        negativeInfinities += sign
      }
      return
    }
    let exponent = number.exponentBitPattern
    var digits = UInt128(number.significandBitPattern)
    if exponent > 0 { digits |= 1 << UInt128(Double.significandBitCount) }
    let shift = exponent > 0 ? Int(exponent) - 1 : 0
    digits <<= UInt128(shift % 32)
    let isAdded = (number.sign == .plus) == (sign > 0)
    for limb in shift / 32..<shift / 32 + 3 {
      let part = Int64(truncatingIfNeeded: digits & 0xFFFF_FFFF)
      limbs[limb] += isAdded ? part : -part
      digits >>= 32
    }
    additions += 1
    if additions == 1 << 29 { carry() }
  }

  /// Propagates carries, leaving 32 bits in each limb; the last limb also holds the sign.
  private mutating func carry() {
    additions = 0
    for limb in 0..<limbs.count - 1 {
      limbs[limb + 1] += limbs[limb] >> 32
      limbs[limb] &= 0xFFFF_FFFF
    }
  }

  /// The sum divided by 2^`scale`, rounded to the nearest number with at most `digits` binary
  /// digits that is a multiple of 2^`least` (before scaling).
  ///
  /// - Complexity: O(1).
  func rounded(digits: Int, least: Int, scale: Int = 0) -> Double {
    if nans > 0 || (infinities > 0 && negativeInfinities > 0) { return .nan }
    if infinities > 0 { return .infinity }
    if negativeInfinities > 0 { return -.infinity }
    var sum = self
    sum.carry()
    let isNegative = sum.limbs[limbs.count - 1] < 0
    if isNegative {
      for limb in limbs.indices { sum.limbs[limb] = -sum.limbs[limb] }
      sum.carry()
    }
    let magnitude = sum.roundedMagnitude(digits: digits, least: least + 1074, scale: scale)
    return isNegative ? -magnitude : magnitude
  }

  private func roundedMagnitude(digits: Int, least: Int, scale: Int) -> Double {
    guard let top = limbs.lastIndex(where: { $0 != 0 }) else { return 0 }
    let highest = top * 32 + 63 - limbs[top].leadingZeroBitCount
    let lowest = max(highest - (digits - 1), least)
    // The three upper limbs hold all wanted digits and the next one. The lower limbs decide ties.
    var window: UInt128 = 0
    for limb in stride(from: top, to: top - 3, by: -1) {
      window = window << 32 | (limb >= 0 ? UInt128(limbs[limb]) : 0)
    }
    let cut = lowest - (top - 2) * 32
    var kept = UInt64(truncatingIfNeeded: window >> UInt128(cut))
    if cut > 0 {
      let isHalf = window >> UInt128(cut - 1) & 1 == 1
      let below = window & ((1 << UInt128(cut - 1)) &- 1)
      let isMore = below != 0 || limbs.prefix(max(0, top - 2)).contains { $0 != 0 }
      if isHalf, isMore || kept & 1 == 1 { kept += 1 }
    }
    return Double(sign: .plus, exponent: lowest - 1074 - scale, significand: Double(kept))
  }
}
