import Signals
import SignalsTesting
import TestSupport
import Testing

/// `task`: asynchronous work tied to the life of a view.
@MainActor
@Suite struct `Views, tasks` {
  struct Stop: Error, Equatable {}

  let journal = Journal()

  @Test func `it starts after the frame in which the view appears`() async throws {
    let renderer = TextRenderer { [journal] in journal.note("frame \($0)") }
    let host = ViewHost(Store(), renderer: renderer) {
      Text("a").onAppear { journal.note("appeared") }.task { journal.note("work") }
    }
    #expect(journal.entries == ["frame a", "appeared"])
    #expect(await journal.entries(3) == ["frame a", "appeared", "work"])
    withExtendedLifetime(host) {}
  }

  @Test func `it runs on the actor of the host`() async throws {
    let app = try TestHost(Store()) {
      Text("a").task {
        MainActor.assertIsolated()
        await Task.yield()
        MainActor.assertIsolated()
        journal.note("end")
      }
    }
    _ = await journal.entries(1)
    withExtendedLifetime(app) {}
  }

  @Test func `each write between two awaits is a commit and a frame`() async throws {
    let (store, notes) = try notes(1)
    let app = try TestHost(store) {
      Text("\(notes[0].rank)").task {
        notes[0].rank = 1
        await Task.yield()
        notes[0].rank = 2
        journal.note("end")
      }
    }
    _ = await journal.entries(1)
    #expect((app.text, app.frames) == ("2", 3))
  }

  @Test func `it does not start again when bodies run again, or rows move`() async throws {
    let names = Signal(["a", "b"])
    let app = try TestHost(Store()) {
      ForEach(names.value, id: \.self) { name in Text(name).task { journal.note(name) } }
    }
    names.value = ["b", "a"]
    names.value = ["b", "a", "c"]
    #expect(await journal.entries(3).sorted() == ["a", "b", "c"])
    for _ in 0..<100 { await Task.yield() }
    #expect(journal.entries.count == 3)
    #expect(app.text == "b\na\nc")
  }

  @Test func `it is cancelled when the view disappears`() async throws {
    let isShown = Signal(true), door = Door()
    let app = try TestHost(Store()) {
      if isShown.value {
        Text("a").task {
          journal.note("begin")
          await door.pass()
          journal.note("cancelled: \(Task.isCancelled)")
        }
      }
    }
    _ = await journal.entries(1)
    isShown.value = false
    door.open()
    #expect(await journal.entries(2) == ["begin", "cancelled: true"])
    withExtendedLifetime(app) {}
  }

  @Test func `work of a view that disappears before it starts does not run`() async throws {
    let isShown = Signal(true)
    let app = try TestHost(Store()) {
      if isShown.value { Text("a").task { journal.note("never") } }
      Text("b").task(id: isShown.value) { journal.note("\(isShown.value)") }
    }
    isShown.value = false
    #expect(await journal.entries(1) == ["false"])
    for _ in 0..<100 { await Task.yield() }
    #expect(journal.entries == ["false"])
    withExtendedLifetime(app) {}
  }

  @Test func `another id cancels the run, and the next starts at once`() async throws {
    let id = Signal(1), door = Door()
    let app = try TestHost(Store()) {
      let number = id.value
      Text("a").task(id: number) {
        journal.note("begin \(number)")
        await door.pass()
        journal.note("end \(number) \(Task.isCancelled)")
      }
    }
    _ = await journal.entries(1)
    id.value = 2
    id.value = 3
    #expect(await journal.entries(2) == ["begin 1", "begin 3"], "the second never starts")
    for _ in 0..<100 { await Task.yield() }
    #expect(journal.entries.count == 2)
    door.open()
    #expect(
      await journal.entries(4).sorted() == ["begin 1", "begin 3", "end 1 true", "end 3 false"])
    withExtendedLifetime(app) {}
  }

  @Test func `the same id starts nothing`() async throws {
    let number = Signal(0)
    let app = try TestHost(Store()) {
      Text("\(number.value)").task(id: number.value / 10) { journal.note("run") }
    }
    _ = await journal.entries(1)
    number.value = 5
    number.value = 10
    #expect(await journal.entries(2).count == 2)
    for _ in 0..<100 { await Task.yield() }
    #expect((journal.entries.count, app.text) == (2, "10"))
  }

  @Test func `what it throws reaches the nearest handler, else the host's own`() async throws {
    let app = try TestHost(Store()) {
      Text("a").task { throw Stop() }.onError { _ in journal.note("handled") }
      Text("b").task { throw Stop() }
    }
    app.host.onError = { [journal] _ in journal.note("host") }
    #expect(await journal.entries(2).sorted() == ["handled", "host"])
  }

  @Test func `what it throws once it is cancelled is dropped`() async throws {
    let isShown = Signal(true), door = Door()
    let app = try TestHost(Store()) {
      Column {
        if isShown.value {
          Text("a").task {
            journal.note("begin")
            await door.pass()
            journal.note("throws")
            throw Stop()
          }
        }
      }.onError { _ in journal.note("handled") }
    }
    _ = await journal.entries(1)
    isShown.value = false
    door.open()
    _ = await journal.entries(2)
    for _ in 0..<100 { await Task.yield() }
    #expect(journal.entries == ["begin", "throws"])
    #expect(app.errors.isEmpty)
  }

  @Test func `a host without an actor starts none, and reports that once, naming the view`() {
    struct Loading: View {
      let journal: Journal
      var body: Element {
        Text("a").task { journal.note("never") }.onError { journal.note("\($0)") }
      }
    }
    var errors: [HostError] = []
    let host = ViewHost(
      Store(), renderer: TextRenderer(),
      onError: { errors += [$0 as? HostError].compactMap { $0 } },
      isolation: nil
    ) {
      Loading(journal: journal)
      ForEach(0..<3, id: \.self) { _ in Loading(journal: journal) }
      Text("").task {}
    }
    #expect(errors == [.taskNeedsActor("a task of the root of a host")])
    #expect(
      errors.first?.description
        == "a task of the root of a host needs an actor to run on, and does not start: "
        + "make its host on one; a function that makes it takes "
        + "isolation: isolated (any Actor)? = #isolation")
    #expect(
      host.unstartedTasks == ["a task of the root of a host", "a task of the body of Loading"])
    #expect(journal.entries == [])
  }

  @Test func `in a test without an actor a task does not start, and is no error`() throws {
    let isShown = Signal(false)
    let app = try TestHost(Store(), isolation: nil) {
      Button("Show") { isShown.value.toggle() }.task { journal.note("never") }
      if isShown.value { Text("b").task(id: 1) { journal.note("never") } }
    }
    try app.tap("Show")
    #expect(app.text == "[Show]\nb")
    #expect(app.errors.isEmpty)
    #expect(app.unfinishedWork == [])
    #expect(app.host.unstartedTasks == ["a task of the root of a host"])
  }

  @Test func `a state is written by it as by any intent`() async throws {
    struct Counter: View {
      let journal: Journal
      @State var number = 0
      var body: Element {
        Text("\(number)").task(id: number) {
          if number < 3 { number += 1 } else { journal.note("done") }
        }
      }
    }
    let app = try TestHost(Store()) { Counter(journal: journal) }
    _ = await journal.entries(1)
    #expect(app.text == "3")
  }

  // MARK: - The end

  @Test func `it is cancelled when the host goes`() async throws {
    let door = Door()
    var app: TestHost? = try TestHost(Store()) {
      Text("a").task {
        journal.note("begin")
        await door.pass()
        journal.note("cancelled: \(Task.isCancelled)")
      }
    }
    _ = await journal.entries(1)
    let host = Weak(try #require(app).host)
    app = nil
    #expect(host.object == nil, "work under way does not keep the host")
    door.open()
    #expect(await journal.entries(2).last == "cancelled: true")
  }

  @Test func `what a view said of its life is released with it`() async throws {
    let isShown = Signal(true), log = Count()
    let app = try TestHost(Store()) {
      if isShown.value {
        let lifetime = Lifetime { log.value += 1 }
        Text("a").task {
          lifetime.use()
          journal.note("run")
        }
        .onAppear { lifetime.use() }.onDisappear { lifetime.use() }
        .onChange(of: 1) { lifetime.use() }.onError { _ in lifetime.use() }
      }
    }
    _ = await journal.entries(1)
    isShown.value = false
    for _ in 0..<10_000 where log.value < 1 { await Task.yield() }
    #expect((log.value, app.text) == (1, ""))
  }

  @Test func `nodes and edges go with the host, and work that did not start`() throws {
    let number = Signal(0), log = Count()
    let nodes = ReactiveGraph.liveNodes, edges = ReactiveGraph.liveEdges
    func use() throws {
      let app = try TestHost(Store()) {
        let lifetime = Lifetime { log.value += 1 }
        Text("\(number.value)").task(id: number.value) { lifetime.use() }
          .onAppear { number.value += 1 }.onDisappear { lifetime.use() }
          .onChange(of: number.value) { lifetime.use() }.onError { _ in lifetime.use() }
        Button("a") { lifetime.use() }
      }
      try app.start("a")
      number.value += 1
    }
    try use()
    #expect(log.value == 3, "one for each body")
    #expect((ReactiveGraph.liveNodes, ReactiveGraph.liveEdges) == (nodes, edges))
  }

  /// A screen that lives on an actor of its own.
  actor Screen {
    let door = Door()
    private var app: TestHost?
    private var ends = 0

    func start() throws {
      let door = door
      app = try TestHost(Store()) {
        Text("a").task { await door.pass() }
        Button("wait") { await door.pass() }
      }
    }

    func stop() {
      app = nil
      door.open()
    }

    func tap() async throws { try await app?.tapAsync("wait") }
    func begin() throws { try app?.start("wait") }
    var busy: [String] { app?.host.busyIntents ?? [] }
    var text: String { app?.text ?? "none" }
  }

  @Test func `a released host releases its actor, and everything that ran there`() async throws {
    weak var weakScreen: Screen?
    do {
      let screen = Screen()
      try await screen.start()
      try await screen.begin()
      #expect(await screen.busy == ["wait"])
      await screen.stop()
      #expect(await screen.text == "none")
      weakScreen = screen
    }
    for _ in 0..<10_000 where weakScreen != nil { await Task.yield() }
    #expect(weakScreen == nil)
  }

  @Test func `an actor that is released before the work started takes it along`() async throws {
    for _ in 0..<50 {
      weak var weakScreen: Screen?
      do {
        let screen = Screen()
        try await screen.start()
        await screen.stop()
        weakScreen = screen
      }
      for _ in 0..<10_000 where weakScreen != nil { await Task.yield() }
      #expect(weakScreen == nil)
    }
  }
}
