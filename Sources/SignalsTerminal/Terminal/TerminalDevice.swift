import CSignalsTTY

/// A terminal: where bytes come from and go to, and what it can show.
public struct TerminalDevice: Sendable {
  let input: Int32
  let output: Int32
  /// What the terminal can show.
  public let capabilities: TerminalCapabilities
  private let term: String

  /// The terminal of two open files, with capabilities from the environment.
  public init(input: Int32, output: Int32, environment: (String) -> String?) {
    self.input = input
    self.output = output
    term = environment("TERM") ?? ""
    capabilities = TerminalCapabilities(environment: environment)
  }

  /// The terminal that the process was started on: standard input and output.
  public static var standard: TerminalDevice {
    TerminalDevice(input: 0, output: 1, environment: ProcessEnvironment.value(of:))
  }

  /// Why there can be no full-screen app here; nil if there can.
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

  /// The size; 80×24 where the terminal does not tell.
  var size: (width: Int, height: Int) {
    var (width, height): (Int32, Int32) = (0, 0)
    guard unsafe signals_tty_size(output, &width, &height) else { return (80, 24) }
    return (Int(width), Int(height))
  }

  /// The alternate screen; no wrapping, the mouse as SGR tells it, pastes in brackets.
  private static let enter = "\u{1B}[?1049h\u{1B}[?7l\u{1B}[?1002h\u{1B}[?1006h\u{1B}[?2004h"
  /// The same back, from whatever was on: the update, the region that scrolls, the style, the cursor.
  private static let leave =
    "\u{1B}[?2026l\u{1B}[r\u{1B}[?2004l\u{1B}[?1006l\u{1B}[?1002l\u{1B}[?7h\u{1B}[0m\u{1B}[?25h"
    + "\u{1B}[?1049l"

  /// Takes the terminal for a full-screen app; signals are told to `wake`.
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

  /// `EBUSY`, on every system there is.
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
