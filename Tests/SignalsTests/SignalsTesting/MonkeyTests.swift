import Signals
import SignalsTesting
import Testing

/// Random intents under invariants.
@Suite struct `Monkeys` {
  struct Refused: Error {}

  private struct Notes: View {
    let store: Store
    let limit: Int
    @ObservedResults(Note.self, sortedBy: \.rank) var notes
    @State var filter = ""
    @State var isOn = false
    @State var size = "s"

    var body: Element {
      TextField("Filter", text: $filter, id: "filter") {}
      Toggle("On", isOn: $isOn, id: "on")
      Picker("Size", selection: $size, options: ["s", "m"], id: "size")
      Text("\(notes.count) notes")
      Button("Add", id: "add") {
        let note = Note()
        note.number = (notes.map(\.number).max() ?? 0) + 1
        try store.add(note)
      }
      Button("Wait", id: "wait") { await Task.yield() }
      Button("Off", id: "off") { throw Refused() }.disabled()
      Button("Refuse", id: "refuse") {
        notes.first?.rank = 100
        throw Refused()
      }
      ListBox(id: "list", onMove: { from, _ in notes[from[0]].rank += 1 }) {
        ForEach(notes) { note in Text("\(note.number)") }
      }
      Text("").onKey("d") { if let first = notes.first { try store.delete(first) } }
    }
  }

  private func mount(limit: Int = .max) throws -> TestHost {
    let store = Store()
    return try TestHost(store) { Notes(store: store, limit: limit) }
  }

  @Test func `one seed does the same each time`() throws {
    let histories = try (0..<2).map { _ in
      var history: [String] = []
      try Monkey(seed: 3).run(
        200,
        invariants: [
          "counts right": { app in
            history.append(app.text)
            return app.text.contains("\(app.host.store.results(Note.self).count) notes")
          }
        ]
      ) { try mount() }
      return history
    }
    #expect(histories[0] == histories[1])
    #expect(histories[0].count == 201)
    #expect(Set(histories[0]).count > 20)
  }

  @Test func `what breaks is told with the seed and the intents that do it`() throws {
    let messages = try issues {
      try Monkey(seed: 5).run(
        500,
        invariants: ["at most two": { $0.host.store.results(Note.self).count <= 2 }]
      ) { try mount() }
    }
    let lines = try #require(messages.first).split(separator: "\n").map(String.init)
    #expect(messages.count == 1)
    #expect(lines[0].hasPrefix("the monkey with the seed 5, intent "))
    #expect(lines[0].hasSuffix(" of 500: broken is \"at most two\""))
    #expect(
      lines[1...5] == [
        "these 3 intents do it:", "try app.tap(\"add\")", "try app.tap(\"add\")",
        "try app.tap(\"add\")", "on screen:",
      ])
  }

  @Test func `a refused intent is right unless the test says otherwise`() throws {
    try Monkey(seed: 1).run(100) { try mount() }
    let messages = try issues {
      try Monkey(seed: 1, allowing: { !($0 is Refused) }).run(100) { try mount() }
    }
    #expect(
      messages.first?.contains(
        "an intent threw Refused()\nthis does it:\ntry app.tap(\"refuse\")\n") == true)
  }

  @Test func `what must hold in the end is checked once`() throws {
    var count = 0
    try Monkey(seed: 2).run(
      50,
      finally: [
        "undone": { app in
          count += 1
          while app.host.store.canUndo { try app.host.store.undo() }
          return app.host.store.results(Note.self).isEmpty
        }
      ]
    ) { try mount() }
    #expect(count == 1)
    let messages = try issues {
      try Monkey(seed: 2).run(5, finally: ["never": { _ in false }]) { try mount() }
    }
    #expect(
      messages.first?.hasPrefix(
        "the monkey with the seed 2, intent 5 of 5: broken is \"never\"\nthese 0 intents do it:\n")
        == true)
  }

  @Test func `a screen on which nothing can be done is left alone`() throws {
    try Monkey(seed: 2).run(5) { try TestHost(Store()) { Text("still") } }
  }
}
