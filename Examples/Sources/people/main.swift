// people [--plain] [CHANGES [SEED]]: a course on screen while another actor changes it. On a full screen the changes come
// one by one; without a terminal, or with --plain, every hundredth frame is printed.

import Foundation
import PeopleApp
import Shell
import Signals
import SignalsTerminal

func say(_ message: String) { FileHandle.standardError.write(Data("people: \(message)\n".utf8)) }

@MainActor func run(_ options: Options) async throws {
  let store = Store()
  let office = Office(store.snapshot(), seed: options.seed)
  if isFullScreen(isPlain: options.isPlain, otherwise: { say("\($0): every hundredth frame") }) {
    let work = RemoteWork(office, for: store, limit: options.changes)
    try await TerminalApp(store) { PeopleTerminal(work, number: 1) }.run()
  } else {
    try await printFrames(store, office, options.changes)
  }
}

@MainActor func printFrames(_ store: Store, _ office: Office, _ changes: Int) async throws {
  let renderer = TextRenderer()
  let host = ViewHost(store, renderer: renderer) { CourseScreen(number: 1) }
  for number in stride(from: 0, to: changes, by: 100) {
    for change in try await office.work(min(100, changes - number)) { try store.apply(change) }
    print("> after \(min(number + 100, changes))\n\(renderer.text)\n")
  }
  withExtendedLifetime(host) {}
}

guard let options = Options(Array(CommandLine.arguments.dropFirst())) else {
  print("people: say people [--plain] [CHANGES [SEED]], both numbers")
  exit(1)
}
do { try await run(options) } catch {
  say("\(error)")
  exit(1)
}
