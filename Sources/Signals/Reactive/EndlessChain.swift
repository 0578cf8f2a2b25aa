// What stops effects and observers that keep waking each other.

private import CSignalsThread

/// A chain of effects or observers that kept triggering each other and was stopped.
///
/// - The first 1,000 runs that follow one change and trigger more may be of any effects and observers. After
///   them each may trigger 100 times more, then it is stopped: one that keeps triggering itself has run 1,100
///   times by then.
/// - The values that were written stay; in a store, what the chain committed before.
/// - The error is thrown by the outermost intent or `store.write` that set the chain off. After a plain
///   `signal.value = x`, or an ``Effect``'s first run, nothing can throw it: it is printed to standard error.
public struct EndlessChainError: Error, Equatable, CustomStringConvertible {
  /// The names of those that took part, sorted.
  public let participants: [String]

  package init(participants: [String]) { self.participants = participants }

  /// Names the participants.
  public var description: String {
    """
    stopped an endless chain: \(participants.joined(separator: ", ")) kept triggering \
    \(participants.count == 1 ? "itself" : "each other")
    """
  }
}

/// Counts how often each watcher triggers others or itself in one flush, once that is suspicious.
///
/// State: `triggers` counts all; `counts`, from `patience` on, those of each watcher, held so that a
/// new one can't be taken for it; `participants` are the names of those that were found out.
@safe struct EndlessChainGuard {
  /// Counting starts after so many, so that an ordinary flush pays one increment for each.
  private static let patience = 1000
  /// As often as one watcher may trigger somebody in one flush, beyond the patience.
  private static let limit = 100

  private var triggers = 0
  private var counts: [NodePointer: Int]? = nil
  private var participants: Set<String>? = nil

  /// Whether a watcher may run: not once it was found to take part in an endless chain.
  @inline(__always)
  mutating func mayRun(_ node: NodePointer) -> Bool {
    unsafe triggers <= Self.patience || isInnocent(node)
  }

  private mutating func isInnocent(_ node: NodePointer) -> Bool {
    guard let counts = unsafe counts, let count = unsafe counts[node], count >= Self.limit
    else { return true }
    var names = participants ?? []
    for unsafe(node, count) in unsafe counts
    where unsafe count >= Self.limit - 1 && !node.pointee.flags.contains(.dead) {
      unsafe names.insert(Node.name(of: node))
    }
    participants = names
    return false
  }

  /// Learns that others, or itself, have to run because this one did.
  mutating func didTrigger(_ node: NodePointer) {
    triggers += 1
    guard triggers > Self.patience else { return }
    let count = unsafe (counts?[node] ?? 0) + 1
    unsafe counts = unsafe counts ?? [:]
    unsafe counts?[node] = count
    if count == 1 { unsafe Node.hold(node) }
  }

  /// Ends the flush and returns what was stopped, if anything.
  mutating func finish() -> EndlessChainError? {
    guard let counts = unsafe counts else { return nil }
    unsafe counts.keys.forEach { unsafe Node.release($0) }
    return participants.map { EndlessChainError(participants: $0.sorted()) }
  }
}

/// Says something where no caller can be given an error.
func writeToStandardError(_ message: String) {
  var message = message
  message.withUTF8 { bytes in
    unsafe bytes.withMemoryRebound(to: CChar.self) { characters in
      guard let start = characters.baseAddress else { return }
      unsafe signals_write_error(start, UInt(characters.count))
    }
  }
}
