import Glibc
import SignalsTerminal

/// Whether an app is to be on a full screen: unless somebody wants plain lines, or there is no terminal for it.
///
/// Whoever sits at a terminal that can't show it is told why, by `say`.
public func isFullScreen(isPlain: Bool, otherwise say: (String) -> Void) -> Bool {
  if isPlain { return false }
  guard let problem = TerminalDevice.standard.problem else { return true }
  if isatty(STDIN_FILENO) != 0 { say("\(problem)") }
  return false
}
