import Signals
import SignalsTerminal
import Testing

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

extension Terminals {
  @MainActor @Suite(.serialized) struct `Terminal, an app on it` {
    struct Screen: View {
      @State var text = ""
      @State var loaded = 0
      @Environment(\.terminalQuit) var quit

      var body: Element {
        Text("Hello, \(text)")
        TextField("Name", text: $text, id: "name")
        Button("Load", id: "load") {
          await Task.yield()
          loaded += 1
        }
        Text("loaded: \(loaded)")
        Button("Quit", id: "quit") { quit() }
      }
    }

    let pty: PseudoTerminal
    let app: TerminalApp

    init() throws {
      pty = try PseudoTerminal(width: 30, height: 8)
      app = TerminalApp(Store(), on: pty.device) { Screen() }
    }

    /// Runs the app until its first frame is to be seen.
    private func start() async throws -> Task<Void, any Error> {
      let app = app
      let run = Task { try await app.run() }
      try await pty.wait(for: "the first frame") { $0.emulator.text.contains("Hello") }
      return run
    }

    @Test func `shows itself, takes keys, and restores the terminal`() async throws {
      #expect(pty.isCooked)
      let run = try await start()
      #expect(!pty.isCooked)
      #expect(pty.emulator.modes.isSuperset(of: ["?1049", "?1006", "?2004"]))
      pty.send("Wo\u{1B}[Drld")
      try await pty.wait(for: "the text and the cursor") {
        $0.emulator.text.contains("Hello, Wrldo") && $0.emulator.cursor == (x: 10, y: 1)
      }
      #expect(
        pty.emulator.text == """
          Hello, Wrldo
          Name: Wrldo
          [Load]
          loaded: 0
          [Quit]
          """)
      pty.send("\t\t\r")
      try await run.value
      pty.read()
      #expect(pty.isCooked)
      #expect(pty.emulator.modes == ["?7", "?25"])
      #expect(pty.emulator.unknown == [])
      #expect(pty.emulator.text == "", "what was there before is there again")
    }

    @Test func `clicks that arrive together are meant for what was drawn before them`() async throws
    {
      let (count, other) = (Signal(0), Signal(0))
      let app = TerminalApp(Store(), on: pty.device) {
        for number in 0..<count.value { Button("Other \(number)") { other.value += 1 } }
        Button("Add", id: "add") { count.value += 1 }
      }
      let run = Task { try await app.run() }
      try await pty.wait(for: "the first frame") { $0.emulator.text == "[Add]" }
      let click = "\u{1B}[<0;2;1M\u{1B}[<0;2;1m"
      pty.send(click + click + click)
      try await pty.wait(for: "three rows") { $0.emulator.text.hasSuffix("2]\n[Add]") }
      #expect((count.value, other.value) == (3, 0))
      pty.send("\u{3}")
      try await run.value
    }

    @Test func `an async intent is shown when it has ended, without a key`() async throws {
      let run = try await start()
      pty.send("\t\r")
      try await pty.wait(for: "the load") { $0.emulator.text.contains("loaded: 1") }
      pty.send("\u{3}")
      try await run.value
    }

    @Test func `an escape alone is a key, and what is cut is put together`() async throws {
      let run = try await start()
      pty.send("a\u{1B}")
      pty.send("[H")
      pty.send("b")
      try await pty.wait(for: "the text") { $0.emulator.text.contains("Hello, ba") }
      pty.send("\u{3}")
      try await run.value
    }

    @Test func `an error that ends the app restores the terminal`() async throws {
      let output = try PseudoTerminal(width: 30, height: 8)
      let device = TerminalDevice(
        input: pty.file, output: output.file, environment: PseudoTerminal.environment)
      let app = TerminalApp(Store(), on: device) { Screen() }
      let run = Task { try await app.run() }
      try await output.wait(for: "the first frame") { $0.emulator.text.contains("Hello") }
      #expect(!pty.isCooked)
      output.hangUp()
      pty.send("x")
      await #expect(throws: TerminalError.self) { try await run.value }
      #expect(pty.isCooked)
    }

    @Test func `a new size draws the whole screen`() async throws {
      let run = try await start()
      pty.resize(width: 12, height: 10)
      pty.tell(SIGWINCH)
      try await pty.wait(for: "the size") {
        $0.emulator.text.hasPrefix("Needs 20×4")
      }
      pty.resize(width: 22, height: 10)
      pty.tell(SIGWINCH)
      try await pty.wait(for: "the size") { $0.emulator.text.hasSuffix("[Quit]") }
      pty.send("\u{3}")
      try await run.value
    }

    @Test func `what others drew over is drawn again after a continue`() async throws {
      let run = try await start()
      pty.resize(width: 30, height: 8)
      pty.tell(SIGCONT)
      try await pty.wait(for: "the screen") { $0.emulator.text.contains("Hello") }
      pty.send("\u{3}")
      try await run.value
    }

    @Test func `the end of its task is the end of the app`() async throws {
      let run = try await start()
      run.cancel()
      try await run.value
      #expect(pty.isCooked)
    }

    @Test func `there is one app at a time, and another after it`() async throws {
      let other = TerminalApp(Store(), on: pty.device) { Text("other") }
      let run = try await start()
      await #expect(throws: TerminalError.busy) { try await other.run() }
      pty.send("\u{3}")
      try await run.value
      let next = Task { try await other.run() }
      try await pty.wait(for: "the other") { $0.emulator.text == "other" }
      pty.send("\u{3}")
      try await next.value
    }

    @Test func `a terminal that is none, or dumb, is told before anything is written`() async throws
    {
      let dumb = TerminalDevice(input: pty.file, output: pty.file) { ["TERM": "dumb"][$0] }
      #expect(dumb.problem == .dumb(term: "dumb"))
      let unknown = TerminalDevice(input: pty.file, output: pty.file) { _ in nil }
      #expect(unknown.problem == .dumb(term: ""))
      let closed = TerminalDevice(
        input: -1, output: pty.file, environment: PseudoTerminal.environment)
      #expect(closed.problem == .inputIsNoTerminal)
      let app = TerminalApp(Store(), on: dumb) { Text("never") }
      await #expect(throws: TerminalError.dumb(term: "dumb")) { try await app.run() }
      pty.read()
      #expect(pty.written == [])
    }
  }
}
