import Signals
import SignalsTesting
import TestSupport
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

  @Test func `a screen on which nothing can be done is no success, unless that is meant`() throws {
    let messages = try issues {
      let done = try Monkey(seed: 2).run(5) { try TestHost(Store()) { Text("still") } }
      #expect(done == 0)
    }
    #expect(
      messages == [
        """
        the monkey with the seed 2, intent 0 of 5: nothing can be done on screen
        these 0 intents do it:

        on screen:
        still
        """
      ])
    try Monkey(seed: 2).run(5, mayEnd: true) { try TestHost(Store()) { Text("still") } }
  }

  @Test func `a dead end is told with the intents that lead there`() throws {
    let messages = try issues {
      try Monkey(seed: 2).run(100) {
        let left = Signal(3)
        return try TestHost(Store()) {
          Button("Less") { left.value -= 1 }.disabled(left.value == 0)
          Button("More") { left.value = min(3, left.value + 1) }.disabled(left.value == 0)
        }
      }
    }
    #expect(
      messages.first?.contains(
        """
        nothing can be done on screen
        these 3 intents do it:
        try app.tap("Less")
        try app.tap("Less")
        try app.tap("Less")
        """) == true)
  }

  @Test func `elements with equal ids, and without, are all reached`() throws {
    var taps = [0, 0, 0]
    let done = try Monkey(seed: 1).run(100) {
      try TestHost(Store()) {
        for number in 0..<2 { Button("Delete") { taps[number] += 1 } }
        Element(kind: ElementKind("chip"), text: "x", action: .tap { taps[2] += 1 })
      }
    }
    #expect(done == 100)
    #expect(taps.allSatisfy { $0 > 20 } && taps.reduce(0, +) == 100)
    let messages = try issues {
      try Monkey(seed: 1).run(9, invariants: ["never": { _ in taps[1] == 0 && taps[2] == 0 }]) {
        taps = [0, 0, 0]
        return try TestHost(Store()) {
          for number in 0..<2 { Button("Delete") { taps[number] += 1 } }
          Element(kind: ElementKind("chip"), text: "x", action: .tap { taps[2] += 1 })
        }
      }
    }
    let line = messages.first?.split(separator: "\n").dropFirst(2).first
    #expect(
      [
        #"try app.tap(app.elements { $0.id == "Delete" }[1])"#,
        #"try app.tap(app.elements { $0.kind.name == "chip" && $0.text == "x" }[0])"#,
      ].contains(line))
  }

  @Test func `an error that no caller gets is asked about, too`() throws {
    let messages = try issues {
      try Monkey(seed: 1, allowing: { _ in false }).run(5) {
        let n = Signal(0)
        return try TestHost(Store()) {
          Button("b") { n.value += 1 }
          Text("\(n.value)").onChange(of: n.value) { throw Refused() }
        }
      }
    }
    #expect(
      messages.first?.contains(
        "intent 1 of 5: a view's intent threw Refused()\nthis does it:\ntry app.tap(\"b\")")
        == true)
  }

  @Test func `what a host refuses is never right`() throws {
    let messages = try issues {
      try Monkey(seed: 1).run(5) {
        let other = try TestHost(Store()) { Text("") }
        return try TestHost(Store()) { Button("b") { try other.host.perform("gone") } }
      }
    }
    #expect(
      messages.first?.contains(
        "an intent threw no element with the id \"gone\" is on screen\nthis does it:") == true)
  }

  @Test func `a problem that names an object is the same with another of its kind`() throws {
    let messages = try issues {
      try Monkey(seed: 4, allowing: { _ in false }).run(200) {
        let store = try notes(1).store
        let shown = Signal("")
        return try TestHost(store) {
          TextField("Text", text: shown.binding, id: "text")
          Button("add") { try store.add(Note()) }
        }
      }
    }
    #expect(messages.first?.contains("this does it:\ntry app.tap(\"add\")\n") == true)
  }

  @Test func `without a seed it does the same in each run`() { #expect(Monkey().seed == 0) }
}

/// Monkeys on screens with async intents.
@Suite(.leavesNothing) struct `Monkeys on a stage` {
  private struct Screen: View {
    @State var count = 0
    @State var isLoading = false
    let limit: Int

    var body: Element {
      Text("\(count) \(isLoading)")
      Button("load") {
        if isLoading { return }
        isLoading = true
        await Task.yield()
        await Task.yield()
        isLoading = false
        count += 1
      }
      Button("reset") { count = min(count, limit) }
    }
  }

  @Test func `async intents are started, and what they do runs in between`() async throws {
    try await SteppingActor.run { stage in
      var seen: Set<String> = []
      let done = try await Monkey(seed: 3).run(
        100, stage: stage,
        invariants: [
          "seen": { app in
            seen.insert(app.text.split(separator: "\n")[0].split(separator: " ")[1].description)
            return true
          }
        ]
      ) { try TestHost(Store()) { Screen(limit: .max) } }
      #expect(done == 100)
      #expect(seen == ["true", "false"])
    }
  }

  @Test func `what breaks is told with the steps that do it`() async throws {
    let messages = try await issues {
      _ = try await SteppingActor.run { stage in
        _ = try await Monkey(seed: 3).run(
          100, stage: stage, invariants: ["few": { !$0.text.hasPrefix("2") }]
        ) { try TestHost(Store()) { Screen(limit: .max) } }
      }
    }
    let lines = try #require(messages.first).split(separator: "\n").map(String.init)
    #expect(lines[0].hasSuffix("of 100: broken is \"few\""))
    #expect(lines.filter { $0 == "try app.start(\"load\")" }.count == 2)
    #expect(!lines.contains("try app.tap(\"reset\")"))
    #expect(lines.contains { $0.hasPrefix("await stage.step(") })
  }

  @Test func `an error of an async intent is asked about`() async throws {
    struct Offline: Error {}
    let messages = try await issues {
      _ = try await SteppingActor.run { stage in
        _ = try await Monkey(seed: 3, allowing: { _ in false }).run(20, stage: stage) {
          try TestHost(Store()) {
            Button("load") {
              await Task.yield()
              throw Offline()
            }
          }
        }
      }
    }
    #expect(messages.first?.contains("a view's intent threw Offline()") == true)
  }
}
