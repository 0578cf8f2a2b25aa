/// A reason why a full-screen app can't start, or has ended.
public enum TerminalError: Error, Equatable, CustomStringConvertible {
  /// Standard input, or the file used instead, isn't a terminal.
  case inputIsNoTerminal
  /// Standard output, or the file used instead, isn't a terminal.
  case outputIsNoTerminal
  /// The terminal can't position the cursor, according to the value of `TERM`.
  case dumb(term: String)
  /// Another app of this process has already taken the terminal.
  case busy
  /// The terminal was closed while the app was running.
  case closed
  /// The process was asked to end by a signal that didn't end it: `SIGINT`, `SIGTERM` or `SIGHUP`.
  case interrupted(signal: String)
  /// A system call failed with an error number.
  case system(code: Int32)

  /// A message that describes the problem.
  public var description: String {
    switch self {
    case .inputIsNoTerminal: "standard input is no terminal"
    case .outputIsNoTerminal: "standard output is no terminal"
    case .dumb(let term):
      term.isEmpty
        ? "the terminal is unknown: TERM is not set"
        : "the terminal can't show a full screen: TERM is \"\(term)\""
    case .busy: "another full-screen app of this process has the terminal"
    case .closed: "the terminal was closed"
    case .interrupted(let signal): "asked to end by \(signal)"
    case .system(let code): "the terminal can't be used: error \(code) of the system"
    }
  }
}
