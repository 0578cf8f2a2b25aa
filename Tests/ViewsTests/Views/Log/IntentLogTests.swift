import Foundation
import Signals
import SignalsReplay
import SignalsTesting
import TestSupport
import Testing

/// The log of what a host was asked to do, and of what that changed.
@MainActor
@Suite struct `Views, the intent log` {
  struct Stop: Error {}

  private func screen() throws -> (app: TestHost, notes: [Note]) {
    let (store, notes) = try notes(2)
    @ObservedObject var first = notes[0]
    let (title, isDone) = ($first.title, $first.isDone)
    let app = try TestHost(store) {
      ListBox(id: "list", onMove: { notes[$0[0]].rank = $1 }) { ForEach(notes) { Text($0.title) } }
      TextField("Title", text: title, id: "title") { notes[0].rank += 1 }
      Toggle("Done", isOn: isDone, id: "done")
      Button("Fail", id: "fail") {
        notes[0].rank = 50
        throw Stop()
      }
      Button("Later", id: "later") {
        notes[0].rank = 7
        await Task.yield()
        notes[0].title = "later"
      }
      Text("keys").onKey("d") { try store.delete(notes[1]) }
    }
    return (app, notes)
  }

  @Test func `observers that outlive their host note commits of its store`() throws {
    let (store, notes) = try notes(1)
    let observers: [any IntentObserver]
    do {
      let app = try TestHost(store) { Text(notes[0].title) }
      app.host.intentLog = IntentLog()
      observers = app.host.intentObservers
    }
    notes[0].title = "later"
    // The recorder, and the record of signals, which has the addresses.
    #expect(observers.count == 2)
    #expect(notes[0].title == "later")
  }

  @Test func `there is none unless one is set`() throws {
    let (app, _) = try screen()
    try app.toggle("done", to: true)
    #expect(app.host.intentLog == nil)
    app.host.intentLog = IntentLog()
    #expect(app.host.intentLog?.entries == [])
    app.host.intentLog = nil
    try app.toggle("done", to: false)
    #expect(app.host.intentLog == nil)
    #expect(app.host.store.commitObservers.active == 0)
  }

  @Test func `each intent has its name, element, input and changes`() throws {
    let (app, _) = try screen()
    app.host.intentLog = IntentLog()
    try app.type("Emma", into: "title")
    try app.submit("title")
    try app.toggle("done", to: true)
    try app.move(from: 0, to: 1, in: "list")
    try app.press("d")
    let entries = try #require(app.host.intentLog?.entries)
    #expect(
      entries.map(\.name) == [
        "textField \"Title\"", "textField \"Title\"", "toggle \"Done\"", "listBox", "key d",
      ])
    #expect(entries.map(\.element) == ["title", "title", "done", "list", nil])
    #expect(
      entries.map(\.input) == [
        .text("Emma"), .submit, .flag(true), .move([0], toOffset: 2), .key("d"),
      ])
    let properties = entries.map { $0.changes.changes.flatMap(\.properties).map(\.name) }
    #expect(properties.prefix(4) == [["title"], ["rank"], ["isDone"], ["rank"]])
    #expect(entries.last?.changes.changes.map(\.kind) == [.deleted])
    #expect(entries.allSatisfy { $0.duration > .zero && $0.error == nil && !$0.isAsync })
  }

  @Test func `a refused intent is in it, with what it threw and without changes`() throws {
    let (app, _) = try screen()
    app.host.intentLog = IntentLog()
    #expect(throws: Stop.self) { try app.tap("fail") }
    let entry = try #require(app.host.intentLog?.entries.first)
    #expect((entry.error, entry.changes.isEmpty) == ("Stop()", true))
  }

  @Test func `what an intent sets off is part of its entry`() throws {
    let (app, notes) = try screen()
    let host = app.host
    let token = host.store.results(Note.self).observe { _ in
      try? host.perform(named: "follow") { notes[1].rank = notes[0].rank }
    }
    host.intentLog = IntentLog()
    try host.perform(named: "raise") {
      notes[0].rank = 9
      try host.perform { notes[0].title = "nested" }
    }
    let entries = try #require(host.intentLog?.entries)
    #expect(entries.map(\.name) == ["raise"])
    #expect(entries.first?.changes.changes.count == 2)
    token.cancel()
  }

  @Test func `a commit that no intent made is an entry of its own`() throws {
    let (app, notes) = try screen()
    app.host.intentLog = IntentLog()
    try app.host.store.write(origin: "network") { notes[0].rank = 3 }
    try app.host.store.write { try app.host.perform { notes[0].rank = 4 } }
    let entries = try #require(app.host.intentLog?.entries)
    #expect(entries.map(\.name) == ["commit", "commit"])
    #expect(entries[0].changes.origin == "network")
  }

  @Test func `an async intent is two entries, and each of its commits is one`() async throws {
    let (app, notes) = try screen()
    app.host.intentLog = IntentLog()
    try await app.tapAsync("later")
    notes[0].rank = 8
    let entries = try #require(app.host.intentLog?.entries)
    #expect(
      entries.map(\.title) == [
        "button \"Later\" #later begins", "commit", "commit", "button \"Later\" #later ends",
        "commit",
      ])
    #expect(entries.map(\.isAsync) == [true, false, false, true, false])
    #expect(entries[3].duration > entries[1].duration)
    let properties = entries.flatMap { $0.changes.changes.flatMap(\.properties).map(\.name) }
    #expect(properties == ["rank", "title", "rank"])
  }

  @Test func `another intent during one is an entry between its start and end`() async throws {
    let (app, _) = try screen()
    app.host.intentLog = IntentLog()
    try app.start("later")
    try app.toggle("done", to: true)
    while !app.host.workInFlight.isEmpty { await Task.yield() }
    let entries = try #require(app.host.intentLog?.entries)
    #expect(entries.map(\.kind) == [.beginning(1), .intent, .commit, .commit, .end(1)])
    #expect(entries[0].changes.isEmpty)
  }

  @Test func `it can be written down and read`() throws {
    let (app, _) = try screen()
    app.host.intentLog = IntentLog(start: app.host.store.snapshot())
    try app.type("Emma", into: "title")
    try app.submit("title")
    try app.toggle("done", to: true)
    try app.move(from: 1, to: 0, in: "list")
    #expect(throws: Stop.self) { try app.tap("fail") }
    try app.press("d")
    var log = try #require(app.host.intentLog)
    for index in log.entries.indices { log.entries[index].duration = .nanoseconds(1500) }
    let data = try JSONEncoder().encode(log)
    #expect(try JSONDecoder().decode(IntentLog.self, from: data) == log)
    let text = String(decoding: data, as: UTF8.self)
    #expect(text.contains(#""input":{"text":"Emma"}"#))
    #expect(text.contains(#""nanoseconds":1500"#))
    for input in [ElementInput.tap, .choice("a"), .key("q")] {
      let data = try JSONEncoder().encode([input])
      #expect(try JSONDecoder().decode([ElementInput].self, from: data) == [input])
    }
    for (text, said) in [
      ("{}", "has one key: tap, text,"), (#"{"tapp":true}"#, "has one key: tap, text,"),
      (#"{"tap":false}"#, "it stands with true"),
    ] {
      let error = #expect(throws: DecodingError.self) {
        try JSONDecoder().decode(ElementInput.self, from: Data(text.utf8))
      }
      #expect(error.map { "\($0)" }?.contains(said) == true)
    }
  }

  @Test func `it reads as lines`() throws {
    let (app, notes) = try screen()
    app.host.intentLog = IntentLog()
    try app.type("Emma", into: "title")
    #expect(throws: Stop.self) { try app.tap("fail") }
    var log = try #require(app.host.intentLog)
    for index in log.entries.indices { log.entries[index].duration = .microseconds(12) }
    #expect(
      log.description == """
        1 textField "Title" #title = "Emma" (12 µs)
        ~ Note \(notes[0].objectID)
            title: "note 0" -> "Emma"
        2 button "Fail" #fail: Stop() (12 µs)
        """)
  }
}
