/// A piece of text.
public struct Text: ElementContent {
  /// What stands in the body.
  public let element: Element

  /// Shows a string.
  public init(_ text: String, id: String? = nil) {
    element = Element(kind: .text, id: id, text: text)
  }
}

/// What is wrong with a value that no single field shows: a list of rows, a group of fields.
///
/// Nothing while nothing is wrong; a ``TextField`` and its siblings show it themselves. Renderers find it in
/// ``DrawnElement/errors``.
///
/// ```swift
/// Section("Attendees") { ForEach(draft.attendees) { Text($0.name) } }
/// ErrorText(of: $draft.attendees)
/// ```
public struct ErrorText: ElementContent {
  /// What stands in the body.
  public let element: Element

  /// Shows what is wrong with the value of a binding, as a form does.
  public init<Value>(of binding: Binding<Value>, id: String? = nil) {
    self.init(binding.errors, id: id)
  }

  /// Shows some errors.
  public init(_ errors: [String], id: String? = nil) {
    element = Element(kind: .errorText, id: id, errors: errors)
  }
}

extension ElementContent {
  /// This content, and below it what is wrong with the value of a binding; see ``ErrorText``.
  public func errors<Value>(of binding: Binding<Value>) -> Element {
    Element(.group([element, ErrorText(of: binding).element]))
  }
}

/// A line between what is above and what is below.
public struct Divider: ElementContent {
  /// What stands in the body.
  public let element: Element

  /// Draws a line.
  public init() { element = Element(kind: .divider) }
}

/// How much of a whole is done.
public struct ProgressBar: ElementContent {
  /// What stands in the body.
  public let element: Element

  /// Shows a part of a total; parts outside of it show as none or all of it.
  public init(_ label: String = "", value: Double, total: Double = 1, id: String? = nil) {
    let part = total > 0 && value.isFinite ? min(max(value / total, 0), 1) : 0
    element = Element(kind: .progressBar, id: id, text: label, value: .fraction(part))
  }
}

extension ElementKind {
  /// A piece of text.
  public static let text = ElementKind("text")
  /// What is wrong with a value.
  public static let errorText = ElementKind("errorText")
  /// A line.
  public static let divider = ElementKind("divider")
  /// A bar that fills.
  public static let progressBar = ElementKind("progressBar")
}
