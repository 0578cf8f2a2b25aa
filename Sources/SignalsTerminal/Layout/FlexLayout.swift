/// What one of several things beside each other wants of the space that they share.
package struct FlexItem: Equatable {
  package var minimum: Int
  package var ideal: Int
  package var maximum: Int
  /// Its part of what is left over; 0 is none, and more than a thousand million no more than that.
  package var flex: Double

  package init(minimum: Int = 0, ideal: Int, maximum: Int = .max, flex: Double = 0) {
    self.minimum = max(0, minimum)
    self.maximum = max(self.minimum, maximum)
    self.ideal = min(max(ideal, self.minimum), self.maximum)
    // So that they can be added up, and are told apart.
    self.flex = flex.isNaN ? 0 : min(max(0, flex), 1e9)
  }
}

/// Shares a length among things beside each other.
package enum FlexLayout {
  /// The length of each item.
  ///
  /// - Each gets its ideal length, if there is room.
  /// - What is left goes to those that flex, by their parts, up to their maxima.
  /// - What is missing is taken from those that flex, then from all, down to their minima and in proportion to what
  ///   they can give; and when even the minima don't fit, from the last.
  ///
  /// The lengths and `spacing` between them are never more than `available`. Spacing stays, if not even that fits.
  package static func lengths(
    _ items: [FlexItem], in available: Int, spacing: Int = 0
  ) -> [Int] {
    let room = max(0, available - spacing * max(0, items.count - 1))
    var lengths = items.map(\.ideal)
    let missing = lengths.reduce(0, +) - room
    if missing > 0 {
      let flexible = items.indices.filter { items[$0].flex > 0 }
      let left = shrink(&lengths, flexible, items, by: missing)
      var rest = shrink(&lengths, Array(items.indices), items, by: left)
      for place in items.indices.reversed() where rest > 0 {
        let taken = min(rest, lengths[place])
        lengths[place] -= taken
        rest -= taken
      }
    } else {
      grow(&lengths, items, by: -missing)
    }
    return lengths
  }

  /// Takes from some; the answer is what they could not give.
  private static func shrink(
    _ lengths: inout [Int], _ places: [Int], _ items: [FlexItem], by missing: Int
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

  /// Gives to those that flex, until all is given or they are full.
  private static func grow(_ lengths: inout [Int], _ items: [FlexItem], by extra: Int) {
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

  /// Whole parts of a whole, in proportion: rounding goes on, so that they add up.
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
