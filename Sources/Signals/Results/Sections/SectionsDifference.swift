/// What changed between two versions of sections, whatever the type of their keys and rows.
struct SectionsDifference {
  /// By the numbers of the sections.
  var sections = CollectionChange<Int>(
    deletions: [], insertions: [], moves: [], modifications: [], inserted: [])
  var deletions: [RowPath] = []
  var arrivals: [(path: RowPath, object: Object)] = []
  var moves: [RowPathPair] = []
  var modifications: [RowPathPair] = []
  /// The sections that have other rows, or the same in another order.
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
