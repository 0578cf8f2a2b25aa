/// One of the options that a picker offers: an identity by which it is chosen, and a title to be shown.
///
/// A ``Picker`` names its options by their values, so that two dishes with one title are two options. A literal is an
/// option whose id is its title.
public struct ElementOption: Hashable, Sendable, ExpressibleByStringLiteral,
  CustomStringConvertible
{
  /// What tells it from the other options: what ``ElementInput/choice(_:)`` is given.
  public let id: String
  /// What the user sees.
  public let title: String

  /// Creates an option.
  public init(id: String, title: String) {
    self.id = id
    self.title = title
  }

  /// Creates an option whose id is its title.
  public init(stringLiteral title: String) { self.init(id: title, title: title) }

  /// The title, after the id if that is another.
  public var description: String { id == title ? title : "\(id) (\(title))" }
}

extension DrawnElement {
  /// The options of a picker, and none of any other element.
  public var options: [ElementOption] {
    if case .choice(_, let options) = value { options } else { [] }
  }

  /// The option that a user calls by its title, or by its id; nil if that means none, or several.
  public func option(_ name: String) -> ElementOption? {
    let titled = Set(options.filter { $0.title == name })
    if titled.count == 1 { return titled.first }
    return options.first { $0.id == name }
  }
}

/// The values that a picker chooses from, and what is shown of them.
struct PickerOptions<Value: Hashable> {
  let picker: String
  let values: [Value]
  let shown: [ElementOption]

  init(_ picker: String, _ values: [Value], _ title: (Value) -> String) {
    self.picker = picker
    self.values = values
    shown = values.map { Self.option($0, title) }
  }

  static func option(_ value: Value, _ title: (Value) -> String) -> ElementOption {
    let title = title(value)
    return ElementOption(id: StableName.of(value) ?? title, title: title)
  }

  /// The value of an option; never the first of several that differ.
  func value(of id: String) throws -> Value {
    let found = shown.indices.filter { shown[$0].id == id }
    guard let first = found.first else {
      throw HostError.noOption(picker, option: id, options: shown.map(\.description))
    }
    guard found.allSatisfy({ values[$0] == values[first] }) else {
      throw HostError.ambiguousOption(picker, title: shown[first].title)
    }
    return values[first]
  }
}
