// scrums: daily scrums, on a full screen. Without a terminal, or with --plain, a command a line ("tap Design",
// "type title Retro", "tick 60", "undo"); after each the frame.
//
// With --plain time passes when a line says so, else as it does, which shows at the next line where there is no
// terminal. With --store each commit is added to a file, and with it the state of the screens: the next run goes on
// where this one was killed.

import Foundation
import ScrumsApp
import ScrumsModel
import Shell
import Signals
import SignalsTerminal

let program = Program(
  "scrums", usage: Options.usage,
  about: """
    Daily scrums with a meeting timer, on a full screen. Without a terminal, or with --plain, a
    command a line: tap NAME, type NAME TEXT, submit NAME, choose NAME OPTION, tick SECONDS, undo,
    quit. --store keeps everything in a file, --service refreshes from one, and --cache keeps
    what that said for when it is gone; --today is when meetings take place.
    """)

await program.run { arguments in
  let options = try Options(arguments)
  try await KeptStore.run(at: options.store) { try await show($0, options) }
}

@MainActor func show(_ kept: KeptStore, _ options: Options) async throws {
  let (store, style) = (kept.store, options.style)
  // A file whose scrums were all deleted has the state of the screens.
  if store.snapshot().isEmpty { try Scrums.seed(store) }
  let service: any ScrumService = options.service.map(FileService.init) ?? SampleService()
  func world(_ ticker: Ticker) -> World {
    World(
      store, feed: ScrumFeed(Connection(service, cache: options.cache), into: store),
      ticker: ticker, now: { options.today ?? Date() })
  }
  if isFullScreen(isPlain: options.isPlain, otherwise: { program.say("\($0): a command a line") }) {
    let world = world(Ticker(ContinuousClock()))
    try await TerminalApp(store) { ScrumsTerminal(world, style) { kept.problem } }.run()
  } else {
    let seconds = Subject<Int, Never>()
    let session = Session(world(Ticker(seconds)), style, seconds: seconds)
    try await showLines(session, options, kept)
  }
}
