// What is derived from the rows of a query: aggregates, the first rows, the groups of rows.
//
// Each of them follows one query, and is told of the rows that come out different: before they are moved
// and after. So it costs O(log n) for a changed row, and is as lazy as the query: nothing is done before
// somebody reads.
//
// Followers are not owned. What they let go of may be the last that keeps an object, whose `deinit` is the user's
// and may let go of further followers: whoever tells several of something that makes them release keeps them
// all until the last was told.

/// Something kept up to date with the rows of a query.
protocol RowFollower: AnyObject {
  /// Whether somebody will be told of the next change.
  var isFollowed: Bool { get }

  /// Rows may be different from now on; the next refresh finds out.
  func rowsMayChange()

  /// These rows are about to be moved; each knows where it stands.
  func rowsWillChange(_ updates: [RowUpdate])

  /// These rows have been moved.
  func rowsDidChange(_ updates: [RowUpdate])

  /// All followers know of the rows that have been moved.
  func rowsDidSettle()

  /// All rows have been found anew; nobody followed them until now.
  func rowsWereMadeAnew()
}

extension RowFollower {
  func rowsDidSettle() {}
}

/// One that follows; it ends that itself before it goes.
struct Following {
  let id: ObjectIdentifier
  unowned let follower: any RowFollower
}

extension Query {
  /// All followers, kept while they are told.
  var followers: [any RowFollower] { following.isEmpty ? [] : following.map(\.follower) }

  func follow(_ follower: any RowFollower) {
    following.append(Following(id: ObjectIdentifier(follower), follower: follower))
  }

  func unfollow(_ follower: any RowFollower) {
    let id = ObjectIdentifier(follower)
    following.removeAll { $0.id == id }
  }
}
