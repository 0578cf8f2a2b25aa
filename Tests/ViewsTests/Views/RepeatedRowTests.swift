import Signals
import SignalsTesting
import TestSupport
import Testing

/// Rows that should have an id of their own, and have not.
@Suite struct `Views, rows with one id` {
  private struct Shelf: View {
    @Binding var titles: [String]
    var body: Element {
      ForEach(titles, id: \.self) { title in Text(title) }
      Button("Add") { titles.append("b") }
    }
  }

  @Test func `are all drawn, and named once with the view, the id and both places`() async {
    let result = await #expect(
      processExitsWith: .success, observing: [\.standardErrorContent]
    ) {
      let titles = Signal(["a", "b", "c", "b"])
      let app = try TestHost(Store()) { Shelf(titles: titles.binding) }
      try app.tap("Add")
      precondition(app.text == "a\nb\nc\nb\nb\n[Add]")
    }
    let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    let message =
      "Signals: of the rows of the body of Shelf, two have the id \"b\", at 1 and 3: they are told apart by their "
      + "order, and their state stays in its place; give each row an id of its own\n"
    #expect(text.contains(message) && text.ranges(of: "Signals: of").count == 1, "\(text)")
  }

  @Test func `an object that is in a list twice is meant to`() async {
    let result = await #expect(
      processExitsWith: .success, observing: [\.standardErrorContent]
    ) {
      let (_, notes) = try notes(2)
      let list = List([notes[0], notes[1], notes[0]])
      let app = try TestHost(Store()) { ForEach(list) { Text($0.title) } }
      precondition(app.text == "note 0\nnote 1\nnote 0")
    }
    let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    #expect(!text.contains("Signals:"), "\(text)")
  }
}
