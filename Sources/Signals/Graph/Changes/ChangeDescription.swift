// A change set as a readable diff.

extension ChangeSet: CustomStringConvertible {
  /// A diff with one line per object, one per property, and the edits of a list below it.
  ///
  /// ```
  /// ~ Shelf #2
  ///     best: nil -> #1
  ///     novels: 2 -> 2 members
  ///       - #4 at 0
  ///       + #1 at 1
  /// + Page #3
  ///     text: "It was"
  /// ```
  ///
  /// The text is deterministic: the elements of dictionaries and sets are sorted by their
  /// descriptions.
  public var description: String { changes.map(\.description).joined(separator: "\n") }
}

extension ObjectChange: CustomStringConvertible {
  /// A line for the object, and one per changed property with its old and new value.
  ///
  /// The line of a deletion that follows from another change ends in `(derived)`.
  public var description: String {
    let sign =
      switch kind {
      case .inserted: "+"
      case .deleted: "-"
      case .modified: "~"
      }
    let cause = isDerived ? " (derived)" : ""
    return (["\(sign) \(className) \(id)\(cause)"] + properties.map { "    \($0)" })
      .joined(separator: "\n")
  }
}

extension ObjectChange.Property: CustomStringConvertible {
  /// The old and new value, or one line per edit of a list.
  public var description: String {
    guard let old = old as? [ObjectID], let new = new as? [ObjectID],
      let lines = listLines({ "\($0)" })
    else {
      let sides = [old, new].compactMap { $0.map(Self.show) }
      return "\(name): \(sides.joined(separator: " -> "))"
    }
    let counts = "\(name): \(old.count) -> \(new.count) \(new.count == 1 ? "member" : "members")"
    return ([counts] + lines).joined(separator: "\n")
  }

  /// One line for each removed, inserted or moved member; nil if the property isn't a list.
  package func listLines(_ name: (ObjectID) -> String) -> [String]? {
    guard let edits = listEdits else { return nil }
    let old = old as? [ObjectID] ?? []
    return edits.deletions.map { "      - \(name(old[$0])) at \($0)" }
      + zip(edits.insertions, edits.inserted).map { "      + \(name($1)) at \($0)" }
      + edits.moves.map { "      > \(name(old[$0.old])) from \($0.old) to \($0.new)" }
  }

  static func show(_ value: any FieldValue) -> String {
    switch value {
    case let text as String: text.debugDescription
    case let value as any ShownByParts: value.shown
    default: "\(value)"
    }
  }
}

/// A value whose elements are shown in the same format as values.
private protocol ShownByParts { var shown: String { get } }

private func show(_ part: Any) -> String {
  switch part {
  case let text as String: text.debugDescription
  case let part as any ShownByParts: part.shown
  default: "\(part)"
  }
}

extension Optional: ShownByParts {
  fileprivate var shown: String { map { show($0) } ?? "nil" }
}

extension Array: ShownByParts {
  fileprivate var shown: String { "[\(map { show($0) }.joined(separator: ", "))]" }
}

extension Set: ShownByParts {
  fileprivate var shown: String { "[\(map { show($0) }.sorted().joined(separator: ", "))]" }
}

extension Dictionary: ShownByParts {
  fileprivate var shown: String {
    let entries = map { "\(show($0.key)): \(show($0.value))" }.sorted()
    return entries.isEmpty ? "[:]" : "[\(entries.joined(separator: ", "))]"
  }
}
