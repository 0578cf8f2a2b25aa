extension Array {
  /// Returns the number of elements at the start for which the closure returns true, where it
  /// returns false for all that follow.
  ///
  /// - Complexity: O(log *n*).
  @inline(__always)
  func partitionPoint(_ isBefore: (Element) -> Bool) -> Int {
    var (low, high) = (0, count)
    while low < high {
      let middle = (low + high) / 2
      if isBefore(self[middle]) { low = middle + 1 } else { high = middle }
    }
    return low
  }
}
