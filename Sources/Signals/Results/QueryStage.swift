// A selection among the rows of a query, from which other queries are derived: the first rows, or
// the first row of each group.
//
// State: `readers`, the queries that test the selected rows; they add and remove themselves.
//
// Order of events: a reader refreshes the stage before itself. That refreshes the query upstream,
// which notifies the stage of moved rows. The stage then notifies its readers of the objects that
// entered or left the selection.

/// A selection among the rows of a query.
class QueryStage: QueryObserver {
  let upstream: Query
  private var readers: [Reader] = []

  /// A reader, which removes itself before it is deallocated.
  private struct Reader {
    let id: ObjectIdentifier
    unowned let query: Query
  }

  init(_ upstream: Query) {
    self.upstream = upstream
    upstream.addObserver(self)
  }

  deinit { upstream.removeObserver(self) }

  /// The selected objects.
  var objects: [Object] { [] }

  /// Whether an object is selected.
  func contains(_ object: Object) -> Bool { false }

  /// The objects that entered or left the selection with a change upstream.
  func difference(_ updates: [RowUpdate]) -> [Object] { [] }

  final func refresh() { upstream.refresh() }

  final func add(_ query: Query) {
    readers.append(Reader(id: ObjectIdentifier(query), query: query))
  }

  final func remove(_ query: Query) {
    let id = ObjectIdentifier(query)
    readers.removeAll { $0.id == id }
  }

  // MARK: - Following

  final var isObserved: Bool { readers.contains { $0.query.isObserved } }

  final func rowsMayChange() {
    for reader in readers { reader.query.candidatesMayChange() }
  }

  func rowsWillChange(_ updates: [RowUpdate]) {}

  final func rowsDidChange(_ updates: [RowUpdate]) {
    let objects = difference(updates)
    if objects.isEmpty { return }
    for reader in readers { reader.query.candidatesDidChange(objects) }
  }

  final func rowsWereRebuilt() {
    for reader in readers { reader.query.candidatesWereRebuilt() }
  }
}
