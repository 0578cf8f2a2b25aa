// What is to run for the lives of views after a frame.
//
// Mutable state:
// - `due`: parts that appeared, or have something to run, in the order in which they were met;
// - `gone`: parts that have ended, with what they run then;
// - `appearances`: how many parts have appeared so far;
// - `ask`: asks for a turn of the host, until that goes.
//
// Order of events: a frame is made, which adds parts here and asks for a turn of the host; the renderer gets the
// frame, and asks for rows, which add more; in that turn what is gone runs, the latest first, then what is due. What
// they write makes bodies stale, and the host takes another turn.

/// What is to run after the frame.
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

  /// A part is to run after the frame.
  func add(_ part: LifePart) {
    guard !part.isQueued else { return }
    part.isQueued = true
    due.append(part)
    ask()
  }

  /// A part has left the screen.
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

  /// Runs what is left when the host goes.
  func finish(_ report: (any Error) -> Void) {
    let never = due
    due = []
    withExtendedLifetime(never) {}
    runEndings { ending in
      do {
        try Node.withoutReader { try Owner.withoutOwner { try Callback.run(ending.intent) } }
      } catch { report(error) }
    }
  }

  private func runEndings(_ run: (Ending) -> Void) {
    let endings = gone.sorted { $0.appearance > $1.appearance }
    gone = []
    for ending in endings { run(ending) }
  }
}
