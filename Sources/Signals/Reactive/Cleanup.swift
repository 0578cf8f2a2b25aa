// Closures that clean up after an effect, a scope or a view.
//
// The owner keeps a cleanup among the effects that it created, and cancels all of them together.

/// Registers a closure that runs before the running effect or view body runs again, and when it
/// stops.
///
/// - In an ``Effect``, cleanups run in the order of registration, among the effects created by the
///   same run. In an ``EffectScope``, the last one runs first. In the body of a view, they run
///   before the next body, and when the view leaves the screen.
/// - Each runs once. Its reads aren't dependencies. Its writes to stores are one transaction, and
///   all its writes propagate after the owner has run or stopped.
/// - If it cancels another effect or scope, the cleanups of that have run when `cancel` returns. In a
///   long chain of such cleanups, those beyond half of the stack run a little later, in the same
///   order, before the first `cancel` returns.
/// - Effects that it creates have no owner: they live as long as they are referenced.
/// - A call where the closure would never run, in a ``Computed`` or without an owner, traps.
///
/// ```swift
/// let shown = Effect {
///   let connection = open(address.value)
///   onCleanup { connection.close() }
/// }
/// ```
///
/// - Parameters:
///   - file: The file of the call; leave it to the compiler.
///   - line: The line of the call; leave it to the compiler.
///   - cleanup: The closure to run.
public func onCleanup(
  file: StaticString = #fileID, line: UInt = #line, _ cleanup: @escaping () -> Void
) {
  Owner.checkCanMake("onCleanup at \(file):\(line)")
  guard Scheduler.current.pointee.owner != nil else {
    trap(
      """
      onCleanup at \(file):\(line) has no owner: call it in an effect, an EffectScope or the \
      body of a view
      """)
  }
  Owner.keep(Cleanup(cleanup))
}

/// A registered cleanup that has not run yet.
private final class Cleanup: Cancellable {
  /// The closure, until it runs.
  private var body: (() -> Void)?

  init(_ body: @escaping () -> Void) { self.body = body }

  func cancel() {
    guard let body = self.body.take() else { return }
    Node.withoutReader { Owner.withoutOwner { ImplicitTransaction.runReporting(body) } }
  }
}
