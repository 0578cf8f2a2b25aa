// catalog: a Debian package database as a live graph, driven by intents.

import CatalogApp
import ControlFile
import Glibc
import Signals

/// A reason to stop, and the status to stop with.
struct Failure: Error {
  let status: Int32
  let message: String
}

func say(_ message: String) {
  var line = "catalog: \(message)\n"
  line.withUTF8 { bytes in _ = unsafe write(STDERR_FILENO, bytes.baseAddress, bytes.count) }
}

func run() throws {
  let options = try Options(CommandLine.arguments.dropFirst())
  let (file, path) = try options.read()
  for stanza in file.malformed { say("\(path): \(stanza)") }
  guard !file.packages.isEmpty else {
    throw Failure(status: 65, message: "\(path): there is no package in it")
  }
  let store = Store(undoLimit: .max)
  try store.load(file)
  let session = Session(store)
  if options.isPlain || isatty(STDIN_FILENO) == 0 {
    runPlain(session, showsStatistics: options.showsStatistics)
  } else {
    runPrompt(session)
  }
}

do { try run() } catch let failure as Failure {
  say(failure.message)
  exit(failure.status)
} catch {
  say("\(error)")
  exit(70)
}
