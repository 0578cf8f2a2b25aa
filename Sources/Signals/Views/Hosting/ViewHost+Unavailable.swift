// Former spellings of a host's intents. They are unavailable, and their messages say what to write.

extension ViewHost {
  /// Use the form with `with:` before the input.
  @available(*, unavailable, message: "write `with:` before the input")
  public func perform(_ element: ElementReference, _ input: ElementInput) throws {}

  /// Use the form with `with:` before the input.
  @available(*, unavailable, message: "write `with:` before the input")
  public func start(_ element: ElementReference, _ input: ElementInput) throws {}

  /// Use the form with `with:` before the input.
  @available(*, unavailable, message: "write `with:` before the input")
  public func performAsync(_ element: ElementReference, _ input: ElementInput) async throws {}
}
