// catalog: a Debian package database as a live graph, driven by intents.

import CatalogApp
import ControlFile
import Shell
import Signals
import SignalsTerminal

let program = Program(
  "catalog", usage: Options.usage,
  about: """
    The packages of a Debian database (FILE, else this machine's) on a full screen. Without a
    terminal, or with --plain, one intent a line: filter TEXT, sort name|size|section [asc|desc],
    section NAME|all, open NAME, back, hold NAME, unhold NAME, remove NAME, undo, quit.
    --stats says what each cost; --picture prints the screen after some KEYS as an SVG.
    """)

await program.run { arguments in
  let options = try Options(arguments)
  let (file, path) = try options.read()
  for stanza in file.malformed { program.say("\(path): \(stanza)") }
  guard !file.packages.isEmpty else {
    throw Failure(status: 65, "\(path): there is no package in it")
  }
  let store = Store(undoLimit: .max)
  try store.load(file)
  if let picture = options.picture {
    try Output.write(draw(store, picture, options.keys))
  } else if !isFullScreen(
    isPlain: options.isPlain, otherwise: { program.say("\($0): one intent per line") })
  {
    try await runPlain(Session(store), showsStatistics: options.showsStatistics)
  } else {
    let browser = Browser(store)
    try await TerminalApp(store) { CatalogTerminal(browser) }.run()
  }
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

/// One intent a line; after each the frame as text.
@MainActor func runPlain(_ session: Session, showsStatistics: Bool) async throws {
  func text(_ answer: Session.Answer) -> String {
    showsStatistics ? "\(answer.text)\n\(answer.statistics)" : answer.text
  }
  try await runLines(start: text(session.start)) { text(session.perform($0)) }
}
