import Signals
import SignalsTesting
import TestSupport
import Testing

/// Intents that may suspend.
@Suite struct `Views, async intents` {
  struct Stop: Error, Equatable {}

  /// Opens once.
  actor Gate {
    private var isOpen = false
    private var waiting: [CheckedContinuation<Void, Never>] = []

    func open() {
      isOpen = true
      for one in waiting { one.resume() }
      waiting = []
    }

    func pass() async {
      if !isOpen { await withCheckedContinuation { waiting.append($0) } }
    }
  }

  @Test func `each write between awaits is its own commit`() async throws {
    let (store, notes) = try notes(1)
    var ranks: [Int] = []
    let token = store.commits.sink { _ in ranks.append(notes[0].rank) }
    let app = try TestHost(store) {
      Text("\(notes[0].rank)")
      Button("load") {
        notes[0].rank = 1
        await Task.yield()
        try store.write {
          notes[0].title = "loaded"
          notes[0].rank = 2
        }
        await Task.yield()
        notes[0].rank = 3
      }
    }
    try await app.tapAsync("load")
    #expect((ranks, app.frames, app.text) == ([1, 2, 3], 6, "3\n[load]"))
    token.cancel()
  }

  @Test func `what it throws reaches onError and the caller`() async throws {
    let (store, notes) = try notes(1)
    let app = try TestHost(store) {
      Button("fail") {
        notes[0].rank = 1
        await Task.yield()
        throw Stop()
      }
    }
    var handled = 0
    app.host.onError = { if $0 is Stop { handled += 1 } }
    await #expect(throws: Stop()) { try await app.tapAsync("fail") }
    #expect((handled, notes[0].rank) == (1, 1), "what was committed before stays")
  }

  @Test func `performAsync runs a synchronous intent too`() async throws {
    let number = Signal(0), text = Signal("")
    let app = try TestHost(Store()) {
      Button("add") { number.value += 1 }
      TextField("text", text: text.binding)
    }
    try await app.host.performAsync("add")
    try await app.host.performAsync("text", with: .text("typed"))
    #expect((number.value, text.value) == (1, "typed"))
    await #expect(throws: HostError.noElement("sub", nearest: ["add", "text"])) {
      try await app.host.performAsync("sub")
    }
  }

  @Test func `without an actor a host runs one at a time`() async throws {
    final class Box { var app: TestHost? }
    let box = Box(), log = Count()
    box.app = try TestHost(Store(), isolation: nil) {
      Button("outer") {
        do { try await box.app?.host.performAsync("inner") } catch { log.log.append("\(error)") }
      }
      Button("inner") {
        await Task.yield()
        log.log.append("ran")
      }
    }
    try await box.app?.tapAsync("outer")
    #expect(log.log == [#"another async intent is under way, "inner" has to wait"#])
    try await box.app?.tapAsync("inner")
    #expect(log.log.last == "ran")
    box.app = nil
  }

  /// A screen that lives on an actor.
  actor Screen {
    let gate = Gate()
    let log = Signal<[String]>([])
    private var app: TestHost?

    func start() throws {
      let gate = gate, log = log
      app = try TestHost(Store()) {
        Text(log.value.joined(separator: " "))
        Button("wait") {
          log.value.append("begin")
          await gate.pass()
          log.value.append("end")
        }
        Button("pass") {
          log.value.append("passed")
          await gate.open()
        }
      }
    }

    func tap(_ id: String) async throws { try await app?.tapAsync(id) }

    var text: String { app?.text ?? "" }
  }

  @Test func `on an actor they may overlap`() async throws {
    let screen = Screen()
    try await screen.start()
    async let waiting: Void = screen.tap("wait")
    while await !screen.text.contains("begin") { await Task.yield() }
    try await screen.tap("pass")
    try await waiting
    #expect(await screen.text == "begin passed end\n[wait]\n[pass]")
  }

  @Test func `a host doesn't keep the actor that owns it`() async throws {
    weak var weakScreen: Screen?
    do {
      let screen = Screen()
      try await screen.start()
      #expect(await screen.text == "\n[wait]\n[pass]")
      weakScreen = screen
    }
    // An actor may be released by a job of its own, a moment later.
    for _ in 0..<1000 where weakScreen != nil { await Task.yield() }
    #expect(weakScreen == nil)
  }
}
