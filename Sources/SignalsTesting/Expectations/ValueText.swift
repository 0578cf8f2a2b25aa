internal import Signals

/// Converts values to text that is the same in every run, and always one line.
///
/// - Strings are quoted. So is any other text that would otherwise be invisible, such as an empty
///   one or one with blanks around it.
/// - Sets and dictionaries are sorted by the text of their elements, at any depth, including within
///   structs.
/// - Ids of objects are replaced by the names of the objects.
///
/// State: `texts`, the numbers of random ids.
struct ValueText {
  var texts = StableTexts()
  var name: (ObjectID) -> String = { _ in "an object" }

  /// Returns the text of a value.
  mutating func show(_ value: Any) -> String {
    switch value {
    case let id as ObjectID: return name(id)
    case let text as any StringProtocol: return texts.stable(String(text).debugDescription)
    default: break
    }
    let mirror = Mirror(reflecting: value)
    switch mirror.displayStyle {
    case .optional: return mirror.children.first.map { show($0.value) } ?? "nil"
    case .collection: return "[\(mirror.children.map { show($0.value) }.joined(separator: ", "))]"
    case .set: return "[\(sorted(mirror.children.map(\.value)) { $0.show($1) })]"
    case .dictionary:
      let entries = sorted(mirror.children.map(\.value)) { $0.entry($1) }
      return entries.isEmpty ? "[:]" : "[\(entries)]"
    case .struct where !ValueText.describesItself(value):
      return "\(type(of: value))(\(fields(mirror)))"
    case .enum where !ValueText.describesItself(value):
      guard let payload = mirror.children.first else { break }
      let text = show(payload.value)
      let name = payload.label ?? ""
      return text.hasPrefix("(") ? name + text : "\(name)(\(text))"
    // A type whose mirror is a tuple, such as `Data`, may contain an address, so its own
    // description is used.
    case .tuple where !ValueText.describesItself(value): return "(\(fields(mirror)))"
    default: break
    }
    return texts.stable(ValueText.word("\(value)"))
  }

  /// Returns a text without quotes if that is unambiguous.
  ///
  /// Used for ids and the descriptions of values.
  static func word(_ text: String) -> String {
    guard let first = text.first, let last = text.last, !first.isWhitespace, !last.isWhitespace,
      !text.contains(where: \.isNewline)
    else { return text.debugDescription }
    return text
  }

  private static func describesItself(_ value: Any) -> Bool {
    value is any CustomStringConvertible || value is any CustomDebugStringConvertible
  }

  private mutating func fields(_ mirror: Mirror) -> String {
    mirror.children.map { label, value in
      // The unnamed elements of a tuple have labels such as ".0".
      guard let label, !label.hasPrefix(".") else { return show(value) }
      return "\(label): \(show(value))"
    }.joined(separator: ", ")
  }

  private mutating func entry(_ pair: Any) -> String {
    Mirror(reflecting: pair).children.map { show($0.value) }.joined(separator: ": ")
  }

  /// Returns the texts of elements that have no order, sorted.
  private mutating func sorted(
    _ parts: [Any], by show: (inout ValueText, Any) -> String
  ) -> String {
    // A random id must not influence the order in which ids get their numbers.
    var blank = self
    blank.texts.mode = .blank
    let keys = parts.map { show(&blank, $0) }
    let order = parts.indices.sorted { keys[$0] < keys[$1] }
    return order.map { show(&self, parts[$0]) }.joined(separator: ", ")
  }
}
