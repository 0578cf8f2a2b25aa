extension [ElementRange] {
  /// Appends identities, to the last range if they go on where it ends.
  mutating func append(_ first: ElementID, count: Int) {
    if let last, last.last.advanced(by: 1) == first {
      self[self.count - 1].count += count
    } else {
      append(ElementRange(first: first, count: count))
    }
  }
}
