import Foundation
import ScrumsApp
import ScrumsModel
import Signals
import SignalsReplay
import SignalsTesting
import Testing

/// Killed at any moment, an app comes back where it was: from the file that it wrote last.
@MainActor
@Suite(.leavesNothing) struct `An app that is killed` {
  /// Something a user does, in every part of the app.
  private static let steps: [@MainActor (Mounted) throws -> Void] = [
    { try $0.tap("Design") },
    { try $0.app.tap("edit") },
    { try $0.app.type("Redesign", into: "title") },
    { try $0.app.type("0", into: "minutes") },
    { try $0.app.type("12", into: "minutes") },
    { try $0.app.select("Teal", in: "color") },
    { try $0.app.tap("remove-1") },
    { try $0.app.type("Lee", into: "new-attendee") },
    { try $0.app.tap("add-attendee") },
    { try $0.app.tap("save") },
    { try $0.app.tap("start") },
    { $0.clock.advance(by: .seconds(200)) },
    { try $0.app.type("Slow", into: "notes") },
    { try $0.app.tap("skip") },
    { $0.clock.advance(by: .seconds(10)) },
    { try $0.app.tap("end") },
    { try $0.app.tap("back") },
    { try $0.app.tap("add") },
    { try $0.app.type("Retro", into: "title") },
    { try $0.addAttendee("Ann") },
    { try $0.app.tap("save") },
    { try $0.app.tap("delete") },
  ]

  /// A file, written and read as a process would.
  private func throughFile(_ snapshot: Snapshot) throws -> Snapshot {
    let file = FileManager.default.temporaryDirectory.appending(path: "scrums-\(UUID()).json")
    defer { try? FileManager.default.removeItem(at: file) }
    try JSONEncoder().encode(snapshot).write(to: file)
    return try JSONDecoder().decode(Snapshot.self, from: Data(contentsOf: file))
  }

  @Test(arguments: Style.allCases)
  func `after each step comes back to the same screen, and continues from there`(
    _ style: Style
  ) throws {
    let undisturbed = try Mounted(style)
    var last: Snapshot?
    for (number, step) in Self.steps.enumerated() {
      try step(undisturbed)
      let killed = try Mounted(style, last)
      try step(killed)
      let snapshot = try throughFile(killed.store.snapshot())
      last = snapshot
      let restored = try Mounted(style, snapshot)
      #expect(restored.app.text == undisturbed.app.text, "step \(number)")
    }
  }

  /// What one does and where one then is are two commits: whoever saves after each must not save between them.
  @Test(arguments: Style.allCases)
  func `and saves after each commit does nothing twice`(_ style: Style) throws {
    let mounted = try Mounted(style)
    var snapshots: [Snapshot] = []
    let store = mounted.store
    let token = store.commits.sink { [unowned store] _ in snapshots.append(store.snapshot()) }
    for step in Self.steps.dropLast() { try step(mounted) }
    token.cancel()
    for snapshot in snapshots {
      let restored = try Mounted(style, snapshot)
      // Whatever was under way is finished, maybe for the second time.
      if restored.app.exists("end") { try restored.app.tap("end") }
      if restored.app.exists("save") { try? restored.app.tap("save") }
      let scrums = restored.store.results(DailyScrum.self)
      #expect(scrums.allSatisfy { $0.history.count <= 1 })
      #expect(scrums.filter { $0.title == "Retro" }.count <= 1)
      #expect(scrums.count <= 4)
    }
    #expect(snapshots.count > Self.steps.count)
  }

  @Test(arguments: Style.allCases, [1 as UInt64, 2])
  func `whatever was done comes back to the same screen`(_ style: Style, _ seed: UInt64) throws {
    try Monkey(seed: seed, allowing: { $0 is InvalidDraftError }).run(
      100,
      invariants: [
        "a relaunch shows the same": { app in
          let restored = try Mounted(style, app.host.store.snapshot())
          return restored.app.text == app.text
        }
      ]
    ) { try Mounted(style).app }
  }

  @Test(arguments: Style.allCases)
  func `can be told from its log what it did`(_ style: Style) throws {
    let mounted = try Mounted(style)
    mounted.app.intentLog = IntentLog(start: mounted.store.snapshot())
    for step in Self.steps.prefix(16) { try step(mounted) }
    let log = try #require(mounted.app.intentLog)
    let again = try Mounted(style, log.start)
    try again.app.replay(log)
    #expect(again.app.text == mounted.app.text)
  }

  @Test(arguments: Style.allCases, Style.allCases)
  func `in one style comes back in any other`(_ style: Style, _ other: Style) throws {
    let mounted = try Mounted(style)
    for step in Self.steps.prefix(8) { try step(mounted) }
    let restored = try Mounted(other, mounted.store.snapshot())
    #expect(restored.app.text == mounted.app.text)
  }

  @Test(arguments: Style.allCases)
  func `in a form still says what a save was refused for`(_ style: Style) throws {
    let mounted = try Mounted(style)
    try mounted.app.tap("add")
    #expect(throws: InvalidDraftError.self) { try mounted.app.tap("save") }
    let restored = try Mounted(style, throughFile(mounted.store.snapshot()))
    #expect(restored.app.text == mounted.app.text)
    #expect(restored.app.text.contains("! A scrum needs a title"))
  }

  @Test(arguments: Style.allCases)
  func `in a form asks about what others have changed too`(_ style: Style) throws {
    let mounted = try Mounted(style)
    try mounted.edit("Design")
    try mounted.app.type("Redesign", into: "title")
    let store = Store(mounted.store.snapshot())
    try #require(store.results(DailyScrum.self).first { $0.title == "Design" }).title = "Theirs"
    let restored = try Mounted(style, store.snapshot())
    #expect(throws: StoreError.self) { try restored.app.tap("save") }
    #expect(restored.scrum("Theirs") != nil && restored.app.text.contains("Title: [Redesign]"))
  }

  @Test(arguments: Style.allCases)
  func `in a form takes back nothing that others have changed since`(_ style: Style) throws {
    let mounted = try Mounted(style)
    try mounted.edit("Design")
    try mounted.app.type("Redesign", into: "title")
    let store = Store(mounted.store.snapshot())
    try #require(store.results(DailyScrum.self).first { $0.title == "Design" }).minutes = 30
    let restored = try Mounted(style, store.snapshot())
    // The form shows what it showed, and saves what was changed there.
    #expect(restored.app.text.hasPrefix("Edit Design\nTitle: [Redesign]\nMinutes: [10]\n"))
    try restored.app.tap("save")
    #expect(restored.app.text.hasPrefix("Redesign\n30 min, Orange\n"))
  }

  @Test(arguments: Style.allCases)
  func `in a meeting continues with the time that it had`(_ style: Style) throws {
    let mounted = try Mounted(style)
    try mounted.tap("Design")
    try mounted.app.tap("start")
    mounted.clock.advance(by: .seconds(149))
    let restored = try Mounted(style, mounted.store.snapshot())
    #expect(restored.app.text.contains("2:29 elapsed"))
    restored.clock.advance(by: .seconds(1))
    #expect(restored.app.text.contains("2:30 elapsed, 7:30 left\nSpeaker 2: Daisy"))
  }

  @Test func `a screen that another version kept costs no scrums`() throws {
    let mounted = try Mounted(.mvi)
    try mounted.tap("Design")
    let data = try JSONEncoder().encode(mounted.store.snapshot())
    let newer = String(decoding: data, as: UTF8.self)
      .replacing("\"detail\"", with: "\"somethingNew\"")
    let snapshot = try JSONDecoder().decode(Snapshot.self, from: Data(newer.utf8))
    #expect(try Mounted(.mvi, snapshot).app.text.hasPrefix("Daily scrums: 3"))
  }
}
