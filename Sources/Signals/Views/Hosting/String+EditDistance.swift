extension String {
  /// Returns the three strings of `candidates` that are most similar to this one.
  func nearest(among candidates: [String]) -> [String] {
    let ranked = candidates.map { ($0, distance(to: $0)) }.sorted { ($0.1, $0.0) < ($1.1, $1.0) }
    return ranked.prefix(3).map(\.0)
  }

  /// Returns the number of insertions, deletions and replacements of characters that turn this into
  /// `other`.
  private func distance(to other: String) -> Int {
    let other = Array(other)
    var row = Array(0...other.count)
    for (i, character) in enumerated() {
      var diagonal = row[0]
      row[0] = i + 1
      for j in other.indices {
        let cost = min(row[j], row[j + 1]) + 1
        (diagonal, row[j + 1]) = (
          row[j + 1], min(cost, diagonal + (character == other[j] ? 0 : 1))
        )
      }
    }
    return row[other.count]
  }
}
