extension Draft {
  /// Bindings to the properties of the draft's copy, with their errors: `draft.bindings.title`.
  ///
  /// ``DraftObject`` returns them as its projected value.
  public var bindings: DraftBindings<Element> { DraftBindings(draft: self) }
}

extension ProjectionProtocol {
  /// Bindings to the writable properties of the projection: `row.bindings.title`.
  public var bindings: ObjectBindings<Self> { ObjectBindings(object: self) }
}
