internal import Synchronization

/// The order in which observers were created and deadlines set, across all threads.
package enum CreationOrder {
  private static let counter = Atomic<UInt64>(0)

  package static func next() -> UInt64 { counter.add(1, ordering: .relaxed).newValue }
}
