// The lifecycle code to run after a frame.
//
// State, touched only in the host's isolation domain:
// - `due`: parts that appeared, or have something to run, in the order in which they were found.
// - `gone`: the closures of parts that have ended.
// - `appearances`: the number of parts that have appeared so far.
// - `ask`: requests a turn of the host; does nothing once the host is released.
//
// Order of events: making a frame adds parts here and requests a turn of the host. The renderer
// gets the frame and requests rows, which adds more parts. In that turn, the closures in `gone` run
// first, the latest appearance first, and then the parts in `due`. Their writes make bodies stale,
// and the host takes another turn.

/// The lifecycle code to run after the frame.
final class LifeQueue {
  private struct Ending {
    let appearance: UInt64
    let handler: ErrorHandler?
    let intent: () throws -> Void
  }

  private var due: [LifePart] = []
  private var gone: [Ending] = []
  private var appearances: UInt64 = 0
  var ask: () -> Void

  init(ask: @escaping () -> Void) { self.ask = ask }

  var isEmpty: Bool { due.isEmpty && gone.isEmpty }

  /// Adds a part that has to run after the frame.
  func add(_ part: LifePart) {
    guard !part.isQueued else { return }
    part.isQueued = true
    due.append(part)
    ask()
  }

  /// Ends a part that has left the screen.
  func end(_ part: LifePart) {
    part.hasEnded = true
    guard let intent = part.end(), part.appearance > 0 else { return }
    gone.append(Ending(appearance: part.appearance, handler: part.handler, intent: intent))
    ask()
  }

  func run(on host: ViewHost) {
    while !isEmpty {
      runEndings { host.runReporting($0.handler, $0.intent) }
      let parts = due
      due = []
      for part in parts where !part.hasEnded {
        part.isQueued = false
        let isFirst = part.appearance == 0
        if isFirst {
          appearances += 1
          part.appearance = appearances
        }
        host.runReporting(part.handler) { try part.run(on: host, isFirst: isFirst) }
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
        try Node.withoutReader { try Owner.withoutOwner { try ImplicitTransaction.run(ending.intent) } }
      } catch { report(error) }
    }
  }

  private func runEndings(_ run: (Ending) -> Void) {
    let endings = gone.sorted { $0.appearance > $1.appearance }
    gone = []
    for ending in endings { run(ending) }
  }
}
