// Sums of what can't be added: unavailable, to say what to write instead of a message about `AdditiveArithmetic`.

extension Results {
  /// Texts have no sum.
  @available(*, unavailable, message: "a sum is of numbers: join texts by map { … }.joined()")
  public func sum(_ path: KeyPath<Element, String>) -> String { "" }
}

extension Sections.Section {
  /// Texts have no sum.
  @available(*, unavailable, message: "a sum is of numbers: join texts by map { … }.joined()")
  public func sum(_ path: KeyPath<Element, String>) -> String { "" }
}

extension List {
  /// Texts have no sum.
  @available(*, unavailable, message: "a sum is of numbers: join texts by map { … }.joined()")
  public func sum(_ value: (Element) -> String) -> String { "" }
}
