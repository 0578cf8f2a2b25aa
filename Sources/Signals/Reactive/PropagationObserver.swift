/// Runs a closure after everything that follows from the current changes has run: effects,
/// observers, frames, and subscribers of commits.
///
/// - The closure runs once for any number of requests in between.
/// - Observers run in the order of their creation. A closure given to ``Store/afterCommit(_:)`` runs
///   after the observers that were created before it.
/// - The writes of the closure are a separate commit, whose consequences run after it.
/// - Releasing the observer cancels it.
///
/// ```swift
/// let observer = PropagationObserver("the log of an app") { file.flush() }
/// batch {
///   title.value = "Solaris"
///   observer.request()
/// }  // effects and frames, then `flush`
/// ```
public final class PropagationObserver: Cancellable {
  private let observer: PhaseObserver

  /// Whether a batch, a transaction or a callback is open on this thread, or the consequences of one
  /// are running.
  ///
  /// While it is true, values and screens may not show all changes yet.
  public static var isUnderWay: Bool { Scheduler.isUnderWay }

  /// Creates an observer that waits for a request.
  ///
  /// - Parameters:
  ///   - name: The name of the observer in an ``EndlessChainError``.
  ///   - body: The closure to run; the observer retains it until it is cancelled.
  public init(_ name: String, _ body: @escaping () -> Void) {
    observer = PhaseObserver(.afterwards, name: name)
    observer.perform = { ImplicitTransaction.runReporting(body) }
  }

  /// Requests a run, immediately if there is nothing to wait for.
  public func request() {
    if Scheduler.isUnderWay { observer.enqueue() } else { observer.perform() }
  }

  /// Withdraws a request, and ignores later ones.
  public func cancel() {
    observer.cancel()
    Disposal.release(exchange(&observer.perform, with: {}))
  }

  deinit { cancel() }
}
