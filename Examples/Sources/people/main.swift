// people: a course on screen while another actor changes it. On a full screen the changes come one by one; without a
// terminal, or with --plain, an intent a line, and `work N` lets the other actor work.

import PeopleApp
import Shell
import Signals
import SignalsTerminal

let program = Program(
  "people", usage: Options.usage,
  about: """
    A course on a full screen, while another actor changes it, CHANGES times (1000); SEED says how.
    Without a terminal, or with --plain, one intent a line: work N, tap NAME, type NAME TEXT,
    undo, quit.
    """)

await program.run { arguments in
  let options = try Options(arguments)
  // A word that is typed is one step.
  let store = Store(coalescing: .typing)
  let work = RemoteWork(
    Office(store.snapshot(), seed: options.seed), for: store, limit: options.changes)
  let isFullScreen = isFullScreen(isPlain: options.isPlain) {
    program.say("\($0): one intent per line")
  }
  if isFullScreen {
    try await TerminalApp(store) { PeopleTerminal(work, number: 1) }.run()
  } else {
    let session = Session(store, work, number: 1)
    try await runLines(start: session.text) { line in
      try await session.perform(line)
      return session.text
    }
  }
}
