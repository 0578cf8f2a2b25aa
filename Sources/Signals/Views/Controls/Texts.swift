/// A piece of text.
public struct Text: ElementContent {
  /// The element that represents this content in a body.
  public let element: Element

  /// Shows a string.
  ///
  /// - Parameters:
  ///   - text: The string.
  ///   - id: The name by which intents and tests find the element.
  public init(_ text: String, id: String? = nil) {
    element = Element(kind: .text, id: id, text: text)
  }
}

/// The errors of a value that no single field shows, such as a list of rows or a group of fields.
///
/// It is empty without errors. A ``TextField`` and the other fields show their errors themselves.
/// Renderers find the errors in ``DrawnElement/errors``.
///
/// ```swift
/// Section("Attendees") { ForEach(draft.attendees) { Text($0.name) } }
/// ErrorText(of: $draft.attendees)
/// ```
public struct ErrorText: ElementContent {
  /// The element that represents this content in a body.
  public let element: Element

  /// Shows the errors of a binding's value.
  ///
  /// - Parameters:
  ///   - binding: The binding whose errors are shown.
  ///   - id: The name by which intents and tests find the element.
  public init<Value>(of binding: Binding<Value>, id: String? = nil) {
    self.init(binding.errors, id: id)
  }

  /// Shows the given errors.
  ///
  /// - Parameters:
  ///   - errors: The messages; nothing is shown if there are none.
  ///   - id: The name by which intents and tests find the element.
  public init(_ errors: [String], id: String? = nil) {
    element = Element(kind: .errorText, id: id, errors: errors)
  }
}

extension ElementContent {
  /// Adds the errors of a binding's value below this content; see ``ErrorText``.
  ///
  /// - Returns: This content, followed by the errors.
  public func errors<Value>(of binding: Binding<Value>) -> Element {
    Element(.group([element, ErrorText(of: binding).element]))
  }
}

/// A line that separates the content above it from the content below.
public struct Divider: ElementContent {
  /// The element that represents this content in a body.
  public let element: Element

  /// Creates a separator line.
  public init() { element = Element(kind: .divider) }
}

/// A bar that shows a fraction of a whole.
public struct ProgressBar: ElementContent {
  /// The element that represents this content in a body.
  public let element: Element

  /// Shows a part of a total.
  ///
  /// Values outside of the total are shown as none or all of it.
  ///
  /// - Parameters:
  ///   - label: The text beside the bar.
  ///   - value: The part that is done, in the unit of `total`.
  ///   - total: The value of a full bar.
  ///   - id: The name by which intents and tests find the element.
  public init(_ label: String = "", value: Double, total: Double = 1, id: String? = nil) {
    let part = total > 0 && value.isFinite ? min(max(value / total, 0), 1) : 0
    element = Element(kind: .progressBar, id: id, text: label, value: .fraction(part))
  }
}
