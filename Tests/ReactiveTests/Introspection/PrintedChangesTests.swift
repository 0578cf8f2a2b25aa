import Signals
import SignalsTesting
import TestSupport
import Testing

/// Why each body ran, told as it runs.
@Suite struct `Views, printed changes` {
  private struct Line: View {
    @ObservedObject var note: Note
    let mark: String
    var body: Element { Text("\(note.title)\(mark)") }
  }

  @Test func `each body that runs is told, with old and new values`() throws {
    let (store, notes) = try notes(2)
    let mark = Signal("", name: "mark")
    let app = try TestHost(store) {
      Line(note: notes[0], mark: mark.value)
      Line(note: notes[1], mark: "")
    }
    var lines: [String] = []
    app.host.onExplanation = { lines.append("\($0)") }
    #expect(app.host.tracesChanges)
    notes[1].title = "Emma"
    mark.value = "!"
    #expect(
      lines == [
        "the body of Line ran because of Note(number: 1).title: \"note 1\" → \"Emma\"",
        "the root of a host ran because of signal 'mark': \"\" → \"!\"",
        "the body of Line ran because of input 'mark': \"\" → \"!\"",
      ])
    app.host.onExplanation = nil
    notes[0].title = "quiet"
    #expect(lines.count == 3)
  }
}
