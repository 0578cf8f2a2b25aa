// Values derived from the rows of a query: aggregates, the first rows, groups of rows.
//
// Each of them follows one query, and is notified of changed rows before and after they are moved.
// So a changed row costs O(log n). A follower is as lazy as the query: nothing is done before a
// read.
//
// Queries don't own their followers. A follower that is notified may release the last reference to
// an object, whose `deinit` is user code and may release further followers. So code that notifies
// several followers keeps all of them alive until the last one has been notified.

/// A value kept up to date with the rows of a query.
protocol RowFollower: AnyObject {
  /// Whether it has dependents that will be notified of the next change.
  var isFollowed: Bool { get }

  /// Called when rows may have changed; the next refresh finds the changes.
  func rowsMayChange()

  /// Called before rows are moved; each update has the old position.
  func rowsWillChange(_ updates: [RowUpdate])

  /// Called after rows have been moved.
  func rowsDidChange(_ updates: [RowUpdate])

  /// Called when all followers have been notified of the moved rows.
  func rowsDidSettle()

  /// Called when all rows have been built again; there were no dependents until now.
  func rowsWereMadeAnew()
}

extension RowFollower {
  func rowsDidSettle() {}
}

/// A reference to a follower, which removes itself before it is deallocated.
struct Following {
  let id: ObjectIdentifier
  unowned let follower: any RowFollower
}

extension Query {
  /// All followers, retained while they are notified.
  var followers: [any RowFollower] { following.isEmpty ? [] : following.map(\.follower) }

  func follow(_ follower: any RowFollower) {
    following.append(Following(id: ObjectIdentifier(follower), follower: follower))
  }

  func unfollow(_ follower: any RowFollower) {
    let id = ObjectIdentifier(follower)
    following.removeAll { $0.id == id }
  }
}
