// Sets of slots of an object table, a bit for each slot up to the largest one.

/// A set of slots.
struct SlotSet {
  private var words: ContiguousArray<UInt64> = []

  func contains(_ slot: Int32) -> Bool {
    let word = Int(slot >> 6)
    return word < words.count && words[word] & (1 << UInt64(slot & 63)) != 0
  }

  /// Adds a slot.
  ///
  /// - Returns: Whether the slot is new.
  @discardableResult
  mutating func insert(_ slot: Int32) -> Bool {
    let word = Int(slot >> 6)
    if word >= words.count {
      words.append(contentsOf: repeatElement(0, count: max(word + 1 - words.count, words.count)))
    }
    let bit: UInt64 = 1 << UInt64(slot & 63)
    if words[word] & bit != 0 { return false }
    words[word] |= bit
    return true
  }

  mutating func remove(_ slot: Int32) {
    let word = Int(slot >> 6)
    if word < words.count { words[word] &= ~(1 << UInt64(slot & 63)) }
  }

  /// Removes the slots that aren't in another set.
  mutating func formIntersection(_ other: SlotSet) {
    for word in words.indices {
      words[word] &= word < other.words.count ? other.words[word] : 0
    }
  }

  /// Calls `body` with each slot, in ascending order.
  func forEach(_ body: (Int32) -> Void) {
    for word in words.indices {
      var rest = words[word]
      while rest != 0 {
        body(Int32(word << 6 + rest.trailingZeroBitCount))
        rest &= rest - 1
      }
    }
  }
}
