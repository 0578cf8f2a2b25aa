/// The lengths that an item accepts, and its share of the free space in a line of items.
package struct FlexItem: Equatable {
  package var minimum: Int
  package var ideal: Int
  package var maximum: Int
  /// The item's share of the free space.
  ///
  /// 0 means none, and larger values are limited to a billion.
  package var flex: Double

  package init(minimum: Int = 0, ideal: Int, maximum: Int = .max, flex: Double = 0) {
    self.minimum = max(0, minimum)
    self.maximum = max(self.minimum, maximum)
    self.ideal = min(max(ideal, self.minimum), self.maximum)
    // Limited so that the shares can be summed without losing precision.
    self.flex = flex.isNaN ? 0 : min(max(0, flex), 1e9)
  }
}

/// Distributes a length among adjacent items.
package enum FlexLayout {
  /// Returns the length of each item.
  ///
  /// - Each item gets its ideal length if there is room.
  /// - Remaining space goes to the items with a flex share, in proportion to their shares, up to
  ///   their maxima.
  /// - Missing space is taken from the items with a flex share first, then from all. Items shrink
  ///   in proportion to what they can give, down to their minima. If even the minima don't fit, the
  ///   last items shrink further.
  ///
  /// The lengths plus the `spacing` between them don't exceed `available`, unless the spacing alone
  /// does: it never shrinks.
  package static func lengths(
    _ items: [FlexItem], in available: Int, spacing: Int = 0
  ) -> [Int] {
    let room = max(0, available - spacing * max(0, items.count - 1))
    var lengths = items.map(\.ideal)
    let missing = lengths.reduce(0, +) - room
    if missing > 0 {
      let flexible = items.indices.filter { items[$0].flex > 0 }
      let left = shrink(&lengths, at: flexible, of: items, by: missing)
      var rest = shrink(&lengths, at: Array(items.indices), of: items, by: left)
      for place in items.indices.reversed() where rest > 0 {
        let taken = min(rest, lengths[place])
        lengths[place] -= taken
        rest -= taken
      }
    } else {
      grow(&lengths, of: items, by: -missing)
    }
    return lengths
  }

  /// Shrinks some of the items.
  ///
  /// - Returns: The part of `missing` that they couldn't give.
  private static func shrink(
    _ lengths: inout [Int], at places: [Int], of items: [FlexItem], by missing: Int
  ) -> Int {
    let spare = places.map { max(0, lengths[$0] - items[$0].minimum) }
    let total = spare.reduce(0, +)
    if missing <= 0 || total == 0 { return max(0, missing) }
    if missing >= total {
      for (place, taken) in zip(places, spare) { lengths[place] -= taken }
      return missing - total
    }
    for (place, taken) in zip(places, parts(of: missing, by: spare.map(Double.init))) {
      lengths[place] -= taken
    }
    return 0
  }

  /// Grows the items with a flex share until the space is used up or they reach their maxima.
  private static func grow(_ lengths: inout [Int], of items: [FlexItem], by extra: Int) {
    var extra = extra
    while extra > 0 {
      let places = items.indices.filter { items[$0].flex > 0 && lengths[$0] < items[$0].maximum }
      if places.isEmpty { return }
      let given = parts(of: extra, by: places.map { items[$0].flex })
      for (place, part) in zip(places, given) {
        let taken = min(part, items[place].maximum - lengths[place])
        lengths[place] += taken
        extra -= taken
      }
    }
  }

  /// Divides a whole number in proportion to the weights.
  ///
  /// The rounding error carries over, so that the parts add up to the whole.
  private static func parts(of whole: Int, by weights: [Double]) -> [Int] {
    let total = weights.reduce(0, +)
    var given = 0
    var sum = 0.0
    return weights.enumerated().map { place, weight in
      sum += weight
      let end =
        place == weights.count - 1 ? whole : Int((Double(whole) * (sum / total)).rounded())
      defer { given = end }
      return end - given
    }
  }
}
