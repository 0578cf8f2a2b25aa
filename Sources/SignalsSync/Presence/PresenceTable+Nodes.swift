extension PresenceTable {
  /// The names of the nodes from which this table has users, in no order.
  ///
  /// Remove nodes that are no longer members of your cluster.
  public var nodeNames: [String] { Array(nodes.keys) }

  /// Applies a difference of another node, made for nodes.
  ///
  /// A difference of this table itself, which returns if nodes share a channel, is recognized and
  /// ignored.
  ///
  /// - Parameters:
  ///   - difference: The difference.
  ///   - node: The name of the node, which doesn't change when the node restarts.
  /// - Returns: Whether the difference fits. See ``PresenceView/apply(_:)``.
  @discardableResult
  public mutating func apply(
    _ difference: PresenceDifference, from node: String
  ) -> PresenceView.Outcome {
    if difference.run == run { return .repeated }
    let outcome = nodes[node, default: PresenceView()].apply(difference)
    switch outcome {
    case .applied(let changes):
      for user in changes.joined + changes.updated {
        logicalTime = max(logicalTime, user.stamp)
        announce(user.user, own: devices.present(user.user))
      }
      for user in changes.left { announce(user, own: devices.present(user)) }
    case .needsAll where nodes[node]?.run == nil: nodes[node] = nil
    case .needsAll, .repeated: break
    }
    return outcome
  }

  /// Removes the users that are present only on a node that has left.
  ///
  /// If the node returns, its next difference needs a snapshot.
  ///
  /// - Parameter node: The name of the node.
  /// - Returns: Whether the table had users of the node.
  @discardableResult
  public mutating func removeNode(_ node: String) -> Bool {
    guard let view = nodes.removeValue(forKey: node) else { return false }
    for user in view.present { announce(user.user, own: devices.present(user.user)) }
    return true
  }
}
