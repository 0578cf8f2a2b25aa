// The lifecycle code to run after a frame.
//
// State, touched only in the host's isolation domain:
// - `due`: nodes that appeared, or have something to run, in the order in which they were found.
// - `endings`: the closures of nodes that have ended.
// - `appearances`: the number of nodes that have appeared so far.
// - `ask`: requests a turn of the host; does nothing once the host is released.
//
// Order of events: making a frame adds nodes here and requests a turn of the host. The renderer
// gets the frame and requests rows, which adds more nodes. In that turn, the closures in `endings`
// run first, the latest appearance first, and then the nodes in `due`. Their writes make bodies
// stale, and the host takes another turn.

/// The lifecycle code to run after the frame.
final class LifecycleQueue {
  private struct Ending {
    let appearance: UInt64
    let handler: ErrorHandler?
    let intent: () throws -> Void
  }

  private var due: [LifecycleNode] = []
  private var endings: [Ending] = []
  private var appearances: UInt64 = 0
  var ask: () -> Void

  init(ask: @escaping () -> Void) { self.ask = ask }

  var isEmpty: Bool { due.isEmpty && endings.isEmpty }

  /// Adds a node that has to run after the frame.
  func add(_ node: LifecycleNode) {
    guard !node.isQueued else { return }
    node.isQueued = true
    due.append(node)
    ask()
  }

  /// Ends a node that has left the screen.
  func end(_ node: LifecycleNode) {
    node.hasEnded = true
    guard let intent = node.end(), node.appearance > 0 else { return }
    endings.append(Ending(appearance: node.appearance, handler: node.handler, intent: intent))
    ask()
  }

  func run(on host: ViewHost) {
    while !isEmpty {
      runEndings { host.runReporting(to: $0.handler, $0.intent) }
      let nodes = due
      due = []
      for node in nodes where !node.hasEnded {
        node.isQueued = false
        let isFirst = node.appearance == 0
        if isFirst {
          appearances += 1
          node.appearance = appearances
        }
        host.runReporting(to: node.handler) { try node.run(on: host, isFirst: isFirst) }
      }
    }
  }

  /// Runs the remaining closures when the host is released.
  func finish(_ report: (any Error) -> Void) {
    let never = due
    due = []
    withExtendedLifetime(never) {}
    runEndings { ending in
      do {
        try Node.withoutReader {
          try Owner.withoutOwner { try ImplicitTransaction.run(ending.intent) }
        }
      } catch { report(error) }
    }
  }

  private func runEndings(_ run: (Ending) -> Void) {
    let sorted = endings.sorted { $0.appearance > $1.appearance }
    endings = []
    for ending in sorted { run(ending) }
  }
}
