// catalog: a Debian package database as a live graph, driven by intents.

import CatalogApp
import ControlFile
import Glibc
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

@MainActor func run() async throws {
  let options = try Options(CommandLine.arguments.dropFirst())
  let (file, path) = try options.read()
  for stanza in file.malformed { say("\(path): \(stanza)") }
  guard !file.packages.isEmpty else {
    throw Failure(status: 65, message: "\(path): there is no package in it")
  }
  let store = Store(undoLimit: .max)
  try store.load(file)
  let problem = TerminalDevice.standard.problem
  if options.isPlain || problem != nil {
    // Somebody who sits at a terminal may wonder.
    if !options.isPlain, let problem, isatty(STDIN_FILENO) != 0 {
      say("\(problem): one intent per line")
    }
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
