import Foundation
import ScrumsApp
import ScrumsModel
import Signals

/// A command a line, while there are lines; after each the frame.
@MainActor func runLines(_ session: Session, _ options: Options, _ store: Store) async {
  func show(_ line: String, _ answer: String) {
    // What was shown is kept: whoever sees it may pull the plug.
    if let file = options.snapshot {
      do { try JSONEncoder().encode(store.snapshot()).write(to: file, options: .atomic) } catch {
        print("error: \(file.path()): \(error)")
      }
    }
    if options.isPlain { print("> \(line)") }
    print(answer)
    if options.showsStatistics { print("bodies: \(session.bodies)") }
    print()
    fflush(nil)
  }

  let clock = ContinuousClock()
  var last = clock.now
  show("start", session.text)
  while let line = readLine() {
    if !options.isPlain {
      let passed = Int(last.duration(to: clock.now) / .seconds(1))
      last = last.advanced(by: .seconds(passed))
      session.pass(passed)
      if line.isBlank { show(line, session.text) }
    }
    if line.isBlank { continue }
    do {
      try await session.perform(line)
      show(line, session.text)
    } catch let invalid as InvalidDraftError {
      // What is wrong stands on the screen, beside the fields.
      show(line, "error: \(invalid.errors.count) to be mended\n\(session.text)")
    } catch { show(line, "error: \(error)") }
  }
}
