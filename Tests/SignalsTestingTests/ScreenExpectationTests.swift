import Signals
import SignalsTesting
import TestSupport
import Testing

/// What an expectation sees of a screen: all that a user could tell apart.
@Suite struct `Expectations of the screen` {
  private func changes(
    _ change: () -> Void, @ElementBuilder _ root: @escaping () -> Element
  ) throws -> String? {
    let app = try TestHost(Store(), root: root)
    return try issues { app.expectNoChange { change() } }.first
  }

  private func message(_ lines: String) -> String {
    "this has changed:\n\"\"\"\nscreen\n\(lines)\n\"\"\""
  }

  @Test func `a button that becomes disabled is a change`() throws {
    let off = Signal(false)
    let found = try changes({ off.value = true }) { Button("Save") {}.disabled(off.value) }
    #expect(
      found == message("- button #Save \"Save\"\n+ button #Save \"Save\" (disabled)"))
  }

  @Test func `another id, and other options, are changes`() throws {
    let id = Signal("a"), options = Signal(["x"]), choice = Signal("x")
    let found = try changes({
      id.value = "b"
      options.value = ["x", "y"]
    }) {
      Button("Save", id: id.value) {}
      Picker("Size", selection: choice.binding, options: options.value, id: "size")
    }
    #expect(
      found
        == message(
          """
          - button #a "Save"
          - picker #size "Size" = "x" of ["x"]
          + button #b "Save"
          + picker #size "Size" = "x" of ["x", "y"]
          """))
  }

  @Test func `where the focus is, what a key does and what is wrong are changes`() throws {
    let text = Signal(""), isBound = Signal(false)
    let field = text.binding.checked { text.value.isEmpty ? [] : ["Too long"] }
    let app = try TestHost(Store()) {
      TextField("Name", text: field, id: "name")
      if isBound.value { Text("").onKey("q") {} }
    }
    app.expectChanges(
      """
      screen
      - textField #name "Name" = ""
      + textField #name "Name" = "a" (focus)
      +   ! "Too long"
      + text ""
      + key "q"
      """
    ) {
      app.host.focus = "name"
      batch {
        text.value = "a"
        isBound.value = true
      }
    }
  }

  @Test func `an empty screen is not one of an empty line`() throws {
    let isOn = Signal(false)
    let found = try changes({ isOn.value = true }) { if isOn.value { Text("") } }
    #expect(found == message("+ text \"\""))
  }

  @Test func `equal lines are told apart by the line before, and by their number`() throws {
    let off = Signal<Int?>(nil)
    let app = try TestHost(Store()) {
      ForEach([0, 1, 2], id: \.self) { number in
        Row {
          Text(number == 1 ? "b" : "a")
          Button("Drop") {}.disabled(off.value == number)
        }
      }
    }
    app.expectChanges(
      """
      screen
          text "a" [2 of 2]
      -   button #Drop "Drop"
      +   button #Drop "Drop" (disabled)
      """
    ) { off.value = 2 }
    #expect(
      try issues {
        app.expectChanges(
          """
          screen
              text "a" [1 of 2]
          -   button #Drop "Drop"
          +   button #Drop "Drop" (disabled)
          """, exhaustivity: .partial
        ) { batch { off.value = 1 } }
      }.count == 1)
  }

  @Test func `a store of a part of the screen counts`() throws {
    let (main, other) = (try notes(1), try notes(1))
    struct Rank: View {
      let note: Note
      var body: Element { Text("\(note.rank)") }
    }
    let app = try TestHost(main.store) {
      Text("none")
      Rank(note: other.notes[0]).environment(\.store, other.store)
    }
    app.expectChanges(
      """
      ~ Note(number: 0)
          title: "note 0" -> "x"
      store 2
      ~ Note(number: 0)
          rank: 0 -> 1
      screen
        text "none"
      - text "0"
      + text "1"
      """
    ) {
      main.notes[0].title = "x"
      other.notes[0].rank = 1
    }
    #expect(try issues { app.expectNoChange { other.notes[0].isDone = true } }.count == 1)
  }

  @Test func `a store that comes on screen counts from then on`() throws {
    let (main, other) = (try notes(1), try notes(1))
    struct Rank: View {
      let note: Note
      var body: Element { Text("\(note.rank)") }
    }
    let isShown = Signal(false)
    let app = try TestHost(main.store) {
      if isShown.value { Rank(note: other.notes[0]).environment(\.store, other.store) }
    }
    app.expectChanges("store 2\n~ Note(number: 0)\n    rank: 0 -> 1", exhaustivity: .partial) {
      isShown.value = true
      other.notes[0].rank = 1
    }
  }
}
