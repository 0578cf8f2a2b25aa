// kitchen: the display of a restaurant's kitchen on a full screen. Without a terminal, or with
// --plain, one intent a line ("order 4 tomato soup", "serve 4 tomato soup", "undo"), after each the
// frame as text.
//
// --store adds each commit to a file, from which the next run goes on. --log records the intents of
// the session in a file, and --replay repeats them and compares their results.

import Foundation
import KitchenApp
import Shell
import Signals
import SignalsTerminal

let program = Program(
  "kitchen", usage: Options.usage,
  about: """
    The orders of a restaurant's kitchen, on a full screen. Without a terminal, or with --plain, one
    intent a line: order TABLE [PLATES] DISH, serve TABLE DISH, cancel ORDER, pay TABLE,
    deliver PLATES DISH, spoil PLATES DISH, wait MINUTES, undo, redo, tap NAME, type NAME TEXT,
    submit NAME, quit.
    --store keeps the kitchen in a file. --log records the session in a new file, and --replay
    repeats a recorded session and says whether the result is the same.
    """)

await program.run { arguments in
  let options = try Options(arguments)
  if let file = options.replay { return try Output.write("\(SessionLog.replay(file))\n") }
  try await KeptStore.run(at: options.store) { try await show($0, options) }
}

@MainActor func show(_ kept: KeptStore, _ options: Options) async throws {
  let isFullScreen = isFullScreen(isPlain: options.isPlain) {
    program.say("\($0): one intent a line")
  }
  let store = kept.store
  if store.results(Kitchen.self).isEmpty {
    try Kitchen.sample(in: store, withOrders: isFullScreen)
  }
  let service = try Service(store, clock: ContinuousClock())
  if isFullScreen {
    service.follow(ContinuousClock())
    let app = TerminalApp(store) { KitchenTerminal(service) { kept.problem } }
    try await record(app.screen.host, service, options) { try await app.run() }
  } else {
    let session = Session(service)
    try await record(session.host, service, options) {
      try await runLines(start: session.text) { line in
        try await session.perform(line)
        // A commit whose result is shown isn't lost; the end reports what went wrong.
        try? kept.flush()
        return session.text
      }
    }
  }
}

/// Runs a session, and records it if the options say so.
@MainActor func record(
  _ host: ViewHost, _ service: Service, _ options: Options,
  _ session: @MainActor () async throws -> Void
) async throws {
  let log = try options.log.map { try SessionLog($0, of: host, service, clock: ContinuousClock()) }
  do { try await session() } catch {
    try log?.write()
    throw error
  }
  try log?.write()
}
