import Signals
import SignalsTesting
import TestSupport
import Testing

/// All that can be done with an element that was found, whatever its id.
@Suite struct `Test host, using what was found` {
  @Test func `fields, toggles and pickers of rows are used without ids`() throws {
    let texts = Signal(["a", "b"]), flags = Signal([false, false]), log = Count()
    let choice = Signal("x")
    let app = try TestHost(Store()) {
      for number in 0..<2 {
        TextField("Name", text: texts.binding[number]) { log.log.append("submit \(number)") }
        Toggle("On", isOn: flags.binding[number])
      }
      Picker("Size", selection: choice.binding, options: ["x", "y"])
    }
    let field = { app.elements { $0.kind == .textField }[1] }
    try app.type("new", into: field())
    try app.submit(field())
    try app.toggle(app.elements { $0.kind == .toggle }[1], to: true)
    try app.select("y", in: app.find(.picker))
    #expect((texts.value, flags.value, choice.value) == (["a", "new"], [false, true], "y"))
    #expect(log.log == ["submit 1"])
  }

  @Test func `async intents of equal titles are started and awaited`() async throws {
    try await SteppingActor.run { stage in
      let log = Count()
      let app = try TestHost(Store()) {
        for number in 0..<2 {
          Button("Load") {
            await Task.yield()
            log.log.append("\(number)")
          }
        }
      }
      try app.start(app.elements { $0.text == "Load" }[1])
      #expect(app.unfinishedWork == ["the intent of \"Load\""])
      await stage.settle()
      try await app.tapAsync(app.elements { $0.text == "Load" }[0])
      #expect(log.log == ["1", "0"])
    }
  }

  @Test func `what another host refuses an intent reaches the test as it is`() throws {
    let other = try TestHost(Store()) { Text("") }
    let app = try TestHost(Store()) {
      Button("go") { try other.host.perform("gone") }
      Text("").onKey("q") { try other.host.perform("gone") }
    }
    let error = HostError.noElement("gone", nearest: [])
    #expect(throws: error) { try app.tap("go") }
    #expect(throws: error) { try app.press("q") }
  }

  @Test func `a place that is not there is named as in the call`() throws {
    let app = try TestHost(Store()) {
      ListBox(id: "list", onMove: { _, _ in }) {
        ForEach(["a", "b"], id: \.self) { Text($0) }
      }
      Text("c", id: "text")
    }
    func refusal(_ body: () throws -> Void) -> HostError? {
      do {
        try body()
        return nil
      } catch { return (error as? TestHostError)?.error }
    }
    #expect(
      refusal { try app.move(from: 0, to: 2, in: "list") }
        == .noRow("list", offset: 2, count: 2))
    #expect(
      refusal { try app.move(from: 0, to: 1, in: "text") }
        == .wrongInput("text", kind: .text, .move([], toOffset: 0)))
    #expect(refusal { try app.move(from: 0, to: 1, in: app.find(.listBox)) } == nil)
  }
}
