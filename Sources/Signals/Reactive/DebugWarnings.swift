/// Warnings about code that compiles and runs, and can't have the intended effect.
package enum DebugWarnings {
  /// Collects the warnings of a test, in place of standard error.
  @TaskLocal private static var collected: Locked<[String]>?

  /// Writes a warning to standard error.
  static func write(_ text: String) {
    guard let collected else { return writeToStandardError("Signals: \(text)\n") }
    collected.withLock { $0.append(text) }
  }

  // Not inlined: optimized code of another module would read the task-local before it is
  // initialized (Swift 6.3).

  /// Runs `body` and returns the warnings that it causes.
  @inline(never)
  package static func collect(_ body: () throws -> Void) rethrows -> [String] {
    let warnings = Locked<[String]>([])
    try $collected.withValue(warnings) { try body() }
    return warnings.withLock { $0 }
  }
}
