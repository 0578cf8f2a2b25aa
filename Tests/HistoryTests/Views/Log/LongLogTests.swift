import Foundation
import Signals
import SignalsReplay
import SignalsTesting
import TestSupport
import Testing

/// Logs of long sessions, and of sessions of several.
///
/// `SIGNALS_INTENTS` sets how many intents the long one has.
@Suite struct `Views, long logs` {
  private struct Counter: View {
    let note: Note
    var body: Element {
      Text("\(note.rank)")
      Button("Raise", id: "raise") { note.rank += 1 }
      Button("Undo", id: "undo") { try note.store?.undo() }.disabled(note.store?.canUndo != true)
      TextField("Title", text: Binding(get: { note.title }, set: { note.title = $0 }), id: "title")
    }
  }

  private func mount(_ store: Store) throws -> TestHost {
    let note = try #require(store.object(Note.self, primaryKey: 0))
    return try TestHost(store) { Counter(note: note) }
  }

  @Test func `a log of many intents is kept, written, read and replayed`() throws {
    let count = runLength("SIGNALS_INTENTS", usually: 2000)
    let clock = ContinuousClock()
    func measure<Result>(_ name: String, _ body: () throws -> Result) rethrows -> Result {
      let start = clock.now
      defer {
        if count > 10_000 { print("\(name): \(clock.now - start), \(residentMegabytes()) MB") }
      }
      return try body()
    }
    func run(_ app: TestHost) throws {
      for number in 0..<count {
        switch number % 4 {
        case 0: try app.type("\(number)", into: "title")
        case 1: try app.tap("undo")
        default: try app.tap("raise")
        }
      }
    }
    try measure("without a log") { try run(try mount(try notes(1).store)) }
    let app = try mount(try notes(1).store)
    app.intentLog = IntentLog(start: app.host.store.snapshot())
    try measure("with a log") { try run(app) }
    let log = try #require(app.intentLog)
    #expect(log.entries.count == count)
    let data = try measure("encoded") { try JSONEncoder().encode(log) }
    let read = try measure("decoded") { try JSONDecoder().decode(IntentLog.self, from: data) }
    #expect(read.entries.count == count)
    let again = try mount(Store(try #require(read.start)))
    try measure("replayed") { try again.host.replay(read) }
    #expect(again.text == app.text)
    if count > 10_000 { print("\(data.count / count) bytes an entry") }
  }

  @Test func `of several hosts on one store each log has what the others did as commits`() throws {
    let store = try notes(1).store
    let (one, two) = (try mount(store), try mount(store))
    let start = store.snapshot()
    for app in [one, two] { app.intentLog = IntentLog(start: start) }
    try one.tap("raise")
    try two.type("x", into: "title")
    try batch {
      try one.tap("raise")
      try two.tap("raise")
    }
    #expect(throws: TestHostError.self) { try one.tap("nowhere") }
    for (app, kinds) in [
      (one, [.intent, .commit, .intent, .commit]), (two, [.commit, .intent, .commit, .intent]),
    ] as [(TestHost, [IntentLog.Kind])] {
      let log = try #require(app.intentLog)
      #expect(log.entries.map(\.kind) == kinds)
      let again = try mount(Store(start))
      try again.host.replay(log)
      #expect(again.text == app.text)
    }
  }

  @Test func `its form stays what it is`() throws {
    let json =
      #"{"entries":[{"changes":{"changes":[{"class":{"name":"Note","symbol":"11TestSupport4NoteC"},"#
      + #""id":{"counter":2,"replica":1},"kind":"modified","new":{"rank":1},"old":{"rank":0}}]},"#
      + #""element":"raise","frame":"ff","input":{"tap":true},"name":"button \"Raise\"","nanoseconds":1500},"#
      + #"{"error":"Stop()","focus":true,"isSameBatch":true,"name":"focus","nanoseconds":0,"place":[3,0],"#
      + #""rows":[[[0,3],[6,8]]],"screen":"text"},"#
      + #"{"begins":1,"input":{"key":"d"},"name":"key d","nanoseconds":0},"#
      + #"{"ends":1,"name":"key d","nanoseconds":0},"#
      + #"{"commit":true,"commits":[{"changes":{"changes":[]},"kind":"redo"}],"name":"commit","nanoseconds":0},"#
      + #"{"element":"list","input":{"move":[0,1],"to":3},"name":"listBox","nanoseconds":0}],"keepsScreens":true}"#
    let log = try JSONDecoder().decode(IntentLog.self, from: Data(json.utf8))
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    #expect(String(decoding: try encoder.encode(log), as: UTF8.self) == json)
  }
}

/// The memory of this process.
private func residentMegabytes() -> Int {
  let text = try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8)
  let pages = text?.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0
  return pages * 4096 / 1_000_000
}
