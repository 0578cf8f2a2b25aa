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

func openStore(_ file: URL?) throws -> Store {
  if let file, FileManager.default.fileExists(atPath: file.path()) {
    do { return try SnapshotFile.read(file) } catch { throw Failure("\(file.path()): \(error)") }
  }
  let store = Store()
  try Scrums.seed(store)
  return store
}

func say(_ message: String) {
  FileHandle.standardError.write(Data("scrums: \(message)\n".utf8))
}

@MainActor func run() async throws {
  let options = try Options(CommandLine.arguments.dropFirst())
  let store = try openStore(options.snapshot)
  let service: any ScrumService = options.service.map(FileService.init) ?? SampleService()
  func world(_ ticker: Ticker) -> World {
    World(
      store, feed: ScrumFeed(Connection(service, cache: options.cache), into: store),
      ticker: ticker, now: { options.today ?? Date() })
  }
  if isFullScreen(isPlain: options.isPlain, otherwise: { say("\($0): a command a line") }) {
    try await showFullScreen(world(Ticker(ContinuousClock())), options)
  } else {
    let seconds = Subject<Int, Never>()
    await runLines(Session(world(Ticker(seconds)), options.style, seconds: seconds), options, store)
  }
}

@MainActor func showFullScreen(_ world: World, _ options: Options) async throws {
  let file = options.snapshot.map { SnapshotFile($0, of: world.store) }
  let style = options.style
  try await TerminalApp(world.store) {
    ScrumsTerminal(world, style) { file?.problem }
  }.run()
}

do { try await run() } catch {
  say((error as? Failure)?.message ?? "\(error)")
  exit(1)
}
