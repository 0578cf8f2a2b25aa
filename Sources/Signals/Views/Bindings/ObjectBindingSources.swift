extension Draft {
  /// Bindings to the properties of the draft's copy: `draft.bindings.title`.
  public var bindings: ObjectBindings<Element> { ObjectBindings(object: object) }
}

extension RootedProjection {
  /// Bindings to the writable properties of the projection: `row.bindings.title`.
  public var bindings: ObjectBindings<Self> { ObjectBindings(object: self) }
}
