extension Draft {
  /// Bindings to the properties of the draft's copy: `draft.bindings.title`.
  public var bindings: ObjectBindings<Element> { ObjectBindings(object: object) }
}
