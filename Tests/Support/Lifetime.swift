package import Testing

/// Something whose release a test can see.
package final class Lifetime {
  private let onDeinit: () -> Void

  package init(_ onDeinit: @escaping () -> Void = {}) { self.onDeinit = onDeinit }

  /// Keeps the compiler from releasing it early.
  package func use() {}

  deinit { onDeinit() }
}

/// Expects that a process printed `message` on standard error.
package func expectError(
  _ result: ExitTest.Result?, _ message: String, sourceLocation: SourceLocation = #_sourceLocation
) {
  let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
  #expect(text.contains(message), "\(text)", sourceLocation: sourceLocation)
}
