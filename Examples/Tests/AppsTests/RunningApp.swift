import Foundation
import Testing

/// An example as its user has it: the built program, in a session of its own, on a pseudo-terminal.
///
/// State: `user`, the user's end of the terminal; `screen` and `written`, what came of the program; `ending`, how it
/// ended, once it is known.
final class RunningApp {
  /// How a process ended.
  enum Ending: Equatable {
    case exit(Int32)
    case signal(Int32)
  }

  struct Failure: Error, CustomStringConvertible {
    let description: String
  }

  private(set) var screen: EmulatedScreen
  private(set) var written = ""
  private(set) var ending: Ending?
  private let user: Int32
  private let process: pid_t
  private let modesBefore: [UInt8]

  /// Starts a program that was built beside the tests; with `script`, in a shell, whose `$0` is the program.
  init(
    _ name: String, _ arguments: [String] = [], width: Int, height: Int, script: String? = nil
  ) throws {
    screen = EmulatedScreen(width: width, height: height)
    // `posix_openpt`, `unlockpt` and `ptsname`, which Swift does not see, are these on Linux.
    user = unsafe open("/dev/ptmx", O_RDWR | O_NOCTTY | O_CLOEXEC)
    var (lock, number): (Int32, UInt32) = (0, 0)
    var size = winsize(ws_row: UInt16(height), ws_col: UInt16(width), ws_xpixel: 0, ws_ypixel: 0)
    guard user >= 0, unsafe ioctl(user, 0x4004_5431, &lock) == 0,
      unsafe ioctl(user, 0x8004_5430, &number) == 0,
      unsafe ioctl(user, UInt(TIOCSWINSZ), &size) == 0
    else { throw Failure(description: "there is no pseudo-terminal") }
    _ = fcntl(user, F_SETFL, O_NONBLOCK)
    // As nobody would set it by himself: what the user had comes back, not what is usual.
    var modes = termios()
    _ = unsafe tcgetattr(user, &modes)
    modes.c_iflag &= ~tcflag_t(IXON)
    _ = unsafe tcsetattr(user, TCSANOW, &modes)
    modesBefore = RunningApp.modes(user)
    let program = URL(filePath: CommandLine.arguments[0]).deletingLastPathComponent()
      .appending(path: name).path(percentEncoded: false)
    let words = (script.map { ["/bin/sh", "-m", "-c", $0] } ?? []) + [program] + arguments
    process = try RunningApp.spawn(words, on: "/dev/pts/\(number)")
  }

  private static func spawn(_ words: [String], on path: String) throws -> pid_t {
    var files = unsafe posix_spawn_file_actions_t()
    unsafe posix_spawn_file_actions_init(&files)
    defer { unsafe posix_spawn_file_actions_destroy(&files) }
    // What other tests have open here is nothing to a program, which would keep their pipes from their end.
    for file in Int32(3)..<256 { unsafe posix_spawn_file_actions_addclose(&files, file) }
    // The leader of a session gets the first terminal that it opens.
    unsafe posix_spawn_file_actions_addopen(&files, 0, path, O_RDWR, 0)
    unsafe posix_spawn_file_actions_adddup2(&files, 0, 1)
    unsafe posix_spawn_file_actions_adddup2(&files, 0, 2)
    var attributes = posix_spawnattr_t()
    unsafe posix_spawnattr_init(&attributes)
    defer { unsafe posix_spawnattr_destroy(&attributes) }
    // A thread of a pool blocks signals, which a program would inherit.
    var (none, usual) = (sigset_t(), sigset_t())
    unsafe sigemptyset(&none)
    unsafe sigemptyset(&usual)
    for signal in [SIGHUP, SIGINT, SIGQUIT, SIGPIPE, SIGTERM, SIGTSTP, SIGTTIN, SIGTTOU] {
      unsafe sigaddset(&usual, signal)
    }
    unsafe posix_spawnattr_setsigmask(&attributes, &none)
    unsafe posix_spawnattr_setsigdefault(&attributes, &usual)
    // The last is `POSIX_SPAWN_SETSID`, which Swift does not see.
    let flags = Int32(POSIX_SPAWN_SETSIGDEF) | Int32(POSIX_SPAWN_SETSIGMASK) | 0x80
    unsafe posix_spawnattr_setflags(&attributes, Int16(flags))
    let environment = ["TERM=xterm-256color", "LANG=C.UTF-8"]
    var (argv, envp) = unsafe (copies(of: words), copies(of: environment))
    defer {
      unsafe argv.forEach { unsafe free($0) }
      unsafe envp.forEach { unsafe free($0) }
    }
    var process: pid_t = 0
    let code = unsafe posix_spawn(
      &process, words[0], &files, &attributes, &argv, &envp)
    guard code == 0 else { throw Failure(description: "\(words[0]) can't be started: \(code)") }
    return process
  }

  /// C's own copies of words, and the nil that ends them.
  private static func copies(of words: [String]) -> [UnsafeMutablePointer<CChar>?] {
    var copies: [UnsafeMutablePointer<CChar>?] = unsafe []
    for word in words { unsafe copies.append(strdup(word)) }
    unsafe copies.append(nil)
    return unsafe copies
  }

  deinit {
    if ending == nil {
      kill(process, SIGKILL)
      _ = waitpid(process, nil, 0)
    }
    close(user)
  }

  // MARK: - What a user does

  /// Types bytes.
  func type(_ text: String) {
    let bytes = Array(text.utf8)
    _ = unsafe bytes.withUnsafeBufferPointer { unsafe write(user, $0.baseAddress, $0.count) }
  }

  /// Sends a signal to the program, or to the job that has the terminal.
  func send(_ signal: Int32) { kill(-tcgetpgrp(user), signal) }

  // MARK: - What is seen

  private static func modes(_ terminal: Int32) -> [UInt8] {
    var modes = termios()
    _ = unsafe tcgetattr(terminal, &modes)
    return unsafe withUnsafeBytes(of: &modes) { unsafe Array($0) }
  }

  /// Whether the terminal is as it was before the program: its modes, its screen, its cursor.
  var isRestored: Bool {
    RunningApp.modes(user) == modesBefore && screen.modes == ["?7", "?25"]
  }

  private func read() {
    var bytes = [UInt8](repeating: 0, count: 65536)
    while true {
      let count = unsafe bytes.withUnsafeMutableBytes {
        unsafe Glibc.read(user, $0.baseAddress, $0.count)
      }
      guard count > 0 else { return }
      screen.write(bytes[..<count])
      written += String(decoding: bytes[..<count], as: UTF8.self)
    }
  }

  /// Waits until something is so, for 20 seconds at most.
  nonisolated(nonsending) func wait(
    for what: String, _ condition: (RunningApp) -> Bool
  ) async throws {
    let clock = ContinuousClock()
    let end = clock.now + .seconds(20)
    while true {
      let hasEnded = ending != nil
      read()
      if condition(self) { return }
      if hasEnded || clock.now > end {
        let why = ending.map { "ended with \($0)" } ?? "20 seconds have passed"
        throw Failure(description: "waited for \(what), but \(why); on screen:\n\(screen.text)")
      }
      var status: Int32 = 0
      if unsafe waitpid(process, &status, WNOHANG) == process {
        ending = status & 0x7F == 0 ? .exit(status >> 8 & 0xFF) : .signal(status & 0x7F)
      } else {
        var file = pollfd(fd: user, events: Int16(POLLIN), revents: 0)
        _ = unsafe poll(&file, 1, 10)
      }
      await Task.yield()
    }
  }

  /// Waits until a text is on screen.
  nonisolated(nonsending) func wait(_ text: String) async throws {
    try await wait(for: "\"\(text)\"") { $0.screen.text.contains(text) }
  }

  /// Expects that the program ends, and gives the terminal back.
  nonisolated(nonsending) func expectEnd(
    _ expected: Ending, sourceLocation: SourceLocation = #_sourceLocation
  ) async throws {
    try await wait(for: "the end") { $0.ending != nil }
    #expect(ending == expected, sourceLocation: sourceLocation)
    #expect(isRestored, sourceLocation: sourceLocation)
    #expect(written.contains("\u{1B}[?1049h"), sourceLocation: sourceLocation)
    #expect(written.contains("\u{1B}[?1049l"), sourceLocation: sourceLocation)
    #expect(screen.unknown == [], sourceLocation: sourceLocation)
  }
}
