// library: books that a member borrows and returns, on a full screen. Without a terminal, or with --plain, one intent a
// line ("tap NAME", "type NAME TEXT", "undo", "save FILE"), after each the frame as text.
//
// --style (or LIBRARY_SCREEN) chooses what the screen is made on: objects, projection, values. LIBRARY_STORE names a
// file to which each commit is added, and from which the next run goes on. --recover writes what is intact in that file
// to another one.

import Foundation
import LibraryApp
import Shell
import Signals
import SignalsTerminal

let program = Program(
  "library", usage: Options.usage,
  about: """
    Books that a member borrows and returns, on a full screen. Without a terminal, or with --plain,
    one intent a line: tap NAME, type NAME TEXT, undo, save FILE, quit.
    LIBRARY_STORE names a file that the library is kept in, LIBRARY_SCREEN a style. save writes a
    copy to a new file. If the file is damaged, --recover writes what is intact to a new one.
    """)

await program.run { arguments in
  let options = try Options(arguments, ProcessInfo.processInfo.environment)
  if let damaged = options.store, let new = options.recovered {
    for line in try KeptStore.recover(at: damaged, to: new) { try Output.write("\(line)\n") }
    return
  }
  try await KeptStore.run(
    at: options.store, version: Library.version, migrations: Library.migrations
  ) { try await show($0, options) }
}

@MainActor func show(_ kept: KeptStore, _ options: Options) async throws {
  let isFullScreen = isFullScreen(isPlain: options.isPlain) {
    program.say("\($0): one intent a line")
  }
  let (store, style) = (kept.store, options.style)
  if store.results(Library.self).isEmpty {
    _ = try Library.sample(in: store, more: isFullScreen)
  }
  guard let library = store.results(Library.self).first, let member = library.members.first else {
    throw Failure(status: 65, "the library in the file has no member")
  }
  if isFullScreen {
    try await TerminalApp(store) {
      LibraryTerminal(store, library, member, style) { kept.problem }
    }.run()
  } else {
    try await showLines(kept) { style.screen(store, library, member) }
  }
}

/// One intent a line; after each the frame.
@MainActor func showLines(
  _ kept: KeptStore, @ElementBuilder _ screen: @escaping () -> Element
) async throws {
  // The frames don't tell it.
  let complaints = Effect { if let problem = kept.problem { program.say(problem) } }
  defer { complaints.cancel() }
  let renderer = TextRenderer()
  let host = ViewHost(kept.store, renderer: renderer, root: screen)
  try await runLines(start: renderer.text) { line in
    let words = line.split(separator: " ", maxSplits: 1)
    if words.count == 2, words[0] == "save" {
      try kept.save(to: String(words[1]))
      return "saved to \(words[1])"
    }
    guard try await host.perform(line: line) else { throw LineError() }
    // A commit whose result is shown isn't lost; the end reports what went wrong.
    try? kept.flush()
    return renderer.text
  }
}

/// A line that asks for nothing known.
struct LineError: Error, CustomStringConvertible {
  var description: String { "say tap NAME, type NAME TEXT, undo, save FILE or quit" }
}
