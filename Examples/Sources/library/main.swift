// library: one intent a line ("tap ID", "type ID TEXT", "undo"), after each the frame as text.
//
// LIBRARY_SCREEN chooses what the screen is made on: objects, projection, values. LIBRARY_SNAPSHOT names a file
// with the snapshot to begin with; at the end of the input it gets the one that came of it.

import Foundation
import LibraryApp
import Signals

func fail(_ message: String) -> Never {
  FileHandle.standardError.write(Data("library: \(message)\n".utf8))
  exit(1)
}

let environment = ProcessInfo.processInfo.environment
let file = environment["LIBRARY_SNAPSHOT"].map { URL(filePath: $0) }

func open(_ file: URL) -> Store {
  do { return try Store(JSONDecoder().decode(Snapshot.self, from: Data(contentsOf: file))) } catch {
    fail("\(file.path()): \(error)")
  }
}

let name = environment["LIBRARY_SCREEN"] ?? "objects"
guard let style = ScreenStyle(rawValue: name) else {
  fail(
    "there is no screen \"\(name)\": \(ScreenStyle.allCases.map(\.rawValue).joined(separator: ", "))"
  )
}
let store = file.map(open) ?? Store()
if file == nil { _ = try Library.sample(in: store) }
guard let library = store.results(Library.self).first, let member = library.members.first else {
  fail("there is no library with a member in the snapshot")
}
let renderer = TextRenderer()
let host = ViewHost(store, renderer: renderer) { style.screen(store, library, member) }

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

if let file {
  do { try JSONEncoder().encode(store.snapshot()).write(to: file, options: .atomic) } catch {
    fail("\(file.path()): \(error)")
  }
}
