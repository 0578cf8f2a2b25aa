/// The changes between two versions of sections, independent of the types of keys and rows.
struct SectionsDifference {
  /// The changes of the list of sections; members are group numbers.
  var sections = CollectionChange<Int>(
    deletions: [], insertions: [], moves: [], modifications: [], inserted: [])
  var deletions: [RowPath] = []
  var arrivals: [(path: RowPath, object: Object)] = []
  var moves: [PositionPair<RowPath>] = []
  var modifications: [PositionPair<RowPath>] = []
  /// The groups that have different rows, or the same rows in a different order.
  var groups: Set<Int> = []

  var isEmpty: Bool {
    sections.isEmpty && deletions.isEmpty && arrivals.isEmpty && moves.isEmpty
      && modifications.isEmpty
  }

  mutating func sort() {
    deletions.sort()
    arrivals.sort { $0.path < $1.path }
    moves.sort { $0.new < $1.new }
    modifications.sort { $0.new < $1.new }
  }
}
