import ScrumsApp
import ScrumsModel
import Shell
import Signals

/// A command a line, while there are lines, up to `quit`; after each the frame.
@MainActor func showLines(
  _ session: Session, _ options: Options, _ shared: SharedScrums?, status: () -> String,
  flush: () async throws -> Void
) async throws {
  func show(_ line: String, _ answer: String) async throws {
    var text = options.isPlain ? "> \(line)\n" : ""
    // What was shown is kept: whoever sees it may pull the plug.
    do { try await flush() } catch { text = "not saved: \(error)\n" + text }
    text += "\(answer)\n"
    if shared != nil, !status().isEmpty { text += "\(status())\n" }
    if options.showsStatistics { text += "bodies: \(session.bodies)\n" }
    try Output.write(text + "\n")
  }

  let clock = ContinuousClock()
  var last = clock.now
  try await show("start", session.text)
  while let line = await nextLine(), !line.isQuit {
    if !options.isPlain {
      let passed = Int(last.duration(to: clock.now) / .seconds(1))
      last = last.advanced(by: .seconds(passed))
      session.pass(passed)
      if line.isBlank { try await show(line, session.text) }
    }
    if line.isBlank { continue }
    var problem = ""
    do {
      let isDone = try await shared?.perform(line, on: session) ?? false
      if !isDone { try await session.perform(line) }
    } catch let invalid as InvalidDraftError {
      // What is wrong stands on the screen, beside the fields.
      problem = "error: \(invalid.errors.count) to be mended\n"
    } catch {
      try await show(line, "error: \(error)")
      continue
    }
    try await show(line, problem + session.text)
  }
}
