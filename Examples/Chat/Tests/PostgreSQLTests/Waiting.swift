import Synchronization
import Testing

/// Waits until a condition holds, for a minute at most.
///
/// - Parameters:
///   - what: What is waited for, evaluated when it takes too long.
///   - sourceLocation: The source location of the issue.
///   - isSo: The condition.
@MainActor func eventually(
  _ what: @autoclosure () -> String, sourceLocation: SourceLocation = #_sourceLocation,
  _ isSo: () throws -> Bool
) async throws {
  let end = ContinuousClock.now + .seconds(60)
  while try !isSo() {
    try #require(.now < end, "\(what()) takes too long", sourceLocation: sourceLocation)
    try await Task.sleep(for: .milliseconds(2))
  }
}

/// Whether tasks continue, and what they count.
final class Flag: Sendable {
  let value = Atomic(true)
  /// The number of acknowledged appends.
  let count = Atomic(0)
}
