// library: books that a member borrows and returns, on a full screen. Without a terminal, or with --plain, one intent a
// line ("tap NAME", "type NAME TEXT", "undo"), after each the frame as text.
//
// --style (or LIBRARY_SCREEN) chooses what the screen is made on: objects, projection, values. LIBRARY_SNAPSHOT names a
// file with the snapshot to begin with, if there is one; at the end of the input, and on a full screen after each change,
// it gets the one that came of it.

import Foundation
import LibraryApp
import Shell
import Signals
import SignalsTerminal

let program = Program(
  "library", usage: Options.usage,
  about: """
    Books that a member borrows and returns, on a full screen. Without a terminal, or with --plain,
    one intent a line: tap NAME, type NAME TEXT, undo, quit.
    LIBRARY_SNAPSHOT names a file that the library is kept in, LIBRARY_SCREEN a style.
    """)

await program.run { arguments in
  let options = try Options(arguments, ProcessInfo.processInfo.environment)
  let isFullScreen = isFullScreen(isPlain: options.isPlain) {
    program.say("\($0): one intent a line")
  }
  let store = try SnapshotFile.store(options.file) { store in
    _ = try Library.sample(in: store, more: isFullScreen)
  }
  guard let library = store.results(Library.self).first, let member = library.members.first else {
    throw Failure(status: 65, "there is no library with a member in the snapshot")
  }
  let style = options.style
  if isFullScreen {
    let file = options.file.map { SnapshotFile($0, of: store, clock: ContinuousClock()) }
    defer { file?.write() }
    try await TerminalApp(store) {
      LibraryTerminal(store, library, member, style) { file?.problem }
    }.run()
  } else {
    try await showLines(store) { style.screen(store, library, member) }
    if let file = options.file {
      do { try SnapshotFile.write(store, to: file) } catch { throw Failure(status: 73, "\(error)") }
    }
  }
}

/// One intent a line; after each the frame.
@MainActor func showLines(
  _ store: Store, @ElementBuilder _ screen: @escaping () -> Element
) async throws {
  let renderer = TextRenderer()
  let host = ViewHost(store, renderer: renderer, root: screen)
  try await runLines(start: renderer.text) { line in
    guard try await host.perform(line: line) else { throw LineError() }
    return renderer.text
  }
}

/// A line that asks for nothing known.
struct LineError: Error, CustomStringConvertible {
  var description: String { "say tap NAME, type NAME TEXT, undo or quit" }
}
