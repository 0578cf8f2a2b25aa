// Values derived from the rows of a query: aggregates, the first rows, groups of rows.
//
// Each of them follows one query, and is notified of changed rows before and after they are moved.
// So a changed row costs O(log n). An observer is as lazy as the query: nothing is done before a
// read.
//
// Queries don't own their observers. An observer that is notified may release the last reference to
// an object, whose `deinit` is user code and may release further observers. So code that notifies
// several observers keeps all of them alive until the last one has been notified.

/// A value kept up to date with the rows of a query.
protocol QueryObserver: AnyObject {
  /// Whether it has dependents that will be notified of the next change.
  var isObserved: Bool { get }

  /// Called when rows may have changed; the next refresh finds the changes.
  func rowsMayChange()

  /// Called before rows are moved; each update has the old position.
  func rowsWillChange(_ updates: [RowUpdate])

  /// Called after rows have been moved.
  func rowsDidChange(_ updates: [RowUpdate])

  /// Called when all observers have been notified of the moved rows.
  func rowsDidSettle()

  /// Called when all rows have been built again; there were no dependents until now.
  func rowsWereRebuilt()
}

extension QueryObserver {
  func rowsDidSettle() {}
}

/// A reference to an observer, which removes itself before it is deallocated.
struct QueryObservation {
  let id: ObjectIdentifier
  unowned let observer: any QueryObserver
}

extension Query {
  /// All observers, retained while they are notified.
  var observers: [any QueryObserver] { observations.isEmpty ? [] : observations.map(\.observer) }

  func addObserver(_ observer: any QueryObserver) {
    observations.append(QueryObservation(id: ObjectIdentifier(observer), observer: observer))
  }

  func removeObserver(_ observer: any QueryObserver) {
    let id = ObjectIdentifier(observer)
    observations.removeAll { $0.id == id }
  }
}
