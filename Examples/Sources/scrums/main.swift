// scrums: daily scrums, on a full screen. Without a terminal, or with --plain, a command a line ("tap Design",
// "type title Retro", "tick 60", "undo"); after each the frame.
//
// With --plain time passes when a line says so, else as it does, which shows at the next line where there is no
// terminal. With --snapshot the graph is kept in a file after each change, and with it the state of the screens: the
// next run goes on where this one was killed.

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
    quit. --snapshot keeps everything in a file, --service refreshes from one, and --cache keeps
    what that said for when it is gone; --today is when meetings take place.
    """)

await program.run { arguments in
  let options = try Options(arguments)
  let store = try SnapshotFile.store(options.snapshot) { try Scrums.seed($0) }
  let service: any ScrumService = options.service.map(FileService.init) ?? SampleService()
  func world(_ ticker: Ticker) -> World {
    World(
      store, feed: ScrumFeed(Connection(service, cache: options.cache), into: store),
      ticker: ticker, now: { options.today ?? Date() })
  }
  if isFullScreen(isPlain: options.isPlain, otherwise: { program.say("\($0): a command a line") }) {
    try await showFullScreen(world(Ticker(ContinuousClock())), options)
  } else {
    let seconds = Subject<Int, Never>()
    let session = Session(world(Ticker(seconds)), options.style, seconds: seconds)
    try await showLines(session, options, store)
  }
}

@MainActor func showFullScreen(_ world: World, _ options: Options) async throws {
  let file = options.snapshot.map { SnapshotFile($0, of: world.store, clock: ContinuousClock()) }
  defer { file?.write() }
  let style = options.style
  try await TerminalApp(world.store) {
    ScrumsTerminal(world, style) { file?.problem }
  }.run()
}
