public import Signals

extension TestHost {
  /// Returns all elements on screen that satisfy a condition, in order.
  ///
  /// - Parameter isIncluded: The condition.
  /// - Returns: The elements, parents before their children.
  /// - Complexity: O(*n*), where *n* is the number of elements on screen.
  public func elements(where isIncluded: (DrawnElement) -> Bool) -> [DrawnElement] {
    var found: [DrawnElement] = []
    host.frame.forEach { if isIncluded($0) { found.append($0) } }
    return found
  }

  /// Returns the element on screen with an id.
  ///
  /// - Returns: The element, for use until the view around it is evaluated again.
  /// - Throws: A ``TestHostError`` that shows the screen if there isn't exactly one.
  public func find(_ id: String) throws -> DrawnElement { try onScreen { try host.element(id) } }

  /// Returns the only element on screen of a kind, with a text if one is given: the title of a
  /// button, the label of a field.
  ///
  /// - Parameters:
  ///   - kind: The kind of the element.
  ///   - text: The text of the element; nil for any.
  /// - Returns: The element, for use until the view around it is evaluated again.
  /// - Throws: A ``TestHostError`` that shows the screen if there isn't exactly one.
  public func find(_ kind: ElementKind, text: String? = nil) throws -> DrawnElement {
    let name = text.map { "\(kind) \($0.debugDescription)" } ?? kind.name
    return try only(name, nearest: { elements { $0.kind == kind }.map(\.text) }) {
      $0.kind == kind && (text == nil || $0.text == text)
    }
  }

  /// Returns the only element on screen with a label, regardless of its kind.
  ///
  /// - Returns: The element, for use until the view around it is evaluated again.
  /// - Throws: A ``TestHostError`` that shows the screen if there isn't exactly one.
  public func find(label: String) throws -> DrawnElement {
    try only(
      "label \(label.debugDescription)", nearest: { elements { !$0.text.isEmpty }.map(\.text) }
    ) {
      $0.text == label
    }
  }

  /// Returns the only element on screen whose label or text contains a string.
  ///
  /// - Returns: The element, for use until the view around it is evaluated again.
  /// - Throws: A ``TestHostError`` that shows the screen if there isn't exactly one.
  public func find(containing part: String) throws -> DrawnElement {
    try only("text with \(part.debugDescription)", nearest: { [] }) { element in
      if case .text(let text) = element.value, text.contains(part) { return true }
      return element.text.contains(part)
    }
  }

  /// Returns the only element on screen that satisfies a condition.
  ///
  /// - Returns: The element, for use until the view around it is evaluated again.
  /// - Throws: A ``TestHostError`` that shows the screen if there isn't exactly one.
  public func find(where isMeant: (DrawnElement) -> Bool) throws -> DrawnElement {
    try only("element of this condition", nearest: { [] }, where: isMeant)
  }

  private func only(
    _ name: String, nearest: () -> [String], where isMeant: (DrawnElement) -> Bool
  ) throws -> DrawnElement {
    let found = elements(where: isMeant)
    if found.count > 1 { throw refusal(.ambiguousElement(name)) }
    guard let element = found.first else {
      throw refusal(.noElement(name, nearest: Array(nearest().prefix(3))))
    }
    return element
  }
}
