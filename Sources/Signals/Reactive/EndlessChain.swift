// What stops effects and observers that keep waking each other.

private import SignalsThread

/// A chain of effects or observers that kept triggering each other and was stopped.
public struct EndlessChainError: Error, Equatable, CustomStringConvertible {
  /// The names of those that took part, sorted.
  public let participants: [String]

  /// Says who triggered whom.
  public var description: String {
    """
    stopped an endless chain: \(participants.joined(separator: ", ")) kept triggering \
    \(participants.count == 1 ? "itself" : "each other")
    """
  }
}

/// Counts how often each watcher runs in one flush, once the flush has grown suspicious.
@safe struct EndlessChainGuard {
  /// Counting starts after so many runs, so that an ordinary flush pays one increment a run.
  private static let patience = 1000
  /// As many runs of one watcher in one flush, beyond the patience, are an endless chain.
  private static let limit = 100

  private var runs = 0
  private var counts: [NodePointer: Int] = unsafe [:]
  private var participants: Set<String> = []

  /// What was stopped, if anything.
  var error: EndlessChainError? {
    participants.isEmpty ? nil : EndlessChainError(participants: participants.sorted())
  }

  /// Whether a watcher may run: not once it was found to take part in an endless chain.
  mutating func mayRun(_ node: NodePointer) -> Bool {
    runs += 1
    guard runs > Self.patience else { return true }
    let count = unsafe counts[node, default: 0] + 1
    unsafe counts[node] = count
    guard count > Self.limit else { return true }
    let woken = unsafe counts.filter { unsafe $0.value >= Self.limit - 1 }.keys
    unsafe participants.formUnion(woken.map { unsafe Node.name(of: $0) })
    return false
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
