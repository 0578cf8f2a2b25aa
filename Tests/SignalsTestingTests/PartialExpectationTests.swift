import Signals
import SignalsTesting
import TestSupport
import Testing

/// Expectations that name only what a test is about.
@Suite struct `Expectations, partial` {
  private func screen() throws -> (app: TestHost, notes: [Note]) {
    let (store, notes) = try notes(2)
    return (try TestHost(store) { ForEach(notes) { Text($0.title) } }, notes)
  }

  @Test func `it may leave out objects, properties and the screen`() throws {
    let (app, notes) = try screen()
    app.expectChanges(
      """
      ~ Note(number: 1)
          title: "note 1" -> "x"
      """, exhaustivity: .partial
    ) {
      notes[0].rank = 7
      notes[1].title = "x"
      notes[1].rank = 7
    }
    app.expectChanges("screen\n+ text \"y\"", exhaustivity: .partial) { notes[0].title = "y" }
    app.expectChanges("~ Note(number: 1)", exhaustivity: .partial) { notes[1].title = "y" }
  }

  @Test func `it means the object that it names`() throws {
    let (app, notes) = try screen()
    notes[1].title = "note 0"
    let messages = try issues {
      app.expectChanges(
        """
        ~ Note(number: 0)
            title: "note 0" -> "x"
        """, exhaustivity: .partial
      ) {
        notes[0].rank = 1
        notes[1].title = "x"
      }
    }
    #expect(
      messages == [
        #"""
        not all of what was expected has changed (-: did not happen):
          ~ Note(number: 0)
        -     title: "note 0" -> "x"

        all that has changed:
        """
        ~ Note(number: 0)
            rank: 0 -> 1
        ~ Note(number: 1)
            title: "note 0" -> "x"
        screen
          text "note 0"
        - text "note 0"
        + text "x"
        """
        """#
      ])
  }

  @Test func `a property without its object is of no object`() throws {
    let (app, notes) = try screen()
    #expect(
      try issues {
        app.expectChanges("    rank: 0 -> 1", exhaustivity: .partial) { notes[0].rank = 1 }
      }.count == 1)
  }

  @Test func `a line of the screen is none of the graph`() throws {
    let (app, notes) = try screen()
    #expect(
      try issues {
        app.expectChanges("- text \"note 0\"", exhaustivity: .partial) { notes[0].title = "x" }
      }.count == 1)
    #expect(
      try issues {
        app.expectChanges("screen\n- Note(number: 0)", exhaustivity: .partial) {
          try? app.host.store.delete(notes[0])
        }
      }.count == 1)
  }

  @Test func `lines of the screen come in its order`() throws {
    let (app, notes) = try screen()
    #expect(
      try issues {
        app.expectChanges("screen\n+ text \"b\"\n+ text \"a\"", exhaustivity: .partial) {
          notes[0].title = "a"
          notes[1].title = "b"
        }
      }.count == 1)
  }

  @Test func `of the graph alone it lets the screen say what it likes`() throws {
    let (app, notes) = try screen()
    app.expectNoChange(exhaustivity: .graph) {}
    app.expectChanges("~ Note(number: 1)\n    title: \"note 1\" -> \"x\"", exhaustivity: .graph) {
      notes[1].title = "x"
    }
    let messages = try issues { app.expectNoChange(exhaustivity: .graph) { notes[0].rank = 7 } }
    #expect(messages.count == 1 && messages[0].contains("rank") && !messages[0].contains("screen"))
  }

  private struct Refusing: View {
    struct Refusal: Error {}
    @State private var message = ""
    var body: Element {
      Column {
        Text(message)
        Button("go") { throw Refusal() }
      }
      .onError { message = "\($0)" }
    }
  }

  @Test func `an intent that says on screen why it was refused changes nothing in the graph`()
    throws
  {
    let app = try TestHost(Store()) { Refusing() }
    app.expectNoChange(exhaustivity: .graph) {
      #expect(throws: Refusing.Refusal.self) { try app.tap("go") }
    }
    #expect(app.text.contains("Refusal"))
  }
}
