// The asynchronous work that the running code belongs to, as far as its writes depend on it.
//
// A context is a task-local value, so that code which the work awaits finds it, in child tasks too.
// Synchronous callbacks that the work sets off, such as effects, observers and the intents that it
// performs, are transactions of their own. The context doesn't apply to them.

internal import Synchronization

/// The context of one run of an async intent, of a view's task or of a loader.
final class AsyncRunContext: Sendable {
  /// The label of the undo steps of the run, or nil.
  let label: String?
  private let isCancelled = Atomic(false)
  @TaskLocal static var current: AsyncRunContext?
  /// The number of contexts; while it is zero, nothing is looked up.
  private static let count = Atomic(0)

  init(label: String? = nil) {
    self.label = label
    AsyncRunContext.count.add(1, ordering: .relaxed)
  }

  deinit { AsyncRunContext.count.subtract(1, ordering: .relaxed) }

  private static var present: AsyncRunContext? {
    count.load(ordering: .relaxed) == 0 ? nil : current
  }

  /// The label of the undo steps of the running code; nil in a callback, which has its own.
  static var currentLabel: String? { ImplicitTransaction.isUnderWay ? nil : present?.label }

  /// Notes that the run was cancelled.
  func cancel() { isCancelled.store(true, ordering: .relaxed) }

  /// Whether the running code may set the state of views: it isn't part of a cancelled run.
  static var maySetViewState: Bool {
    if ImplicitTransaction.isUnderWay { return true }
    guard let present else { return true }
    return !present.isCancelled.load(ordering: .relaxed) && !Task.isCancelled
  }
}
