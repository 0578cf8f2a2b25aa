// library: books that a member borrows and returns, on a full screen. Without a terminal, or with --plain, one intent a
// line ("tap ID", "type ID TEXT", "undo"), after each the frame as text.
//
// --style (or LIBRARY_SCREEN) chooses what the screen is made on: objects, projection, values. LIBRARY_SNAPSHOT names a
// file with the snapshot to begin with; at the end of the input, and on a full screen after each change, it gets the
// one that came of it.

import Foundation
import LibraryApp
import Shell
import Signals
import SignalsTerminal

func say(_ message: String) {
  FileHandle.standardError.write(Data("library: \(message)\n".utf8))
}

@MainActor func run() async throws {
  let options = try Options(
    CommandLine.arguments.dropFirst(), ProcessInfo.processInfo.environment)
  let isFullScreen = isFullScreen(isPlain: options.isPlain) { say("\($0): one intent a line") }
  let store: Store
  if let file = options.file {
    do { store = try SnapshotFile.read(file) } catch { throw Failure("\(file.path()): \(error)") }
  } else {
    store = Store()
    _ = try Library.sample(in: store, more: isFullScreen)
  }
  guard let library = store.results(Library.self).first, let member = library.members.first else {
    throw Failure("there is no library with a member in the snapshot")
  }
  let style = options.style
  guard isFullScreen else {
    runLines(store) { style.screen(store, library, member) }
    if let file = options.file {
      do { try JSONEncoder().encode(store.snapshot()).write(to: file, options: .atomic) } catch {
        throw Failure("\(file.path()): \(error)")
      }
    }
    return
  }
  let file = options.file.map { SnapshotFile($0, of: store) }
  try await TerminalApp(store) {
    LibraryTerminal(store, library, member, style) { file?.problem }
  }.run()
}

do { try await run() } catch {
  say((error as? Failure)?.message ?? "\(error)")
  exit(1)
}
