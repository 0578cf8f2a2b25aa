import Foundation
import Signals
import SignalsReplay
import SignalsTesting
import TestSupport
import Testing

/// What a replay compares besides the graph: what is on screen, the focus, and what was thrown.
@Suite struct `Views, replayed frames` {
  private struct Sign: View {
    let sign: String
    @Focus var focus
    @State var isOn = false
    @State var text = ""
    var body: Element {
      Toggle("On", isOn: $isOn, id: "on")
      TextField("Text", text: $text)
      Text("\(sign)\(isOn)")
      for name in ["a", "b"] { Button("Say", id: nil) { text = name } }
      Element(kind: .button, text: "Nameless", action: .tap { text = "nameless" })
      Text("keys").onKey("k") { isOn.toggle() }
    }
  }

  private func app(_ sign: String = "", keepingScreens: Bool = false) throws -> TestHost {
    let app = try TestHost(Store()) { Sign(sign: sign) }
    app.intentLog = IntentLog(start: app.host.store.snapshot(), keepingScreens: keepingScreens)
    return app
  }

  /// Through its encoding, as it gets to where it is replayed.
  private func log(of app: TestHost) throws -> IntentLog {
    let data = try JSONEncoder().encode(try #require(app.intentLog))
    let log = try JSONDecoder().decode(IntentLog.self, from: data)
    #expect(log == app.intentLog)
    return log
  }

  @Test func `a screen that shows something else fails the replay`() throws {
    let first = try app()
    try first.toggle("on", to: true)
    let log = try log(of: first)
    #expect(log.entries[0].frame != nil && log.entries[0].screen == nil)
    let other = try app("not ")
    let error = try #require(throws: ReplayError.self) { try other.host.replay(log) }
    #expect(error.expected.changes == error.found.changes)
    #expect(error.description.hasSuffix("in the log:\nanother screen\nnow:\nanother screen"))
    try app("not ").host.replay(log, comparingFrames: false)
    try app().host.replay(log)
  }

  @Test func `a log that keeps screens tells what is different there`() throws {
    let first = try app(keepingScreens: true)
    try first.toggle("on", to: true)
    let log = try log(of: first)
    let messages = try issues { try app("not ").replay(log) }
    let message = try #require(messages.first)
    #expect(message.contains("- text \"true\"\n+ text \"not true\"\n"))
    #expect(messages.count == 1)
  }

  @Test func `moves of the focus are entries, unless an intent makes them`() throws {
    let first = try app()
    first.host.focusNext()
    first.host.focusNext()
    try first.host.perform(named: "lose") { first.host.focus = nil }
    first.host.focus = "Text"
    first.host.focus = "Text"
    let log = try log(of: first)
    #expect(log.entries.map(\.name) == ["focus", "focus", "lose", "focus"])
    #expect(log.entries.map(\.element) == ["on", "Text", nil, "Text"])
    let again = try app()
    try again.host.replay(log) { entry in
      if entry.name == "lose" { try again.host.perform { again.host.focus = nil } }
      return entry.name == "lose"
    }
    #expect(again.host.focus == "Text")
  }

  @Test func `a focus that an intent is not there to move is a difference`() throws {
    let first = try app()
    try first.host.perform(named: "find") { first.host.focus = "Text" }
    let log = try log(of: first)
    #expect(throws: ReplayError.self) { try app().host.replay(log) }
  }

  @Test func `elements without an id, or with one that others have, are found by their place`()
    throws
  {
    let first = try app()
    let same = first.elements { $0.text == "Say" }
    try first.tap(same[1])
    #expect(first.text.contains("[b]"))
    try first.tap(try first.find(.button, text: "Nameless"))
    #expect(first.text.contains("[nameless]"))
    try first.tap(try first.find("on"))
    let log = try log(of: first)
    #expect(log.entries.map(\.element) == ["Say", nil, "on"])
    #expect(log.entries.map(\.place) == [[1], [0], nil])
    let again = try app()
    try again.host.replay(log)
    #expect(again.history == first.history)
  }

  @Test func `intents in a batch are entries of one turn, and one frame again`() throws {
    let first = try app()
    try batch {
      try first.toggle("on", to: true)
      try first.type("x", into: "Text")
    }
    try first.press("k")
    let log = try log(of: first)
    #expect(log.entries.map(\.isSameBatch) == [false, true, false])
    #expect(log.entries.map { $0.frame == nil } == [true, false, false])
    let again = try app()
    try again.host.replay(log)
    #expect(again.history == first.history)
  }

  @Test func `in a batch it compares what changed, and no frames`() throws {
    let first = try app()
    try first.type("x", into: "Text")
    try first.press("k")
    let log = try log(of: first)
    let again = try app("not ")
    try batch { try again.host.replay(log) }
    #expect(again.text.contains("[x]"))
  }

  @Test func `a frame that a clock has not allowed is not compared`() throws {
    let clock = FrameClock.manual
    let first = try TestHost(Store(), clock: clock) { Sign(sign: "") }
    first.intentLog = IntentLog()
    try first.toggle("on", to: true)
    #expect(first.intentLog?.entries.map(\.frame) == [nil])
    try app().host.replay(try #require(first.intentLog))
  }

  @Test func `errors are compared but for the numbers of objects`() throws {
    func mount(_ store: Store) throws -> TestHost {
      try TestHost(store) {
        Button("Add") {
          let note = Note()
          note.number = 0
          try store.add(note)
        }
      }
    }
    let (store, _) = try notes(1)
    let first = try mount(store)
    first.intentLog = IntentLog(start: store.snapshot())
    #expect(throws: StoreError.self) { try first.tap("Add") }
    let log = try log(of: first)
    #expect(log.entries[0].error != nil)
    try mount(Store(try #require(log.start))).host.replay(log)
  }

  @Test func `setting the log continues it, and what is replayed is in it too`() throws {
    let first = try app()
    try first.toggle("on", to: true)
    first.intentLog?.entries.removeAll()
    try first.type("x", into: "Text")
    #expect(first.intentLog?.entries.map(\.element) == ["Text"])
    let again = try app()
    try again.toggle("on", to: true)
    try again.host.replay(try log(of: first), comparingFrames: false)
    #expect(again.intentLog?.entries.map(\.element) == ["on", "Text"])
  }
}
