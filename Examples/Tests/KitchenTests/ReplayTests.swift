import Foundation
import KitchenApp
import Shell
import Signals
import SignalsReplay
import SignalsTerminal
import SignalsTesting
import Testing

@MainActor
@Suite(.leavesNothing) struct `A recorded session` {
  private let folder = FileManager.default.temporaryDirectory.appending(path: "kitchen \(UUID())")
  private var file: URL { folder.appending(path: "service.log") }
  private var path: String { file.path(percentEncoded: false) }

  /// Runs a body with a folder for its files.
  private func inFolder(_ body: () throws -> Void) throws {
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    try body()
  }

  /// Records a session with elements, lines, time, undo, a search, and refusals.
  private func record() throws -> IntentLog {
    let kitchen = try Mounted()
    let (app, clock) = (kitchen.app, kitchen.clock)
    let log = try SessionLog(file, of: app.host, kitchen.service, clock: clock)
    kitchen.service.follow(clock)
    try kitchen.perform(["order 4 2 tomato soup", "order 7 burrata"])
    try app.tap("menu")
    try app.type("steak", into: "search")
    try app.submit("search")
    try app.type("risotto", into: "search")
    clock.advance(by: .milliseconds(300))
    try app.tap("order-mushroom risotto")
    try app.type("", into: "search")
    clock.advance(by: .seconds(60 * 16))
    #expect(throws: KitchenError.self) { try kitchen.perform(["order 1 4 burrata"]) }
    try app.tap("order-steak")
    try app.tap("undo")
    try kitchen.perform(["spoil 1 steak", "undo", "redo", "pay 4"])
    try app.tap("pass")
    try app.tap("serve-stove")
    try log.write()
    return try #require(app.intentLog)
  }

  /// Replays the file and returns the failure's status and message.
  private func failure() throws -> (Int32, String)? {
    do {
      _ = try SessionLog.replay(file)
      return nil
    } catch let failure as Failure { return (failure.status, failure.message) }
  }

  @Test func `it has the same result again`() throws {
    try inFolder {
      let log = try record()
      let searches = log.entries.filter { $0.kind == .signal }.map(\.input)
      #expect(searches.starts(with: [.text("risotto"), .text("")]))
      #expect(
        try SessionLog.replay(file) == "\(path): \(log.entries.count) entries, the same result")
    }
  }

  @Test func `keys, clicks and moves of the focus are repeated too`() throws {
    try inFolder {
      let store = Store()
      let clock = ManualClock()
      try Kitchen.sample(in: store, withOrders: true)
      let service = try Service(store, clock: clock)
      let screen = TerminalScreen(store) { KitchenTerminal(service) }
      let log = try SessionLog(file, of: screen.host, service, clock: clock)
      service.follow(clock)
      screen.press("down", "tab", "return", "p", "/")
      screen.type("sor")
      clock.advance(by: .seconds(60))
      screen.press("down", "return", "return", "return", "?", "escape", "u", "h", "r")
      screen.click(x: 1, y: 0)
      try log.write()
      #expect(store.object(Dish.self, primaryKey: "lemon sorbet")?.stock == 0)
      #expect(try SessionLog.replay(file).hasSuffix(" entries, the same result"))
      #expect(screen.host.intentLog?.entries.contains { $0.kind == .commit } == true)
    }
  }

  @Test func `the file is written during the session`() throws {
    try inFolder {
      let kitchen = try Mounted()
      let log = try SessionLog(file, of: kitchen.app.host, kitchen.service, clock: kitchen.clock)
      let before = try Data(contentsOf: file)
      try kitchen.perform(["order 4 steak"])
      kitchen.clock.advance(by: .milliseconds(999))
      #expect(try Data(contentsOf: file) == before)
      kitchen.clock.advance(by: .milliseconds(1))
      #expect(try SessionLog.replay(file) == "\(path): 1 entries, the same result")
      withExtendedLifetime(log) {}
    }
  }

  @Test func `an entry with another result is named`() throws {
    try inFolder {
      var log = try record()
      let place = try #require(log.entries.firstIndex { $0.name == "pay 4" })
      log.entries[place].name = "pay 7"
      try JSONEncoder().encode(log).write(to: file)
      let (status, message) = try #require(try failure())
      #expect(status == 1)
      #expect(message.hasPrefix("\(path): another result: entry \(place + 1), pay 7, "))
    }
  }

  @Test func `a damaged log is named, and left as it is`() throws {
    try inFolder {
      _ = try record()
      let whole = try Data(contentsOf: file)
      for length in [0, 1, whole.count / 2, whole.count - 1] {
        try whole.prefix(length).write(to: file)
        let (status, message) = try #require(try failure())
        #expect(status == 65)
        #expect(message.hasPrefix("can't read \(path): "))
        #expect(try Data(contentsOf: file) == whole.prefix(length))
      }
      try JSONEncoder().encode(IntentLog()).write(to: file)
      #expect(try failure()?.1 == "can't read \(path): the store at its start is missing")
      try JSONEncoder().encode(IntentLog(start: Store().snapshot())).write(to: file)
      #expect(try failure()?.1 == "can't read \(path): there is no kitchen in it")
    }
  }

  @Test func `a log doesn't overwrite a file`() throws {
    try inFolder {
      try Data("mine".utf8).write(to: file)
      let kitchen = try Mounted()
      let error = #expect(throws: Failure.self) {
        try SessionLog(file, of: kitchen.app.host, kitchen.service, clock: kitchen.clock)
      }
      #expect(error?.message == "\(path) exists; a log begins a new file")
      #expect(try String(contentsOf: file, encoding: .utf8) == "mine")
    }
  }
}
