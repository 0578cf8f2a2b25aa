import Signals

/// One intent a line, while there are lines; after each the frame.
@MainActor func runLines(_ store: Store, @ElementBuilder _ screen: @escaping () -> Element) {
  let renderer = TextRenderer()
  let host = ViewHost(store, renderer: renderer, root: screen)
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
}
