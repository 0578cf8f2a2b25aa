/// An element as a user perceives it in the output of a renderer.
///
/// Containers aren't elements here: the parts of a row, a section or a dialog follow each other, and
/// a title is a text.
public struct ShownElement: Hashable, Sendable, CustomStringConvertible {
  /// What an element is to its user.
  public enum Role: String, Sendable {
    /// A text, a title, or the title of a column.
    case text
    /// A button, or a row or title that acts as one.
    case button
    /// A link, inside the app or outside.
    case link
    /// A picture.
    case image
    /// A field for text.
    case field
    /// A control that is on or off.
    case toggle
    /// A control with options, of which one is chosen.
    case choice
    /// A bar that fills.
    case progress
  }

  /// A state in which a user finds an element.
  public enum State: String, Sendable {
    /// The element can't be used.
    case disabled
    /// An intent of the element is under way.
    case busy
    /// The element has the focus.
    case focused
  }

  /// What the element is.
  public var role: Role
  /// The text or label of the element, or the text in place of a picture.
  public var name: String
  /// The value of a control, as text; `nil` for other elements.
  ///
  /// It is the text of a field, `on` or `off` of a toggle, the title of a chosen option, or a
  /// percentage such as `50%`. A password may be any text but itself.
  public var value: String?
  /// The messages about the value that are shown with the element.
  public var errors: [String]
  /// The states of the element.
  public var states: Set<State>

  /// Creates an element.
  ///
  /// - Parameters:
  ///   - role: What the element is.
  ///   - name: The text or label of the element.
  ///   - value: The value of a control.
  ///   - errors: The messages about the value.
  ///   - states: The states of the element.
  public init(
    _ role: Role, named name: String, value: String? = nil, errors: [String] = [],
    states: Set<State> = []
  ) {
    (self.role, self.name, self.value) = (role, name, value)
    (self.errors, self.states) = (errors, states)
  }

  /// The element in one line, such as `field "Name" = "Ada" (focused)`.
  public var description: String {
    let value = value.map { " = \(ShownElement.short($0))" } ?? ""
    let errors = errors.map { " ! \(ShownElement.short($0))" }.joined()
    let states = states.map { " (\($0.rawValue))" }.sorted().joined()
    return "\(role.rawValue) \(ShownElement.short(name))\(value)\(errors)\(states)"
  }

  private static func short(_ text: String) -> String {
    text.utf8.count <= 200
      ? text.debugDescription : "\(text.prefix(60).debugDescription)…(\(text.utf8.count) bytes)"
  }

  /// Returns whether an element has the same role and name.
  func isNamed(like other: ShownElement) -> Bool { role == other.role && name == other.name }

  /// Returns whether an element on screen is the expected one.
  ///
  /// The focus matters only where it is expected, and the text in place of a picture may look like
  /// any other.
  func matches(_ expected: ShownElement) -> Bool {
    var shown = self
    if !expected.states.contains(.focused) { shown.states.remove(.focused) }
    if expected.role == .image, shown.role == .text { shown.role = .image }
    return shown == expected
  }
}
