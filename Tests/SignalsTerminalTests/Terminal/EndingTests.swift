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
  @MainActor @Suite(.serialized) struct `Terminal, given back whatever ends the process` {
    @Test func `a signal that was ignored is ignored, and the app continues`() async throws {
      let pty = try PseudoTerminal(width: 30, height: 5)
      pty.send("\r")
      await #expect(processExitsWith: .exitCode(3)) { [path = pty.path as String] in
        signal(SIGQUIT, SIG_IGN)
        signal(SIGUSR1, SIG_IGN)
        try await Terminals.`Terminal, given back on every way out`.run(path) {
          kill(getpid(), SIGQUIT)
          kill(getpid(), SIGUSR1)
          let file = unsafe open(path, O_RDWR | O_NOCTTY)
          var settings = termios()
          unsafe tcgetattr(file, &settings)
          exit(settings.c_lflag & tcflag_t(ICANON) == 0 ? 3 : 4)
        }
      }
      pty.expectRestored()
    }

    @Test func `a second SIGTERM ends an app also where the terminal takes nothing any more`()
      async throws
    {
      let pty = try PseudoTerminal(width: 30, height: 5)
      let driver = Task {
        try await pty.wait(for: "the app") { $0.emulator.text.hasSuffix("]") }
        pty.send("\r")
      }
      await #expect(processExitsWith: .signal(SIGTERM)) { [path = pty.path as String] in
        try await Terminals.`Terminal, given back on every way out`.run(path) {
          let file = unsafe open(path, O_WRONLY | O_NOCTTY | O_NONBLOCK)
          while unsafe write(file, "lost", 4) > 0 {}
          while true { kill(getpid(), SIGTERM) }
        }
      }
      try await driver.value
      pty.expectRestored()
    }

    @Test func `an app runs again, and shows then too what it does by itself`() async throws {
      let pty = try PseudoTerminal(width: 30, height: 5)
      let number = Signal(0)
      let app = TerminalApp(Store(), on: pty.device) { Text("number \(number.value)") }
      for turn in 0..<3 {
        let run = Task { try await app.run() }
        try await pty.wait(for: "the app") { $0.emulator.text == "number \(turn)" }
        number.value += 1
        try await pty.wait(for: "the next") { $0.emulator.text == "number \(turn + 1)" }
        // What was asked for at the end is not to be waited for at the next beginning.
        number.value += 0
        pty.send("\u{3}")
        try await run.value
      }
    }
  }
}
