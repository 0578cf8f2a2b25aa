import Foundation
import Signals
import SignalsReplay
import SignalsTesting
import TestSupport
import Testing

/// Logs that were made by hand, by an older version of the app, or by nobody sane.
@Suite struct `Views, a log from anywhere` {
  private struct Notes: View {
    @ObservedResults(Note.self, sortedBy: \.number) var notes
    var body: Element {
      ForEach(notes) { note in
        Button(note.title, id: "raise-\(note.number)") { note.rank += 1 }
      }
      Button("Later", id: nil) { await Task.yield() }
      Button("Later", id: nil) {
        notes[0].rank = 7
        await Task.yield()
      }
      Button("Add", id: "add") {
        let note = Note()
        note.number = notes.count
        try notes[0].store?.add(note)
      }
    }
  }

  private func log() throws -> IntentLog {
    let app = try TestHost(try notes(2).store) { Notes() }
    app.intentLog = IntentLog(start: app.host.store.snapshot())
    try app.tap("raise-1")
    try app.tap("add")
    try app.host.store.write { app.host.store.results(Note.self)[0].rank = 5 }
    app.host.focus = "add"
    return try #require(app.intentLog)
  }

  private func mount(_ log: IntentLog) throws -> TestHost {
    try TestHost(Store(try #require(log.start))) { Notes() }
  }

  private func json(_ log: IntentLog) throws -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = .sortedKeys
    return String(decoding: try encoder.encode(log), as: UTF8.self)
  }

  private func read(_ json: String) throws -> IntentLog {
    try JSONDecoder().decode(IntentLog.self, from: Data(json.utf8))
  }

  @Test func `places, numbers and durations that are none are differences, and no traps`() throws {
    var log = try log()
    for place in [[-1], [], [.min, 0], [0, .max], [5, 5, 5]] {
      log.entries = [log.entries[0]]
      log.entries[0].place = place
      let app = try mount(log)
      #expect(throws: ReplayError.self) { try app.host.replay(log) }
    }
    for number in [Int.min, -1, 0, .max] {
      let app = try mount(log)
      log.entries = [log.entries[0], log.entries[0]]
      log.entries[0].kind = .beginning(number)
      log.entries[1].kind = .end(number)
      #expect(throws: ReplayError.self) { try app.host.replay(log) }
      #expect(app.host.busyIntents == [])
    }
    log.entries[0].duration = .seconds(Int64.max)
    #expect(try json(log).contains("\"nanoseconds\":9223372036854775807"))
    #expect(log.description.contains("9223372036854775 µs"))
  }

  @Test func `an async intent without an id is found by its place, and ends with the replay`()
    throws
  {
    let started = try log()
    let app = try mount(started)
    app.intentLog = IntentLog(start: started.start)
    var log = started
    log.entries = []
    var entry = started.entries[0]
    (entry.kind, entry.name, entry.element) = (.beginning(1), "button \"Later\"", "Later")
    (entry.place, entry.changes, entry.frame) = ([1], ChangeSet(), nil)
    entry.input = .tap
    log.entries = [entry]
    try app.host.replay(log)
    #expect(app.host.busyIntents == [])
    #expect(app.intentLog?.entries.map(\.kind) == [.beginning(1), .end(1)])
    // Its number is free for whatever is next.
    try app.host.replay(log)
    #expect(app.intentLog?.entries.map(\.kind).suffix(2) == [.beginning(2), .end(2)])
  }

  @Test func `what can't be read names its place`() throws {
    let json = try json(try log())
    let cases: [(old: String, new: String, path: String)] = [
      ("\"input\":{\"tap\":true}", "\"input\":{\"tap\":true,\"text\":\"a\"}", "entries.0.input"),
      ("\"input\":{\"tap\":true}", "\"input\":{\"tip\":true}", "entries.0.input"),
      ("\"focus\":true", "\"focus\":true,\"commit\":true", "entries.3.focus"),
      ("\"focus\":true", "\"begins\":\"one\"", "entries.3.begins"),
      ("\"name\":\"focus\"", "\"title\":\"focus\"", "entries.3"),
      ("\"commit\":true", "\"rows\":[[[3,1]]],\"commit\":true", "entries.2.rows.0.0"),
    ]
    for (old, new, path) in cases {
      let broken = try #require(
        json.firstRange(of: old).map { json.replacingCharacters(in: $0, with: new) })
      let error = try #require(throws: DecodingError.self) { try read(broken) }
      let found =
        switch error {
        case .dataCorrupted(let context), .keyNotFound(_, let context),
          .typeMismatch(_, let context), .valueNotFound(_, let context):
          context.codingPath
        @unknown default: [any CodingKey]()
        }
      let names = found.map { $0.intValue.map { "\($0)" } ?? $0.stringValue }
      #expect(names.joined(separator: ".").hasPrefix(path), "\(new): \(error)")
    }
    let change = json.replacing("\"rank\":1", with: "\"rank\":\"one\"")
    let error = try #require(throws: GraphDecodingError.self) { try read(change) }
    #expect(error.property == "rank" && error.codingPath.first == "entries")
  }

  /// Each value somewhere in the log is another one: it is read and replayed, or there is an error.
  @Test func `any content gives an error, a difference, or nothing`() throws {
    let data = Data(try json(try log()).utf8)
    let whole = try JSONSerialization.jsonObject(with: data)
    var random = SeededRandom(seed: 3)
    for _ in 0..<200 {
      let broken = breaking(whole, &random)
      let json = try JSONSerialization.data(withJSONObject: broken)
      guard let log = try? JSONDecoder().decode(IntentLog.self, from: json), log.start != nil
      else { continue }
      let app = try mount(log)
      do { try app.host.replay(log) } catch is ReplayError {}
      #expect(app.host.store.brokenInvariants() == [])
      _ = log.description
    }
  }

  @Test func `a log of an older version is replayed where properties were added or renamed`() throws
  {
    let json = try json(try log())
    // What the class did not have then.
    let older = json.replacing("\"isDone\":false,", with: "")
    #expect(older != json)
    let log = try read(older)
    let app = try mount(log)
    try app.host.replay(log)
    #expect(app.host.store.results(Note.self).count == 3)
  }

  @Test func `names in any script, and ids that are equal in other scalars, are found`() throws {
    let composed = "caf\u{e9}"
    let decomposed = "cafe\u{301}"
    let start = try notes(1).store.snapshot()
    func app(_ id: String) throws -> TestHost {
      let store = Store(start)
      let notes = Array(store.results(Note.self))
      return try TestHost(store) {
        Button("🏳️‍🌈 \u{202e}שלום\u{0}", id: id) {
          notes[0].title = "\u{1F469}\u{200D}\u{1F4BB}\u{fffd}"
        }
        Text(notes[0].title)
      }
    }
    let first = try app(composed)
    first.intentLog = IntentLog(keepingScreens: true)
    try first.tap(composed)
    let log = try read(try json(try #require(first.intentLog)))
    #expect(log == first.intentLog)
    try app(composed).host.replay(log)
    try app(decomposed).host.replay(log, comparingFrames: false)
  }

  private func breaking(_ whole: Any, _ random: inout SeededRandom) -> Any {
    var paths: [[Any]] = []
    func walk(_ value: Any, _ path: [Any]) {
      if path.first as? String == "entries" { paths.append(path) }
      if let object = value as? [String: Any] {
        for key in object.keys.sorted() { walk(object[key]!, path + [key]) }
      } else if let list = value as? [Any] {
        for (index, part) in list.enumerated() { walk(part, path + [index]) }
      }
    }
    walk(whole, [])
    let path = paths[Int.random(in: 0..<paths.count, using: &random)]
    let values: [Any] = [
      0, 1, -1, Int.max, 1e300, "", "add", "raise-0", [Any](), [String: Any](), NSNull(), true,
      ["move": [9, -1], "to": 3], ["key": "d"], ["text": "a"], [[0, 1]], [[[0, 99]]],
    ]
    let new = values[Int.random(in: 0..<values.count, using: &random)]
    return replacing(whole, at: path[...], by: new)
  }
}
