import Signals
import SignalsTesting
import TestSupport
import Testing

/// `printChanges()` in a body.
@Suite struct `Views, changes printed in a body` {
  private struct Row: View {
    let note: Note
    let prints: Bool
    var body: Element {
      if prints { let _ = printChanges() }
      Text("\(note.title) \(note.rank)")
    }
  }

  @Test func `a body that asks says what it ran for, once it has run`() async throws {
    let result = await #expect(
      processExitsWith: .success, observing: [\.standardOutputContent]
    ) {
      let (store, notes) = try notes(2)
      let app = try TestHost(store) {
        Row(note: notes[0], prints: true)
        Row(note: notes[1], prints: false)
      }
      try store.write {
        notes[0].title = "Emma"
        notes[1].title = "Persuasion"
      }
      app.host.tracesChanges = true
      notes[0].rank = 7
      Row(note: notes[0], prints: true).printChanges()
    }
    let lines = String(decoding: result?.standardOutputContent ?? [], as: UTF8.self)
      .split(separator: "\n").filter { $0.contains("Row") }
    #expect(lines.count == 3)
    #expect(lines.first == "the body of Row ran for the first time")
    #expect(lines.dropFirst().first?.hasSuffix(#": "note 0" → "Emma""#) == true)
    #expect(lines.last?.hasSuffix(": 0 → 7") == true)
  }

  @Test func `it changes nothing else`() throws {
    let (store, notes) = try notes(1)
    let app = try TestHost(store) { Row(note: notes[0], prints: true) }
    notes[0].title = "Emma"
    #expect((app.bodies, app.text) == (3, "Emma 0"))
  }
}
