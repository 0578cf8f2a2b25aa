internal import Signals

/// Values as text that is the same in every run, and always one line.
///
/// - Strings are quoted, and so is any text that would not be seen: an empty one, one with blanks
///   around it.
/// - Sets and dictionaries are in the order of what is shown, at any depth, also within structs.
/// - Ids of objects are shown by the names of these.
///
/// State: `texts`, what random ids are called.
struct ValueText {
  var texts = StableTexts()
  var name: (ObjectID) -> String = { _ in "an object" }

  /// The text of a value.
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
    // What calls itself one, as `Data` does, may have an address among its parts.
    case .tuple where !ValueText.describesItself(value): return "(\(fields(mirror)))"
    default: break
    }
    return texts.stable(ValueText.word("\(value)"))
  }

  /// A text without quotes where that is safe: an id, what a value says of itself.
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
      // A tuple's elements without a name are called ".0".
      guard let label, !label.hasPrefix(".") else { return show(value) }
      return "\(label): \(show(value))"
    }.joined(separator: ", ")
  }

  private mutating func entry(_ pair: Any) -> String {
    Mirror(reflecting: pair).children.map { show($0.value) }.joined(separator: ": ")
  }

  /// The texts of parts that have no order of their own.
  private mutating func sorted(
    _ parts: [Any], _ show: (inout ValueText, Any) -> String
  ) -> String {
    // What is random must not decide about the order in which it gets its numbers.
    var blank = self
    blank.texts.mode = .blank
    let keys = parts.map { show(&blank, $0) }
    let order = parts.indices.sorted { keys[$0] < keys[$1] }
    return order.map { show(&self, parts[$0]) }.joined(separator: ", ")
  }
}
