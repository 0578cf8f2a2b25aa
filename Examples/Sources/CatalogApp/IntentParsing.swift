import ControlFile
import Signals

extension Intent {
  /// Reads an intent from a line: a word, and arguments after spaces and tabs.
  package init(parsing line: String) throws {
    var words = line.unicodeScalars.split { $0 == " " || $0 == "\t" }.map { String($0) }[...]
    guard let word = words.popFirst() else { throw IntentError.missingArgument("an intent") }
    func argument(_ name: String) throws -> String {
      guard let argument = words.popFirst() else { throw IntentError.missingArgument(name) }
      return argument
    }
    func package() throws -> ScalarText { ScalarText(try argument("the name of a package")) }
    switch word {
    case "filter":
      self = .filter(ScalarText(Intent.text(after: word, in: line)))
      return
    case "sort": self = try Intent.sort(argument("what to sort by"), words.popFirst())
    case "section":
      let name = try argument("the name of a section")
      self = .section(name == "all" ? nil : ScalarText(name))
    case "open": self = .open(try package())
    case "back": self = .back
    case "hold": self = .hold(try package())
    case "unhold": self = .unhold(try package())
    case "remove": self = .remove(try package())
    case "undo": self = .undo
    default: throw IntentError.unknownIntent(word)
    }
    if let superfluous = words.first { throw IntentError.superfluousArgument(superfluous) }
  }

  private static func sort(_ field: String, _ order: String?) throws -> Intent {
    guard let field = SortField(rawValue: field) else { throw IntentError.unknownField(field) }
    switch order {
    case nil, "asc"?: return .sort(field, .ascending)
    case "desc"?: return .sort(field, .descending)
    case let word?: throw IntentError.unknownOrder(word)
    }
  }

  /// The rest of a line after its first word, without white space around it.
  private static func text(after word: String, in line: String) -> String {
    let rest = line.unicodeScalars.drop { $0 == " " || $0 == "\t" }.dropFirst(
      word.unicodeScalars.count)
    let start = rest.drop { $0.isBlank }
    let end = start.lastIndex { !$0.isBlank }.map { start.index(after: $0) } ?? start.startIndex
    return String(String.UnicodeScalarView(start[..<end]))
  }
}

extension Unicode.Scalar {
  /// Whether this is ASCII white space.
  fileprivate var isBlank: Bool { self == " " || (0x09...0x0D).contains(value) }
}
