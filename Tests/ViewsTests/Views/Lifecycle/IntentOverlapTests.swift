import Signals
import SignalsReplay
import SignalsTesting
import TestSupport
import Testing

/// What happens when an async intent is started again while it runs.
@MainActor
@Suite struct `Views, overlapping intents` {
  /// Answers when a test says so.
  final class Server {
    let doors: [String: Door] = ["a": Door(), "b": Door(), "c": Door()]
    let journal = Journal()

    nonisolated(nonsending) func ask(_ query: String) async -> String {
      journal.note("ask \(query)")
      await doors[query]?.pass()
      return "answer \(query)"
    }

    func answer(_ query: String) { doors[query]?.open() }
  }

  struct Search: View {
    let server: Server
    var overlap = IntentOverlap.cancelsEarlier
    @State var query = "a"
    @State var hits = ""
    @State var all: [String] = []
    @Environment(\.cancelIntents) var cancelIntents
    @Environment(\.busyIntents) var busy

    var body: Element {
      Text("hits: \(hits) \(all.joined(separator: ",")) busy: \(busy.joined(separator: ","))")
      TextField("query", text: $query)
      Button("search", overlap: overlap) {
        let query = query
        let found = await server.ask(query)
        hits = found
        $hits.wrappedValue = found
        all.append(found)
        server.journal.note("done \(query)")
      }
      Button("cancel") { cancelIntents("search") }
      Button("cancel all") { cancelIntents() }
    }
  }

  private func finish(_ app: TestHost) async {
    while !app.host.workInFlight.isEmpty { await Task.yield() }
  }

  @Test func `an earlier answer doesn't replace the later one if the intent cancels earlier runs`()
    async throws
  {
    let server = Server()
    let app = try TestHost(Store()) { Search(server: server) }
    try app.start("search")
    _ = await server.journal.entries(1)
    try app.type("b", into: "query")
    try app.start("search")
    _ = await server.journal.entries(2)
    #expect(app.host.busyIntents == ["search"])
    #expect(app.host.workInFlight.count == 2)
    server.answer("b")
    _ = await server.journal.entries(3)
    while !app.host.busyIntents.isEmpty { await Task.yield() }
    #expect(app.text.contains("hits: answer b answer b busy: \n"))
    server.answer("a")
    await finish(app)
    #expect(app.text.contains("hits: answer b answer b busy: \n"))
    #expect(server.journal.entries.last == "done a", "it ran to its end")
  }

  @Test func `by default runs overlap`() async throws {
    let server = Server()
    let app = try TestHost(Store()) { Search(server: server, overlap: .allowed) }
    try app.start("search")
    _ = await server.journal.entries(1)
    try app.type("b", into: "query")
    try app.start("search")
    #expect(app.host.busyIntents == ["search", "search"])
    _ = await server.journal.entries(2)
    server.answer("b")
    _ = await server.journal.entries(3)
    server.answer("a")
    await finish(app)
    #expect(app.text.contains("hits: answer a "))
  }

  @Test func `a refused run is an error, and the element is disabled until the first has ended`()
    async throws
  {
    let server = Server()
    let app = try TestHost(Store()) { Search(server: server, overlap: .refused) }
    try app.start("search")
    let button = try app.host.element("search")
    #expect(!button.isEnabled && button.isBusy)
    #expect(throws: HostError.underWay("search")) { try app.host.start("search") }
    await #expect(throws: HostError.underWay("search")) {
      try await app.host.performAsync("search")
    }
    batch {
      // The frame that shows it is still to come.
      #expect(throws: HostError.underWay("search")) { try app.host.start("search") }
    }
    _ = await server.journal.entries(1)
    server.answer("a")
    await finish(app)
    #expect(try app.host.element("search").isEnabled)
    try app.start("search")
    await finish(app)
    #expect(server.journal.entries == ["ask a", "done a", "ask a", "done a"])
  }

  @Test func `two starts in one batch follow the same rules`() async throws {
    let server = Server()
    let app = try TestHost(Store()) {
      Button("refused", overlap: .refused) { _ = await server.ask("a") }
      Button("replaced", overlap: .cancelsEarlier) { _ = await server.ask("b") }
    }
    try batch {
      try app.host.start("refused")
      #expect(throws: HostError.underWay("refused")) { try app.host.start("refused") }
      try app.host.start("replaced")
      try app.host.start("replaced")
    }
    #expect(app.host.busyIntents == ["refused", "replaced"])
    server.answer("a")
    server.answer("b")
    await finish(app)
    // The first run never started.
    #expect(server.journal.entries.sorted() == ["ask a", "ask b"])
  }

  @Test func `a view cancels its own intent, whose later writes to its state are dropped`()
    async throws
  {
    for button in ["cancel", "cancel all"] {
      let server = Server()
      let app = try TestHost(Store()) { Search(server: server) }
      try app.start("search")
      _ = await server.journal.entries(1)
      try app.tap(button)
      #expect(app.host.busyIntents == ["search"], "until it has ended")
      server.answer("a")
      await finish(app)
      #expect(app.text.contains("hits:   busy: \n"))
    }
  }

  @Test func `the writes of a cancelled run to stores and signals are kept`() async throws {
    let (store, notes) = try notes(1)
    let door = Door(), journal = Journal(), count = Signal(0)
    struct Screen: View {
      let note: Note, count: Signal<Int>, door: Door, journal: Journal
      @State var ranks: [Int] = []
      @State var runs = 0
      var body: Element {
        Text("\(ranks) \(runs)").onChange(of: note.rank) { ranks.append(note.rank) }
        Button("work") {
          journal.note("begin")
          await door.pass()
          note.rank += 1
          try store.write {
            note.rank += 1
            runs += 1
          }
          count.value += 1
          runs += 1
          journal.note("end")
        }
      }
      let store: Store
    }
    let app = try TestHost(store) {
      Screen(note: notes[0], count: count, door: door, journal: journal, store: store)
    }
    try app.start("work")
    _ = await journal.entries(1)
    app.host.cancelIntents("work")
    door.open()
    await finish(app)
    // Reactions to the commits are transactions of their own, and may set state.
    #expect(app.text == "[1, 2] 0\n[work]")
    #expect((notes[0].rank, count.value) == (2, 1))
  }

  @Test func `what a cancelled run calls writes no state either`() async throws {
    struct Screen: View {
      let door: Door, journal: Journal
      @State var text = "none"
      @Restored("kept") var kept = "none"
      nonisolated(nonsending) func set(_ new: String) async {
        await Task.yield()
        text = new
        kept = new
      }
      var body: Element {
        Text("\(text) \(kept)")
        Button("work", overlap: .cancelsEarlier) {
          journal.note("begin")
          await door.pass()
          await set("child")
        }
      }
    }
    let door = Door(), journal = Journal()
    let app = try TestHost(Store()) { Screen(door: door, journal: journal) }
    try app.start("work")
    _ = await journal.entries(1)
    app.host.cancelIntents("work")
    door.open()
    await finish(app)
    #expect(app.text.hasPrefix("none none"))
  }

  @Test func `a run that was replaced passes its error to no handler`() async throws {
    struct Stop: Error {}
    let server = Server()
    let query = Signal("a")
    var errors = 0
    let app = try TestHost(Store()) {
      Button("search", overlap: .cancelsEarlier) {
        _ = await server.ask(query.value)
        throw Stop()
      }.onError { _ in errors += 1 }
    }
    try app.start("search")
    _ = await server.journal.entries(1)
    query.value = "b"
    try app.start("search")
    server.answer("a")
    _ = await server.journal.entries(2)
    for _ in 0..<100 { await Task.yield() }
    #expect(errors == 0)
    server.answer("b")
    await finish(app)
    #expect(errors == 1)
  }

  @Test func `a caller that waits for a run that is replaced waits for its end`() async throws {
    let server = Server()
    let app = try TestHost(Store()) { Search(server: server) }
    let first = Task { @MainActor in try await app.host.performAsync("search") }
    _ = await server.journal.entries(1)
    try app.type("b", into: "query")
    try app.start("search")
    server.answer("b")
    while !app.host.busyIntents.isEmpty { await Task.yield() }
    server.answer("a")
    try await first.value
    #expect(app.text.contains("hits: answer b answer b"))
  }

  @Test func `elements with equal ids in two views, and rows, don't concern each other`()
    async throws
  {
    let server = Server()
    let app = try TestHost(Store()) {
      ForEach(["a", "b"], id: \.self) { row in
        Button("load", overlap: .refused) { _ = await server.ask(row) }
      }
    }
    guard
      case .ambiguousElement(_, let ids)? = #expect(
        throws: HostError.self, performing: { try app.host.element("load") })
    else { return }
    for id in ids { try app.host.start(.identity(id)) }
    #expect(app.host.busyIntents == ["load", "load"])
    server.answer("a")
    server.answer("b")
    await finish(app)
  }

  @Test func `keys follow the same rules`() async throws {
    let server = Server()
    let hits = Signal("")
    let query = Signal("a")
    let app = try TestHost(Store()) {
      Text(hits.value).onKey("s", overlap: .cancelsEarlier) {
        _ = await server.ask(query.value)
      }
      .onKey("p", overlap: .refused) { _ = await server.ask("c") }
    }
    try app.host.start(.key("p"))
    #expect(app.host.keys == ["s"])
    #expect(throws: HostError.underWay("key p")) { try app.host.start(.key("p")) }
    server.answer("c")
    await finish(app)
    #expect(app.host.keys.count == 2)
    try app.host.start(.key("s"))
    _ = await server.journal.entries(2)
    query.value = "b"
    try app.host.start(.key("s"))
    #expect(app.host.busyIntents == ["key s"] && app.host.workInFlight.count == 2)
    server.answer("b")
    while !app.host.busyIntents.isEmpty { await Task.yield() }
    server.answer("a")
    await finish(app)
  }

  @Test func `a refused key runs no intent around it`() async throws {
    let server = Server()
    let outer = Signal(0)
    let app = try TestHost(Store()) {
      Column {
        Text("x").onKey("s", overlap: .refused) { _ = await server.ask("a") }
      }
      .onKey("s") { outer.value += 1 }
    }
    try app.host.start(.key("s"))
    #expect(throws: HostError.underWay("key s")) { try app.host.start(.key("s")) }
    #expect(outer.value == 0)
    server.answer("a")
    await finish(app)
  }

  @Test func `a host with a held run is released, with what the run holds`() throws {
    struct Held: View {
      let token: Lifetime
      @Environment(\.busyIntents) var busy

      var body: Element {
        Button("load") {
          await Task.yield()
          token.use()
        }
        Text("\(busy.count)").onError { _ in }
      }
    }
    var released = 0
    do {
      let app = try TestHost(Store()) { [token = Lifetime { released += 1 }] in Held(token: token) }
      app.host.onHeldIntent = { _ in }
      try app.host.start("load")
      #expect(app.host.busyIntents == ["load"])
    }
    #expect(released == 1)
  }

  @Test func `a held run is replaced, too`() throws {
    let app = try TestHost(Store()) {
      Button("search", overlap: .cancelsEarlier) {}
      Button("pay", overlap: .refused) {}
    }
    var held: [HeldIntent] = []
    app.host.onHeldIntent = { held.append($0) }
    try app.host.start("search")
    try app.host.start("search")
    try app.host.start("pay")
    #expect(throws: HostError.underWay("pay")) { try app.host.start("pay") }
    #expect(app.host.busyIntents == ["search", "pay"])
    held[0].end(throwing: HostError.gone("x"))
    #expect(app.host.busyIntents == ["search", "pay"] && app.errors.isEmpty)
    held[1].end()
    held[2].end()
    #expect(app.host.busyIntents == [])
  }

  @Test func `a log has the end of a run that was replaced before the beginning of the next`()
    async throws
  {
    func mount(_ store: Store, _ server: Server) throws -> TestHost {
      let note = try #require(store.object(Note.self, primaryKey: 0))
      let app = try TestHost(store) {
        Text("\(note.rank)")
        Button("work", overlap: .cancelsEarlier) {
          let rank = note.rank
          _ = await server.ask(rank == 0 ? "a" : "b")
          note.rank += 10
        }
        Button("add") { note.rank += 1 }
      }
      app.intentLog = IntentLog(start: store.snapshot())
      return app
    }
    let server = Server()
    let first = try mount(try notes(1).store, server)
    try first.start("work")
    _ = await server.journal.entries(1)
    try first.tap("add")
    try first.start("work")
    server.answer("b")
    while !first.host.busyIntents.isEmpty { await Task.yield() }
    server.answer("a")
    await finish(first)
    let log = try #require(first.intentLog)
    #expect(
      log.entries.map(\.kind) == [
        .beginning(1), .intent, .end(1), .beginning(2), .commit, .end(2), .commit,
      ])
    let again = try mount(Store(try #require(log.start)), Server())
    try again.host.replay(log)
    #expect(again.history == first.history)
    #expect(again.text.hasPrefix("21\n"))
  }

  @Test func `a task with another id starts at once, and an old answer isn't shown`() async throws {
    struct Screen: View {
      let server: Server
      @State var query = "a"
      @State var hits = ""
      var body: Element {
        Text("hits: \(hits)").task(id: query) {
          let query = query
          hits = await server.ask(query)
          server.journal.note("done \(query)")
        }
        TextField("query", text: $query)
      }
    }
    let server = Server()
    let app = try TestHost(Store()) { Screen(server: server) }
    _ = await server.journal.entries(1)
    try app.type("b", into: "query")
    #expect(await server.journal.entries(2) == ["ask a", "ask b"])
    server.answer("b")
    #expect(await server.journal.entries(3).last == "done b")
    #expect(app.text.hasPrefix("hits: answer b\n"))
    server.answer("a")
    await finish(app)
    #expect(app.text.hasPrefix("hits: answer b\n"))
  }

  @Test func `a task of a view that left doesn't set the state of its parent`() async throws {
    struct Child: View {
      @Binding var text: String
      let door: Door, journal: Journal
      var body: Element {
        Text("child").task {
          journal.note("begin")
          await door.pass()
          text = "late"
          journal.note("end")
        }
      }
    }
    struct Parent: View {
      let door: Door, journal: Journal
      @State var text = "none"
      @State var isShown = true
      var body: Element {
        Text(text)
        if isShown { Child(text: $text, door: door, journal: journal) }
        Button("hide") { isShown = false }
      }
    }
    let door = Door(), journal = Journal()
    let app = try TestHost(Store()) { Parent(door: door, journal: journal) }
    _ = await journal.entries(1)
    try app.tap("hide")
    door.open()
    _ = await journal.entries(2)
    #expect(app.text == "none\n[hide]")
  }
}
