import Signals
import SignalsTesting
import TestSupport
import Testing

/// Async intents under way: `busyIntents`, cancellation, overlapping.
@MainActor
@Suite struct `Views, busy intents` {
  struct Stop: Error, Equatable {}

  struct Status: View {
    @Environment(\.busyIntents) private var busy
    var body: Element { Text("busy: \(busy.joined(separator: " "))") }
  }

  let journal = Journal()
  let door = Door()

  private func screen() throws -> TestHost {
    let (journal, door) = (journal, door)
    return try TestHost(Store()) {
      Status()
      for id in ["a", "b"] {
        Button(id) {
          journal.note("begin \(id)")
          await door.pass()
          journal.note("end \(id) \(Task.isCancelled)")
          try Task.checkCancellation()
        }
      }
    }
  }

  @Test func `a view shows which intents are under way`() async throws {
    let app = try screen()
    #expect(app.text == "busy: \n[a]\n[b]")
    try app.start("a")
    #expect(app.text == "busy: a\n[a…]\n[b]")
    try app.start("b")
    try app.start("a")
    #expect(app.text == "busy: a b a\n[a…]\n[b…]")
    #expect(app.host.busyIntents == ["a", "b", "a"])
    _ = await journal.entries(3)
    door.open()
    #expect(await journal.entries(6).suffix(3).allSatisfy { $0.hasPrefix("end") })
    while !app.host.busyIntents.isEmpty { await Task.yield() }
    #expect(app.text == "busy: \n[a]\n[b]")
    #expect(app.errors.isEmpty)
  }

  @Test func `on an actor intents overlap`() async throws {
    let app = try screen()
    try app.start("a")
    try app.start("b")
    #expect(await journal.entries(2).sorted() == ["begin a", "begin b"])
    door.open()
    _ = await journal.entries(4)
  }

  @Test func `an intent is cancelled by its id, and busy until it has ended`() async throws {
    let app = try screen()
    try app.start("a")
    try app.start("b")
    _ = await journal.entries(2)
    #expect(app.host.cancelIntents("a"))
    #expect(!app.host.cancelIntents("c"))
    #expect(app.host.busyIntents == ["a", "b"])
    door.open()
    #expect(await journal.entries(4).suffix(2).sorted() == ["end a true", "end b false"])
    while !app.host.busyIntents.isEmpty { await Task.yield() }
    #expect(app.errors.isEmpty, "what a cancelled intent throws is dropped")
  }

  @Test func `an intent that is cancelled before it starts does not run`() async throws {
    let app = try screen()
    try app.start("a")
    app.host.cancelIntents()
    #expect(app.host.busyIntents == [])
    for _ in 0..<100 { await Task.yield() }
    #expect(journal.entries == [])
  }

  @Test func `a cancelled intent throws to its caller what it throws`() async throws {
    let app = try screen()
    let host = app.host
    let stopping = Task {
      _ = await journal.entries(1)
      host.cancelIntents("a")
      door.open()
    }
    await #expect(throws: CancellationError.self) { try await app.tapAsync("a") }
    await stopping.value
    #expect(journal.entries == ["begin a", "end a true"])
    #expect(app.errors.isEmpty && app.host.busyIntents == [])
  }

  @Test func `cancelling its caller cancels an intent`() async throws {
    let app = try screen()
    let caller = Task { try await app.tapAsync("a") }
    _ = await journal.entries(1)
    caller.cancel()
    door.open()
    await #expect(throws: CancellationError.self) { try await caller.value }
    #expect(journal.entries == ["begin a", "end a true"])
  }

  @Test func `the end of the host cancels all`() async throws {
    var app: TestHost? = try screen()
    try app?.start("a")
    _ = await journal.entries(1)
    app = nil
    door.open()
    #expect(await journal.entries(2) == ["begin a", "end a true"])
  }

  @Test func `without an actor one runs at a time, in its caller's task`() async throws {
    final class Box { var app: TestHost? }
    let box = Box(), journal = journal
    box.app = try TestHost(Store(), isolation: nil) {
      Status()
      Button("outer") {
        journal.note(box.app?.text ?? "")
        await #expect(throws: HostError.busy("inner")) {
          try await box.app?.host.performAsync("inner")
        }
        #expect(box.app?.host.cancelIntents("outer") == false, "nobody else could ask")
      }
      Button("inner") { await Task.yield() }
    }
    #expect(throws: HostError.needsActor(#"the intent of "outer""#)) {
      try box.app?.host.start("outer")
    }
    try await box.app?.tapAsync("outer")
    #expect(journal.entries == ["busy: outer\n[outer…]\n[inner]"])
    #expect(box.app?.text == "busy: \n[outer]\n[inner]")
    box.app = nil
  }

  @Test func `start runs a synchronous intent at once, and hands errors to handlers`() async throws
  {
    let journal = journal
    let app = try TestHost(Store()) {
      Button("sync") { journal.note("sync") }
      Button("fail") {
        await Task.yield()
        throw Stop()
      }.onError { _ in journal.note("handled") }
    }
    try app.start("sync")
    #expect(journal.entries == ["sync"])
    try app.start("fail")
    #expect(await journal.entries(2) == ["sync", "handled"])
  }

  @Test func `who does not read it is not evaluated for it`() async throws {
    let app = try TestHost(Store()) { Button("a") { await Task.yield() } }
    try await app.tapAsync("a")
    #expect((app.bodies, app.frames) == (1, 3))
  }

  @Test func `outside of a host nothing is busy`() {
    #expect(EnvironmentValues().busyIntents == [])
  }
}
