extension Draft {
  /// Bindings to the properties of the draft's copy: `draft.bindings.title`.
  ///
  /// Unlike those of a ``DraftObject`` they don't know what is wrong: add
  /// `.checked { draft.shownErrors(at: \.title).map(\.message) }`.
  public var bindings: ObjectBindings<Element> { ObjectBindings(object: object) }
}

extension RootedProjection {
  /// Bindings to the writable properties of the projection: `row.bindings.title`.
  public var bindings: ObjectBindings<Self> { ObjectBindings(object: self) }
}
