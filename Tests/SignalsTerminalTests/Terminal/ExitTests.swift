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

/// Suites that take a terminal, one after the other: a process has one at a time.
@Suite(.serialized) enum Terminals {}

extension Terminals {
  @MainActor @Suite(.serialized) struct `Terminal, given back on every way out` {
    /// Runs an app in this process on a terminal that another process has opened.
    static func run(_ path: String, _ body: @escaping () throws -> Void) async throws {
      // What has been referenced weakly looks leaked in a process that exits while it is there.
      if let disable = unsafe dlsym(nil, "__lsan_disable") {
        unsafe unsafeBitCast(disable, to: (@convention(c) () -> Void).self)()
      }
      let file = unsafe open(path, O_RDWR | O_NOCTTY)
      let device = TerminalDevice(
        input: file, output: file, environment: PseudoTerminal.environment)
      let app = TerminalApp(Store(), on: device) {
        Button("pid \(getpid())", id: "go") { try body() }
      }
      try await app.run()
    }

    @Test func `a trap`() async throws {
      let pty = try PseudoTerminal(width: 30, height: 5)
      pty.send("\r")
      await #expect(processExitsWith: .failure) { [path = pty.path as String] in
        try await Terminals.`Terminal, given back on every way out`.run(path) {
          let none: [Int] = []
          // Beyond the end.
          print(none[Int(getpid())])
        }
      }
      pty.expectRestored()
    }

    @Test func `a segmentation fault, and an abort`() async throws {
      for signal in [SIGSEGV, SIGABRT] {
        // A thread of a pool has the second blocked, but for `abort`.
        let pty = try PseudoTerminal(width: 30, height: 5)
        pty.send("\r")
        // A sanitizer makes its own end of either.
        await #expect(processExitsWith: .failure) {
          [path = pty.path as String, signal = signal as Int32] in
          try await Terminals.`Terminal, given back on every way out`.run(path) {
            if signal == SIGABRT { abort() } else { raise(signal) }
          }
        }
        pty.expectRestored()
      }
    }

    @Test func `an exit in the middle`() async throws {
      let pty = try PseudoTerminal(width: 30, height: 5)
      pty.send("\r")
      await #expect(processExitsWith: .exitCode(3)) { [path = pty.path as String] in
        try await Terminals.`Terminal, given back on every way out`.run(path) { exit(3) }
      }
      pty.expectRestored()
    }

    @Test func `signals that end a process end it as they would without an app`() async throws {
      for signal in [SIGTERM, SIGINT, SIGHUP, SIGALRM, SIGUSR1, SIGXCPU] {
        let pty = try PseudoTerminal(width: 30, height: 5)
        pty.send("\r")
        await #expect(processExitsWith: .signal(signal)) {
          [path = pty.path as String, signal = signal as Int32] in
          try await Terminals.`Terminal, given back on every way out`.run(path) {
            kill(getpid(), signal)
          }
        }
        pty.expectRestored()
      }
    }

    @Test func `a second SIGTERM ends an app that hangs`() async throws {
      let pty = try PseudoTerminal(width: 30, height: 5)
      pty.send("\r")
      await #expect(processExitsWith: .signal(SIGTERM)) { [path = pty.path as String] in
        try await Terminals.`Terminal, given back on every way out`.run(path) {
          // Those that nobody has taken yet are one.
          while true { kill(getpid(), SIGTERM) }
        }
      }
      pty.expectRestored()
    }

    @Test func `ctrl-c three times ends an app that hangs`() async throws {
      let pty = try PseudoTerminal(width: 30, height: 5)
      let driver = Task {
        try await pty.wait(for: "the app") { $0.emulator.text.hasSuffix("]") }
        pty.send("\r")
        try await pty.wait(for: "the hang") {
          String(decoding: $0.written, as: UTF8.self).contains("hangs")
        }
        pty.send("\u{3}\u{3}\u{3}")
      }
      await #expect(processExitsWith: .signal(SIGINT)) { [path = pty.path as String] in
        try await Terminals.`Terminal, given back on every way out`.run(path) {
          let file = unsafe open(path, O_WRONLY | O_NOCTTY)
          _ = unsafe write(file, "hangs", 5)
          while getpid() > 0 {}
        }
      }
      try await driver.value
      pty.expectRestored()
    }

    @Test func `while it is suspended, and taken again after`() async throws {
      let pty = try PseudoTerminal(width: 30, height: 5)
      let driver = Task {
        try await pty.wait(for: "the app") { $0.emulator.text.hasSuffix("]") }
        let digits = pty.emulator.text.filter(\.isNumber)
        let process = try #require(Int32(digits))
        pty.send("\u{1A}")
        // Where there is no shell to stop for the process goes on at once.
        try await pty.wait(for: "the terminal, given back and taken") { pty in
          kill(process, SIGCONT)
          let text = String(decoding: pty.written, as: UTF8.self)
          guard let back = text.firstRange(of: "\u{1B}[?1049l") else { return false }
          return text[back.upperBound...].contains("[pid")
        }
        pty.send("\r")
      }
      await #expect(processExitsWith: .exitCode(4)) { [path = pty.path as String] in
        try await Terminals.`Terminal, given back on every way out`.run(path) { exit(4) }
      }
      try await driver.value
      pty.expectRestored()
    }

    /// Runs an app on a terminal that goes while it runs.
    private static func runOnClosing() async throws {
      let pty = try PseudoTerminal(width: 30, height: 5)
      pty.send("\r")
      var open: PseudoTerminal? = pty
      do {
        let path = pty.path
        try await run(path) {
          open?.closeAll()
          open = nil
        }
      } catch TerminalError.closed { exit(5) }
    }

    @Test func `a terminal that is closed ends the app with an error`() async throws {
      await #expect(processExitsWith: .exitCode(5)) {
        try await Terminals.`Terminal, given back on every way out`.runOnClosing()
      }
    }
  }
}
