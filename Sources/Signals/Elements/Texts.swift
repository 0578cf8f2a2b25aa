/// A piece of text.
public struct Text: ElementContent {
  /// What stands in the body.
  public let element: Element

  /// Shows a string.
  public init(_ text: String, id: String? = nil) {
    element = Element(kind: .text, id: id, text: text)
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
  /// A line.
  public static let divider = ElementKind("divider")
  /// A bar that fills.
  public static let progressBar = ElementKind("progressBar")
}
