import Signals
import SignalsTesting
import TestSupport
import Testing

/// What `TestHost` finds, does, and says.
@Suite struct `Test host` {
  private func screen() throws -> (app: TestHost, log: Count) {
    let log = Count(), text = Signal("a"), flag = Signal(false), choice = Signal("x")
    let app = try TestHost(Store()) {
      Column(id: "column") {
        Button("Save", id: "save") { log.log.append("saved") }
        TextField("Name", text: text.binding, id: "name")
        Toggle("Flag", isOn: flag.binding, id: "flag")
        Picker("Choice", selection: choice.binding, options: ["x", "y"], id: "choice")
      }
    }
    return (app, log)
  }

  @Test func `elements are found by id`() throws {
    let (app, _) = try screen()
    #expect(try app.find("save").kind == .button)
    #expect(try app.find("name").value == .text("a"))
    #expect(try app.find("column").children.count == 4)
    #expect(app.exists("flag") && !app.exists("flags"))
  }

  @Test func `elements are used by id`() throws {
    let (app, log) = try screen()
    try app.tap("save")
    try app.type("b", into: "name")
    try app.toggle("flag", to: true)
    try app.select("y", in: "choice")
    #expect(log.log == ["saved"])
    #expect(app.text == "[Save]\nName: [b]\n[x] Flag\nChoice: <y>")
    try app.tap("flag")
    #expect(app.text == "[Save]\nName: [b]\n[ ] Flag\nChoice: <y>")
    #expect((app.frames, app.bodies) == (5, 5))
  }

  @Test func `what goes wrong shows the screen`() async throws {
    let (app, _) = try screen()
    let error = TestHostError(
      error: .noElement("safe", nearest: ["save", "name", "flag"]), screen: app.text)
    #expect(throws: error) { try app.tap("safe") }
    #expect(throws: error) { try app.find("safe") }
    await #expect(throws: error) { try await app.tapAsync("safe") }
    #expect(
      error.description == """
        no element with the id "safe" is on screen; nearest: save, name, flag; on screen:
        [Save]
        Name: [a]
        [ ] Flag
        Choice: <x>
        """)
  }

  @Test func `an error of the intent reaches the test as it is`() throws {
    struct Stop: Error, Equatable {}
    let app = try TestHost(Store()) { Button("fail") { throw Stop() } }
    #expect(throws: Stop()) { try app.tap("fail") }
  }

  @Test func `an async intent of a key is pressed and waited for, or started`() async throws {
    let (store, notes) = try notes(1)
    let app = try TestHost(store) {
      Text("\(notes[0].rank)").onKey("r") {
        await Task.yield()
        notes[0].rank += 1
      }
      Text("off").onKey("x") { await Task.yield() }.disabled()
    }
    try await app.pressAsync("r")
    #expect(notes[0].rank == 1)
    await #expect(throws: TestHostError.self) { try await app.pressAsync("q") }
    await #expect(throws: TestHostError.self) { try await app.pressAsync("x") }
    #expect(throws: HostError.needsActor("the intent of \"key r\"")) {
      try app.start(pressing: "r")
    }
  }
}
