// The references of links and lists, for receivers of captured changes in other modules.

extension Property {
  /// Returns the object that a link of an object refers to.
  package func target(in object: Object) -> Object? {
    if case .link(let target) = references(in: object) { target } else { nil }
  }

  /// Returns the members of a list of an object, as a version that later edits don't change.
  ///
  /// - Complexity: O(1).
  package func members(in object: Object) -> Tree<Object> {
    if case .list(let tree) = references(in: object) { tree } else { Tree() }
  }

  /// Returns the object that an old value of a link refers to.
  package func target(of value: Any) -> Object? {
    if case .link(let target) = references(of: value) { target } else { nil }
  }

  /// Returns the members of an old value of a list.
  ///
  /// The edits that lead from it to the current members are
  /// `Tree.difference(from: property.members(of: old), to: property.members(in: object))`, in
  /// time proportional to the edits.
  ///
  /// - Complexity: O(1).
  package func members(of value: Any) -> Tree<Object> {
    if case .list(let tree) = references(of: value) { tree } else { Tree() }
  }

  /// Returns what happens to the target of a link when the object that has it is deleted.
  package func onDelete(in object: Object) -> DeleteRule { deleteRule(in: object) }
}

extension Object {
  /// Whether the object is stored; the read is not a dependency.
  package final var isStored: Bool { table != nil }
}
