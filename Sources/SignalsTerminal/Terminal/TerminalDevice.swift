import CSignalsTTY

/// A terminal: its input, its output and its capabilities.
public struct TerminalDevice: Sendable {
  let input: Int32
  let output: Int32
  /// The colors and characters that the terminal can show.
  public let capabilities: TerminalCapabilities
  private let term: String

  /// Creates a terminal from two open files, with capabilities from the environment.
  ///
  /// - Parameters:
  ///   - input: The file descriptor to read from.
  ///   - output: The file descriptor to write to.
  ///   - environment: Returns the value of an environment variable, or nil if it isn't set.
  public init(input: Int32, output: Int32, environment: (String) -> String?) {
    self.input = input
    self.output = output
    term = environment("TERM") ?? ""
    capabilities = TerminalCapabilities(environment: environment)
  }

  /// The terminal of the process: standard input and standard output.
  public static var standard: TerminalDevice {
    TerminalDevice(input: 0, output: 1, environment: ProcessEnvironment.value(of:))
  }

  /// The reason why this device can't run a full-screen app; nil if it can.
  ///
  /// ```swift
  /// if let problem = TerminalDevice.standard.problem { print("no full screen: \(problem)") }
  /// ```
  public var problem: TerminalError? {
    switch signals_tty_problem(input, output) {
    case 1: .inputIsNoTerminal
    case 2: .outputIsNoTerminal
    default: term.isEmpty || term == "dumb" ? .dumb(term: term) : nil
    }
  }

  /// The size in cells; 80×24 if the terminal doesn't report one.
  var size: (width: Int, height: Int) {
    var (width, height): (Int32, Int32) = (0, 0)
    guard unsafe signals_tty_size(output, &width, &height) else { return (80, 24) }
    return (Int(width), Int(height))
  }

  /// Switches to the alternate screen, disables wrapping, and enables mouse reports (SGR) and
  /// bracketed pastes.
  private static let enter = "\u{1B}[?1049h\u{1B}[?7l\u{1B}[?1002h\u{1B}[?1006h\u{1B}[?2004h"
  /// Undoes `enter` from any state.
  ///
  /// Also ends a synchronized update and resets the scroll region, the style and the cursor.
  private static let leave =
    "\u{1B}[?2026l\u{1B}[r\u{1B}[?2004l\u{1B}[?1006l\u{1B}[?1002l\u{1B}[?7h\u{1B}[0m\u{1B}[?25h"
    + "\u{1B}[?1049l"

  /// Takes the terminal for a full-screen app.
  ///
  /// Signal handlers write to `wake`.
  func take(wake: Int32) throws {
    if let problem { throw problem }
    let (enter, leave) = (TerminalDevice.enter, TerminalDevice.leave)
    let code = unsafe signals_tty_take(
      input, output, wake, enter, enter.utf8.count, leave, leave.utf8.count)
    switch code {
    case 0: return
    case TerminalDevice.busy: throw TerminalError.busy
    default: throw TerminalError.system(code: code)
    }
  }

  /// The value of `EBUSY`, which is the same on all supported systems.
  private static let busy: Int32 = 16

  func write(_ bytes: [UInt8]) throws {
    if bytes.isEmpty { return }
    let code = unsafe bytes.withUnsafeBufferPointer { buffer in
      guard let start = buffer.baseAddress else { return Int32(0) }
      return unsafe signals_tty_write(output, start, buffer.count)
    }
    if code != 0 { throw TerminalError.closed }
  }
}
