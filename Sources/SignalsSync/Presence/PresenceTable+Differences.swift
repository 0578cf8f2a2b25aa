extension PresenceTable {
  /// The receivers of a table's differences.
  ///
  /// The batches of each are numbered separately.
  public enum Audience: Sendable, Hashable {
    /// The views, which show the users of all nodes.
    case views
    /// The tables of other nodes, which receive the users of this node only.
    case nodes
  }

  /// Ends the current batch, and returns its changes.
  ///
  /// - Parameter audience: The kind of the receivers.
  /// - Returns: The difference for all receivers, or `nil` if nothing has changed.
  /// - Complexity: O(changes).
  public mutating func takeDifference(for audience: Audience = .views) -> PresenceDifference? {
    if audience == .views { return viewFeed.take(run: run) }
    if nodeFeed == nil {
      var feed = PresenceFeed()
      for user in devices.userNames { feed.set(user, to: devices.present(user)) }
      nodeFeed = feed
    }
    return nodeFeed?.take(run: run)
  }

  /// Returns all users, for a receiver that is new or has missed a difference.
  ///
  /// The users are the present ones at the end of the last batch, so that the next difference fits.
  ///
  /// - Parameter audience: The kind of the receiver.
  /// - Returns: The snapshot.
  /// - Complexity: O(users).
  public func snapshot(for audience: Audience = .views) -> PresenceDifference {
    feed(for: audience).snapshot(run: run)
  }

  /// Returns a difference without changes, by which a receiver detects that it has missed the last
  /// one.
  ///
  /// Send it occasionally while nothing changes.
  ///
  /// - Parameter audience: The kind of the receiver.
  /// - Returns: The difference.
  public func mark(for audience: Audience = .views) -> PresenceDifference {
    feed(for: audience).mark(run: run)
  }

  private func feed(for audience: Audience) -> PresenceFeed {
    switch audience {
    case .views: viewFeed
    case .nodes: nodeFeed ?? PresenceFeed()
    }
  }
}
