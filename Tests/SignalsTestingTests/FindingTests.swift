import Signals
import SignalsTesting
import TestSupport
import Testing

/// Elements found by what they are and say, and the whole screen as a tree.
@Suite struct `Test host, finding` {
  private func screen() throws -> TestHost {
    let text = Signal("a"), flag = Signal(true)
    return try TestHost(Store()) {
      Column(id: "column") {
        Button("Save", id: "save") {}
        Button("Drop", id: "drop") {}.disabled()
        TextField("Name", text: text.binding, id: "name")
        Row { Toggle("Flag", isOn: flag.binding) }
      }
      ProgressBar("Part", value: 1, total: 4)
    }
  }

  @Test func `an element is found by its kind and text`() throws {
    let app = try screen()
    #expect(try app.find(.button, text: "Save").id == "save")
    #expect(try app.find(.textField).id == "name")
    #expect(app.elements { $0.kind == .button }.map(\.text) == ["Save", "Drop"])
  }

  @Test func `none, or several, is an error that shows the screen`() throws {
    let app = try screen()
    #expect(
      throws: TestHostError(error: .ambiguousElement("button"), screen: app.text)
    ) { try app.find(.button) }
    #expect(
      throws: TestHostError(
        error: .noElement("button \"Safe\"", nearest: ["Save", "Drop"]), screen: app.text)
    ) { try app.find(.button, text: "Safe") }
  }

  @Test func `the tree has a line for each element, with what it holds below`() throws {
    #expect(
      try screen().tree == """
        column #column
          button #save "Save"
          button #drop "Drop" (disabled)
          textField #name "Name" = "a"
          row
            toggle #Flag "Flag" = true
        progressBar "Part" = 0.25
        """)
  }
}
