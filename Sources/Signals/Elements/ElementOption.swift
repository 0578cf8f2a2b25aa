/// An option of a picker, with an identity by which it is chosen and a title to show.
///
/// A ``Picker`` derives the ids of its options from their values, so two dishes with the same title
/// are two options. The id of a literal is its title.
public struct ElementOption: Hashable, Sendable, ExpressibleByStringLiteral,
  CustomStringConvertible
{
  /// The identity of the option, which ``ElementInput/choice(_:)`` takes.
  public let id: String
  /// The text that the user sees.
  public let title: String

  /// Creates an option.
  ///
  /// - Parameters:
  ///   - id: The name by which the option is chosen.
  ///   - title: The text that is shown for it.
  public init(id: String, title: String) {
    self.id = id
    self.title = title
  }

  /// Creates an option whose id is its title.
  public init(stringLiteral title: String) { self.init(id: title, title: title) }

  /// The title, preceded by the id if it differs.
  public var description: String { id == title ? title : "\(id) (\(title))" }
}

extension DrawnElement {
  /// The options of a picker; empty for any other element.
  public var options: [ElementOption] {
    if case .choice(_, let options) = value { options } else { [] }
  }

  /// Returns the option with the given title, if there is exactly one, or else the option with the
  /// given id.
  ///
  /// - Parameter name: The title or the id.
  /// - Returns: The option; nil if no option matches.
  public func option(_ name: String) -> ElementOption? {
    let titled = Set(options.filter { $0.title == name })
    if titled.count == 1 { return titled.first }
    return options.first { $0.id == name }
  }
}
