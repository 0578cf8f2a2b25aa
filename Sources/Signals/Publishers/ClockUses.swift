/// The clocks on which timers wait that a test doesn't control.
package final class ClockUses: Sendable {
  /// The register of the current task.
  @TaskLocal package static var current: ClockUses?

  private let types = Locked<Set<String>>([])

  package init() {}

  /// Notes a timer on a clock.
  func note(_ type: (some Clock).Type) { types.withLock { _ = $0.insert("\(type)") } }

  /// The types of the clocks, sorted.
  package var names: [String] { types.withLock { $0.sorted() } }
}
