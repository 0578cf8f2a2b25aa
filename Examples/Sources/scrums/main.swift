// scrums: daily scrums, on a full screen. Without a terminal, or with --plain, a command a line ("tap Design",
// "type title Retro", "tick 60", "undo"); after each the frame.
//
// With --plain time passes when a line says so, else as it does, which shows at the next line where there is no
// terminal. With --store each commit is added to a file, and with it the state of the screens: the next run goes on
// where this one was killed. With --share several terminals have the same scrums, and --store is this terminal's copy.

import Foundation
import ScrumsApp
import ScrumsModel
import Shell
import Signals
import SignalsSync
import SignalsTerminal

let program = Program(
  "scrums", usage: Options.usage,
  about: """
    Daily scrums with a meeting timer, on a full screen. Without a terminal, or with --plain, a
    command a line: tap NAME, type NAME TEXT, submit NAME, choose NAME OPTION, tick SECONDS, undo,
    quit. --store keeps everything in a file, --service refreshes from one, and --cache keeps
    what that said for when it is gone; --today is when meetings take place. --share names a file
    that several terminals share: offline, online, wait TEXT. Then --store is this terminal's copy.
    """)

await program.run { arguments in
  let options = try Options(arguments)
  if let path = options.shared {
    try await SharedScrums.run(at: path, copy: options.store) { shared in
      try await show(shared.replica.store, options, shared) {
        shared.status
      } flush: {
        try await shared.replica.flush()
      }
    }
  } else {
    try await KeptStore.run(at: options.store) { kept in
      // A file whose scrums were all deleted has the state of the screens.
      if kept.store.snapshot().isEmpty { try Scrums.seed(kept.store) }
      try await show(kept.store, options) {
        kept.problem ?? ""
      } flush: {
        try kept.flush()
      }
    }
  }
}

@MainActor func show(
  _ store: Store, _ options: Options, _ shared: SharedScrums? = nil,
  status: @escaping () -> String, flush: () async throws -> Void
) async throws {
  let style = options.style
  let service: any ScrumService = options.service.map(FileService.init) ?? SampleService()
  func world(_ ticker: Ticker) -> World {
    World(
      store, feed: ScrumFeed(Connection(service, cache: options.cache), into: store),
      ticker: ticker, now: { options.today ?? Date() })
  }
  if isFullScreen(isPlain: options.isPlain, otherwise: { program.say("\($0): a command a line") }) {
    let world = world(Ticker(ContinuousClock()))
    let connects = shared.map { shared in
      Binding(get: { shared.isConnecting }, set: { shared.isConnecting = $0 })
    }
    try await TerminalApp(store) {
      ScrumsTerminal(world, style, connects: connects, status: status)
    }.run()
  } else {
    let seconds = Subject<Int, Never>()
    let session = Session(world(Ticker(seconds)), style, seconds: seconds)
    try await showLines(session, options, shared, status: status, flush: flush)
  }
}
