import Signals
import SignalsTesting
import TestSupport
import Testing

/// Elements whose async intents are under way.
@MainActor
@Suite struct `Views, busy elements` {
  struct Stop: Error, Equatable {}

  let journal = Journal()
  let door = Door()

  struct Load: View {
    let journal: Journal, door: Door
    var fails = false

    var body: Element {
      let (journal, door, fails) = (journal, door, fails)
      Column {
        Text("load")
        Button("Load", id: "load") {
          journal.note("begin")
          await door.pass()
          if fails { throw Stop() }
          try Task.checkCancellation()
        }
      }
    }
  }

  private func busy(_ app: TestHost) -> [String] {
    app.elements(where: \.isBusy).compactMap(\.id)
  }

  private func settled(_ app: TestHost) async {
    while !app.host.busyIntents.isEmpty { await Task.yield() }
  }

  @Test func `an element is busy from the beginning of its intent to its end`() async throws {
    let app = try TestHost(Store()) { Load(journal: journal, door: door) }
    #expect(busy(app) == [])
    try app.start("load")
    #expect(busy(app) == ["load"])
    #expect(app.text == "load\n[Load…]")
    #expect(app.tree.contains("button #load \"Load\" (busy)"))
    door.open()
    await settled(app)
    #expect(busy(app) == [])
    #expect(app.text == "load\n[Load]")
  }

  @Test func `it is busy as long as one of its intents is`() async throws {
    let app = try TestHost(Store()) { Load(journal: journal, door: door) }
    try app.start("load")
    try app.start("load")
    #expect(app.frames <= 3)
    door.open()
    await settled(app)
    #expect(busy(app) == [])
  }

  @Test func `it is busy no more when its intent has thrown or was cancelled`() async throws {
    let app = try TestHost(Store()) { Load(journal: journal, door: door, fails: true) }
    try app.start("load")
    #expect(busy(app) == ["load"])
    door.open()
    await settled(app)
    #expect(busy(app) == [])
    #expect(app.errors.count == 1)
  }

  @Test func `a cancelled intent leaves no busy element`() async throws {
    let app = try TestHost(Store()) { Load(journal: journal, door: door) }
    try app.start("load")
    app.host.cancelIntents("load")
    door.open()
    await settled(app)
    #expect(busy(app) == [])
  }

  @Test func `the scope of the element is named, and no body runs for it`() async throws {
    let log = FrameLog()
    let host = ViewHost(Store(), renderer: log) { Load(journal: journal, door: door) }
    let bodies = host.bodies
    try host.start("load")
    #expect(log.frames.count == 2)
    let changed = try #require(log.frames[1].changed.first { _ in true })
    #expect(log.frames[1].changed.count == 1)
    #expect(
      log.frames[1].namedElements(of: changed).filter(\.element.isBusy).map(\.id.description) == [
        "Load#load"
      ])
    door.open()
    while !host.busyIntents.isEmpty { await Task.yield() }
    #expect(log.frames.count == 3)
    #expect(host.bodies == bodies)
  }

  @Test func `of several elements with one id only that which was used is busy`() async throws {
    let app = try TestHost(Store()) {
      ForEach([1, 2], id: \.self) { _ in Load(journal: journal, door: door) }
    }
    let loads = app.elements { $0.id == "load" }
    try app.start(loads[1])
    #expect(app.elements { $0.id == "load" }.map(\.isBusy) == [false, true])
    door.open()
    await settled(app)
    #expect(busy(app) == [])
  }

  @Test func `an element that goes while it is busy leaves nothing`() async throws {
    let isShown = Signal(true)
    let app = try TestHost(Store()) {
      if isShown.value { Load(journal: journal, door: door) }
    }
    try app.start("load")
    isShown.value = false
    isShown.value = true
    #expect(busy(app) == [], "it is another one")
    door.open()
    await settled(app)
    #expect(busy(app) == [])
  }

  @Test func `a body that runs during the intent shows it busy`() async throws {
    let text = Signal("a")
    let app = try TestHost(Store()) {
      Text(text.value)
      Button("go", id: "go") { await door.pass() }
    }
    try app.start("go")
    text.value = "b"
    #expect(app.text == "b\n[go…]")
    door.open()
    await settled(app)
    #expect(app.text == "b\n[go]")
  }
}
