import Foundation
import ScrumsApp
import ScrumsModel
import Signals
import SignalsTesting
import Testing

/// Fetching from a service: step by step, on a clock that the test moves.
@Suite(.leavesNothing) struct `Scrums from a service` {
  typealias Down = ScriptedService.Down

  @Test(arguments: Style.allCases)
  func `known scrums are brought up to date, new ones added, none removed`(
    _ style: Style
  ) async throws {
    try await SteppingActor.run { stage in
      let service = ScriptedService([
        .samples { records in
          records[0].title = "Design & Art"
          records[0].color = .teal
          records.remove(at: 1)
          records.append(
            ScrumRecord(DailyScrum("Ops", minutes: 3, color: .yellow, attendees: ["Ida"])))
        }
      ])
      let mounted = try Mounted(style, nil, service)
      let design = try #require(mounted.scrum("Design"))
      let components = design.colorComponents
      try await mounted.app.tapAsync("refresh")
      #expect(mounted.scrum("Design & Art") === design)
      #expect(design.colorComponents === components)
      #expect(design.color == .teal)
      #expect(
        mounted.store.results(DailyScrum.self).map(\.title).sorted()
          == ["App Dev", "Design & Art", "Ops", "Web Dev"])
      #expect(!mounted.store.canUndo)
    }
  }

  @Test(arguments: Style.allCases)
  func `what only this device knows stays`(_ style: Style) async throws {
    try await SteppingActor.run { stage in
      let mounted = try Mounted(style)
      try mounted.tap("Design")
      try mounted.app.tap("start")
      try mounted.app.tap("end")
      try mounted.app.tap("back")
      let past = try #require(mounted.scrum("Design")?.history[0])
      try await mounted.app.expectNoChange { try await mounted.app.tapAsync("refresh") }
      #expect(mounted.scrum("Design")?.history.first === past)
    }
  }

  @Test(arguments: Style.allCases)
  func `it tries again, and waits longer each time`(_ style: Style) async throws {
    try await SteppingActor.run { stage in
      let service = ScriptedService([
        .failure(Down()), .failure(Down()), .samples { $0[0].title = "Design 2" },
      ])
      let mounted = try Mounted(style, nil, service)
      try mounted.app.start("refresh")
      await stage.settle()
      #expect(mounted.app.text.hasPrefix("Daily scrums: 3\nRefreshing…\n"))
      #expect((service.calls, mounted.clock.waiting) == (1, 1))
      mounted.clock.advance(by: .milliseconds(1000))
      await stage.settle()
      #expect((service.calls, mounted.clock.waiting) == (2, 1))
      mounted.clock.advance(by: .milliseconds(1999))
      await stage.settle()
      #expect(service.calls == 2)
      mounted.clock.advance(by: .milliseconds(1))
      await stage.settle()
      #expect(service.calls == 3)
      #expect(mounted.app.text.contains("[Design 2]"))
      #expect(!mounted.app.text.contains("Refreshing"))
    }
  }

  @Test(arguments: Style.allCases)
  func `when all attempts fail that is said, and what there was stays`(
    _ style: Style
  ) async throws {
    try await SteppingActor.run { stage in
      let mounted = try Mounted(style, nil, ScriptedService([.failure(Down())]))
      try mounted.app.start("refresh")
      await stage.settle()
      mounted.clock.advance(by: .seconds(1))
      await stage.settle()
      mounted.clock.advance(by: .seconds(2))
      await stage.settle()
      #expect(mounted.app.text.hasPrefix("Daily scrums: 3\nCould not refresh: Down()\n[App Dev]"))
    }
  }

  @Test(arguments: Style.allCases)
  func `it does not wait without end`(_ style: Style) async throws {
    try await SteppingActor.run { stage in
      let mounted = try Mounted(style, nil, SilentService())
      try mounted.app.start("refresh")
      for seconds in [10, 1, 10, 2, 10] {
        await stage.settle()
        #expect(mounted.app.text.hasPrefix("Daily scrums: 3\nRefreshing…\n"))
        mounted.clock.advance(by: .seconds(seconds))
      }
      await stage.settle()
      #expect(mounted.app.text.contains("Could not refresh: NoAnswer(time: 10.0 seconds)\n"))
    }
  }

  @Test(arguments: Style.allCases)
  func `offline there is what the service said the last time`(_ style: Style) async throws {
    let cache = FileManager.default.temporaryDirectory.appending(path: "scrums-\(UUID()).json")
    defer { try? FileManager.default.removeItem(at: cache) }
    try await SteppingActor.run { stage in
      let online = ScriptedService([.samples { $0[0].title = "Design 2" }])
      let first = try Mounted(style, nil, online, cache: cache)
      try await first.app.tapAsync("refresh")
      // Another run, that never reached the service.
      let mounted = try Mounted(style, nil, ScriptedService([.failure(Down())]), cache: cache)
      try mounted.app.start("refresh")
      for pause in [0, 1, 2] {
        mounted.clock.advance(by: .seconds(pause))
        await stage.settle()
      }
      #expect(
        mounted.app.text.hasPrefix("Daily scrums: 3\nOffline: the scrums of the last time\n"))
      #expect(mounted.app.text.contains("[Design 2]"))
    }
  }

  @Test(arguments: Style.allCases)
  func `stopped, it changes nothing, and can be started again`(_ style: Style) async throws {
    try await SteppingActor.run { stage in
      let service = ScriptedService([.failure(Down()), .samples { $0[0].title = "Design 2" }])
      let mounted = try Mounted(style, nil, service)
      let before = mounted.app.text
      try mounted.app.start("refresh")
      await stage.settle()
      try mounted.app.tap("stop")
      await stage.settle()
      #expect(mounted.app.text == before)
      #expect((service.calls, mounted.clock.waiting) == (1, 0))
      try await mounted.app.tapAsync("refresh")
      #expect(mounted.app.text.contains("[Design 2]"))
    }
  }

  @Test func `a file is a service, and one that is none says why`() async throws {
    let file = FileManager.default.temporaryDirectory.appending(path: "scrums-\(UUID()).json")
    let service = FileService(file)
    func problem() async -> String? {
      do { _ = try await service.scrums() } catch { return "\(error)" }
      return nil
    }
    #expect(await problem() == "can't read \(file.path()): No such file or directory")
    let records = Scrums.samples().map(ScrumRecord.init)
    try JSONEncoder().encode(records).write(to: file)
    defer { try? FileManager.default.removeItem(at: file) }
    #expect(try await service.scrums() == records)
    try Data("[{}]".utf8).write(to: file)
    #expect(await problem()?.hasPrefix("can't read \(file.path()): 0: No value ") == true)
  }

  @Test(arguments: Style.allCases)
  func `undo leaves what a refresh has brought since`(_ style: Style) async throws {
    try await SteppingActor.run { stage in
      let mounted = try Mounted(style, nil, ScriptedService([.samples { $0[0].minutes = 30 }]))
      try mounted.edit("Design")
      try mounted.app.type("20", into: "minutes")
      try mounted.app.tap("save")
      try mounted.app.tap("back")
      try await mounted.app.tapAsync("refresh")
      #expect(mounted.scrum("Design")?.minutes == 30)
      try mounted.store.undo(onConflict: .theirs)
      #expect(mounted.scrum("Design")?.minutes == 30)
    }
  }
}
