/// What one line of a script asks for.
package enum Command: Equatable {
  /// Elements are named by their ids, or by what stands on them.
  case tap(String)
  case type(String, into: String)
  case submit(String)
  case choose(String, in: String)
  /// Lets seconds pass.
  case tick(Int)
  case undo

  /// Reads a line: a word, and arguments after spaces.
  package init(parsing line: String) throws {
    let words = line.split(separator: " ", maxSplits: 1).map(String.init)
    let rest = words.count > 1 ? words[1] : ""
    let (name, text) = Command.split(rest)
    switch words.first {
    case "tap" where !rest.isEmpty: self = .tap(rest)
    case "type" where !name.isEmpty: self = .type(text, into: name)
    case "submit" where !rest.isEmpty: self = .submit(rest)
    case "choose" where !text.isEmpty: self = .choose(text, in: name)
    case "tick":
      guard let seconds = Int(rest), seconds > 0 else { throw CommandError() }
      self = .tick(seconds)
    case "undo" where rest.isEmpty: self = .undo
    default: throw CommandError()
    }
  }

  private static func split(_ rest: String) -> (name: String, text: String) {
    let parts = rest.split(separator: " ", maxSplits: 1).map(String.init)
    return (parts.first ?? "", parts.count > 1 ? parts[1] : "")
  }
}

/// A line that asks for nothing known.
package struct CommandError: Error, CustomStringConvertible {
  /// What can be said.
  package var description: String {
    "say tap NAME, type NAME TEXT, submit NAME, choose NAME OPTION, tick SECONDS, undo or quit"
  }
}
