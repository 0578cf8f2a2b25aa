// catalog: a Debian package database as a live graph, driven by intents.

import CatalogApp
import ControlFile
import Glibc
import Shell
import Signals
import SignalsTerminal

/// A reason to stop, and the status to stop with.
struct Failure: Error {
  let status: Int32
  let message: String
}

func say(_ message: String) {
  var line = "catalog: \(message)\n"
  line.withUTF8 { bytes in _ = unsafe write(STDERR_FILENO, bytes.baseAddress, bytes.count) }
}

/// What a user would see after some keys, as an SVG.
@MainActor func draw(_ store: Store, _ picture: Options.Picture, _ keys: [TerminalKey]) -> String {
  let browser = Browser(store)
  let screen = TerminalScreen(store, width: picture.width, height: picture.height) {
    CatalogTerminal(browser)
  }
  for key in keys { screen.press(key) }
  return screen.svg(title: "The packages of a system, on a terminal")
}

@MainActor func run() async throws {
  let options = try Options(CommandLine.arguments.dropFirst())
  let (file, path) = try options.read()
  for stanza in file.malformed { say("\(path): \(stanza)") }
  guard !file.packages.isEmpty else {
    throw Failure(status: 65, message: "\(path): there is no package in it")
  }
  let store = Store(undoLimit: .max)
  try store.load(file)
  if let picture = options.picture {
    print(draw(store, picture, options.keys), terminator: "")
  } else if !isFullScreen(
    isPlain: options.isPlain, otherwise: { say("\($0): one intent per line") })
  {
    runPlain(Session(store), showsStatistics: options.showsStatistics)
  } else {
    let browser = Browser(store)
    try await TerminalApp(store) { CatalogTerminal(browser) }.run()
  }
}

do { try await run() } catch let failure as Failure {
  say(failure.message)
  exit(failure.status)
} catch {
  say("\(error)")
  exit(70)
}
