import Signals
import SignalsTesting
import TestSupport
import Testing

/// Titles, headers and footers of sections.
@Suite struct `Elements, sections` {
  /// 1,500 rows in 3 sections.
  private func manyNotes() throws -> (store: Store, notes: [Note]) {
    let (store, notes) = try notes(1_500)
    try store.write(undoable: false) {
      for note in notes where note.number.isMultiple(of: 3) { note.isDone = true }
    }
    return (store, notes)
  }

  @Test func `a count in a title runs none of the rows under it`() throws {
    struct Board: View {
      @ObservedSections(Note.self, by: \.isDoneText, sortedBy: .ascending(\.number)) var sections
      let count: Count
      var body: Element {
        ForEach(sections) { section in
          Section("\(section.key) (\(section.count))") {
            ForEach(section) { note in
              let _ = count.value += 1
              Button(note.title, id: "note-\(note.number)") { note.isDone.toggle() }
            }
          }
        }
      }
    }
    let (store, _) = try manyNotes()
    let (count, renderer) = (Count(), TextRenderer())
    let host = ViewHost(store, renderer: renderer) { Board(count: count) }
    #expect(renderer.text.hasPrefix("done (500)\n[note 0]\n[note 3]"))
    #expect(count.value == 1_500)
    let bodies = host.bodies
    try host.perform("note-4")
    #expect(renderer.text.hasPrefix("done (501)\n[note 0]\n[note 3]\n[note 4]"))
    #expect(renderer.text.contains("\nopen (999)\n"))
    #expect(host.bodies - bodies <= 4)
    #expect(count.value <= 1_502, "the row that moved, at most")
  }

  @Test func `a count in a header and a footer runs none of the rows between them`() throws {
    let (store, notes) = try manyNotes()
    let (count, renderer) = (Count(), TextRenderer())
    let open = store.results(Note.self).where { !$0.isDone }.sorted(by: \.number)
    let host = ViewHost(store, renderer: renderer) {
      Section {
        ForEach(open) { note in
          let _ = count.value += 1
          Text(note.title)
        }
      } header: {
        Text("open")
        Text("\(open.count)")
      } footer: {
        Text("first: \(open.first?.number ?? -1)")
      }
    }
    #expect(renderer.text.hasPrefix("open\n1000\nnote 1\nnote 2\n"))
    #expect(renderer.text.hasSuffix("\nfirst: 1"))
    let (bodies, rows) = (host.bodies, count.value)
    notes[1].isDone = true
    #expect(renderer.text.hasPrefix("open\n999\nnote 2\n"))
    #expect(renderer.text.hasSuffix("\nfirst: 2"))
    #expect(host.bodies - bodies <= 4)
    #expect(count.value == rows)
  }

  @Test func `a title that reads what changed names the section alone in the frame`() throws {
    let (title, log) = (Signal("a"), FrameLog())
    let host = ViewHost(Store(), renderer: log) {
      Section(title.value) { ForEach([1, 2], id: \.self) { Text("\($0)") } }
    }
    _ = host.frame.texts(in: host.frame.root)
    title.value = "b"
    let frame = try #require(log.frames.last)
    #expect(frame.changed.count == 1)
    #expect(frame.texts(in: frame.root).first == "b")
  }

  @Test func `a header reads the state and the surroundings of the view around it`() throws {
    struct Counted: View {
      @State var taps = 0
      @Environment(\.isEnabled) var isEnabled
      let count: Count
      var body: Element {
        let _ = count.value += 1
        Section {
          Button("tap") { taps += 1 }
        } header: {
          Text("\(taps) taps\(isEnabled ? "" : ", off")")
        }
      }
    }
    let (isOff, count, renderer) = (Signal(false), Count(), TextRenderer())
    let host = ViewHost(Store(), renderer: renderer) {
      Counted(count: count).disabled(isOff.value)
    }
    try host.perform("tap")
    #expect(renderer.text == "1 taps\n[tap]")
    #expect(count.value == 1)
    isOff.value = true
    #expect(renderer.text == "1 taps, off\n[tap]")
  }

  @Test func `an explanation of an element in a section is that of the body around`() throws {
    let value = Signal(1)
    let host = ViewHost(Store(), renderer: TextRenderer()) {
      Section("s") {
        Text("\(value.value)").id("x"); Button("b", id: "b") {}
      }
    }
    host.tracesChanges = true
    value.value = 2
    #expect("\(try #require(try host.explain("b")))".contains("1 → 2"))
  }

  @Test func `a section without a title, a header or rows draws what it has`() throws {
    let app = try TestHost(Store()) {
      Section("") { Text("a") }
      Section {
        Text("b")
      } footer: {
        Text("c")
      }
      Section("d") {}
    }
    #expect(app.text == "a\nb\nc\nd")
  }
}
