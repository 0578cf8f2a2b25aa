/// Why there is no full-screen app, or none any more.
public enum TerminalError: Error, Equatable, CustomStringConvertible {
  /// Standard input, or what stands in for it, is no terminal.
  case inputIsNoTerminal
  /// Standard output, or what stands in for it, is no terminal.
  case outputIsNoTerminal
  /// The terminal can't place the cursor: its `TERM` is this.
  case dumb(term: String)
  /// Another app of this process has the terminal.
  case busy
  /// The terminal was closed while the app ran.
  case closed
  /// The process was asked to end by a signal that did not end it: `SIGINT`, `SIGTERM` or `SIGHUP`.
  case interrupted(signal: String)
  /// The system refused something.
  case system(code: Int32)

  /// Says what is wrong, and what could be done.
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
