import Signals

/// Waits until a condition holds, which is evaluated after each change of the values that it reads.
///
/// - Throws: `CancellationError`.
package func wait(
  isolation: isolated (any Actor)? = #isolation, until condition: @escaping () -> Bool
) async throws {
  for await isMet in Computed(condition).publisher.values(buffering: .newest(1)) where isMet {
    return
  }
  throw CancellationError()
}
