import SignalsTerminal

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// A pseudo-terminal: what a program writes to it is shown by an emulator.
final class PseudoTerminal {
  /// The end that is the user's.
  private var user: Int32
  /// The end that is the program's; open here too, so that its settings can be seen when the program has gone.
  private(set) var file: Int32
  /// Where another process finds the program's end.
  let path: String
  private(set) var emulator: Emulator
  /// All that was written.
  private(set) var written: [UInt8] = []

  struct Failure: Error, CustomStringConvertible {
    let description: String
  }

  init(width: Int, height: Int) throws {
    (user, path) = try PseudoTerminal.make()
    file = unsafe open(path, O_RDWR | O_NOCTTY)
    emulator = Emulator(width: width, height: height)
    _ = fcntl(user, F_SETFL, O_NONBLOCK)
    resize(width: width, height: height)
  }

  private static func make() throws -> (user: Int32, path: String) {
    #if os(Linux)
      // What the C library does, whose functions for it Swift does not see.
      let user = unsafe open("/dev/ptmx", O_RDWR | O_NOCTTY)
      var (lock, number): (Int32, UInt32) = (0, 0)
      let (unlock, name): (UInt, UInt) = (0x4004_5431, 0x8004_5430)
      guard user >= 0, unsafe ioctl(user, unlock, &lock) == 0,
        unsafe ioctl(user, name, &number) == 0
      else { throw Failure(description: "there is no pseudo-terminal") }
      return (user, "/dev/pts/\(number)")
    #else
      let user = posix_openpt(O_RDWR | O_NOCTTY)
      guard user >= 0, grantpt(user) == 0, unlockpt(user) == 0, let name = unsafe ptsname(user)
      else { throw Failure(description: "there is no pseudo-terminal") }
      return (user, unsafe String(cString: name))
    #endif
  }

  deinit { closeAll() }

  /// Takes the terminal away from whoever has it.
  func closeAll() {
    hangUp()
    if file >= 0 { close(file) }
    file = -1
  }

  /// Ends what the user has of it: writing fails from now on.
  func hangUp() {
    if user >= 0 { close(user) }
    user = -1
  }

  func resize(width: Int, height: Int) {
    var size = winsize(
      ws_row: UInt16(height), ws_col: UInt16(width), ws_xpixel: 0, ws_ypixel: 0)
    _ = unsafe ioctl(user, UInt(TIOCSWINSZ), &size)
    emulator = Emulator(width: width, height: height)
  }

  /// Types bytes.
  func send(_ text: String) {
    let bytes = Array(text.utf8)
    _ = unsafe bytes.withUnsafeBufferPointer { unsafe write(user, $0.baseAddress, $0.count) }
  }

  /// Whether the program reads whole lines, which are echoed: as a shell expects it.
  var isCooked: Bool {
    var settings = termios()
    guard unsafe tcgetattr(file, &settings) == 0 else { return false }
    let cooked = tcflag_t(ICANON | ECHO | ISIG)
    return settings.c_lflag & cooked == cooked && settings.c_oflag & tcflag_t(OPOST) != 0
      && settings.c_iflag & tcflag_t(ICRNL) != 0
  }

  /// Reads what was written by now.
  func read() {
    var bytes = [UInt8](repeating: 0, count: 65536)
    while true {
      let count = unsafe bytes.withUnsafeMutableBufferPointer {
        #if canImport(Glibc)
          unsafe Glibc.read(user, $0.baseAddress, $0.count)
        #elseif canImport(Musl)
          unsafe Musl.read(user, $0.baseAddress, $0.count)
        #else
          unsafe Darwin.read(user, $0.baseAddress, $0.count)
        #endif
      }
      guard count > 0 else { return }
      written += bytes[..<count]
      emulator.write(bytes[..<count])
    }
  }

  /// Reads until something is so; what never gets so is an error that shows the screen.
  nonisolated(nonsending) func wait(
    for what: String, _ condition: (PseudoTerminal) -> Bool
  ) async throws {
    let clock = ContinuousClock()
    let end = clock.now + .seconds(20)
    while true {
      read()
      if condition(self) { return }
      if clock.now > end {
        throw Failure(description: "waited for \(what); on screen:\n\(emulator.text)")
      }
      await Task.yield()
    }
  }

  /// What a program wants to know of its environment.
  static func environment(_ name: String) -> String? {
    ["TERM": "xterm-256color", "LANG": "C.UTF-8"][name]
  }

  /// The terminal as a program sees it.
  var device: TerminalDevice {
    TerminalDevice(input: file, output: file, environment: PseudoTerminal.environment)
  }

  func tell(_ signal: Int32) { _ = kill(getpid(), signal) }
}
