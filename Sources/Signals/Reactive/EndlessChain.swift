// Stopping effects and observers that keep triggering each other.

/// A chain of effects or observers that kept triggering each other and was stopped.
///
/// - The first 1,000 runs that follow one change and trigger further runs may be of any effects and
///   observers. After them, each may trigger 100 more times before it is stopped. An effect that
///   keeps triggering itself has run 1,100 times by then.
/// - Values that were written stay. In a store, the commits that the chain made before stay.
/// - The error is thrown by the outermost intent or `store.write` that started the chain. After a
///   plain `signal.value = x`, or the first run of an ``Effect``, it can't be thrown and is printed
///   to standard error.
public struct EndlessChainError: Error, Equatable, CustomStringConvertible {
  /// The names of the effects and observers in the chain, sorted.
  public let participants: [String]

  package init(participants: [String]) { self.participants = participants }

  /// A message that names the participants.
  public var description: String {
    """
    stopped an endless chain: \(participants.joined(separator: ", ")) kept triggering \
    \(participants.count == 1 ? "itself" : "each other")
    """
  }
}

/// Counts how often each observer triggers others or itself in one flush, once that is suspicious.
@safe struct EndlessChainGuard {
  /// Counting starts after this many, so that an ordinary flush pays one increment for each.
  private static let patience = 1000
  /// The number of times that one observer may trigger others in one flush after `patience` is
  /// exceeded.
  private static let limit = 100

  /// The number of runs that triggered others.
  private var triggers = 0
  /// The runs of each observer from `patience` on.
  ///
  /// Their nodes are held, so that a new node can't reuse an address.
  private var counts: [NodePointer: Int]? = nil
  /// The names of the observers found to be part of an endless chain.
  private var participants: Set<String>? = nil

  /// Whether an observer may run: false once it was found to be part of an endless chain.
  @inline(__always)
  mutating func mayRun(_ node: NodePointer) -> Bool {
    triggers <= Self.patience || isInnocent(node)
  }

  private mutating func isInnocent(_ node: NodePointer) -> Bool {
    guard let counts, let count = counts[node], count >= Self.limit
    else { return true }
    var names = participants ?? []
    for (node, count) in counts
    where count >= Self.limit - 1 && !node.pointee.flags.contains(.dead) {
      names.insert(Node.name(of: node))
    }
    participants = names
    return false
  }

  /// Records that an observer's run queued other observers, or itself.
  mutating func didTrigger(_ node: NodePointer) {
    triggers += 1
    guard triggers > Self.patience else { return }
    let count = (counts?[node] ?? 0) + 1
    counts = counts ?? [:]
    counts?[node] = count
    if count == 1 { Node.hold(node) }
  }

  /// Ends the flush.
  ///
  /// - Returns: The chain that was stopped, if there was one.
  mutating func finish() -> EndlessChainError? {
    guard let counts else { return nil }
    counts.keys.forEach { Node.release($0) }
    return participants.map { EndlessChainError(participants: $0.sorted()) }
  }
}
