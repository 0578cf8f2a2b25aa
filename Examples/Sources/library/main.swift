// library: one intent a line ("tap ID", "type ID TEXT", "undo"), after each the frame as text.

import LibraryApp
import Signals

let store = Store()
let (library, member) = try Library.sample(in: store)
let renderer = TextRenderer()
let host = ViewHost(store, renderer: renderer) { LibraryScreen(library: library, member: member) }

print("> start\n\(renderer.text)\n")
while let line = readLine() {
  let words = line.split(separator: " ", maxSplits: 2).map(String.init)
  do {
    switch (words.first, words.count) {
    case ("tap"?, 2): try host.perform(words[1])
    case ("type"?, 2...): try host.perform(words[1], .text(words.count > 2 ? words[2] : ""))
    case ("undo"?, 1): try host.perform { try store.undo() }
    case (nil, _): continue
    default: print("> \(line)\nerror: say tap ID, type ID TEXT or undo\n"); continue
    }
    print("> \(line)\n\(renderer.text)\n")
  } catch {
    print("> \(line)\nerror: \(error)\n")
  }
}
