// Actions that follow a commit, and only a successful one: showing another screen, sending a
// message, writing a file.
//
// Order of events: a closure is added to the open transaction. A savepoint that fails drops the
// closures added since it began. The seal queues the rest. They run after everything else that the
// commit set off, including frames.

extension Store {
  /// Runs `body` after the transaction under way has succeeded, and never if it fails.
  ///
  /// - It runs after the effects, observers, frames and ``commits`` that the transaction set off,
  ///   in the order of the calls, whether or not anything was written.
  /// - It is dropped if the savepoint in which `afterCommit` was called fails.
  /// - In an intent, an effect or an observer it waits for the end of that.
  /// - Without a transaction it runs immediately. An async intent isn't a transaction: call
  ///   `afterCommit` in the `write` that `body` has to follow.
  /// - The writes of `body` are a separate transaction. Its errors are passed to ``onRefusal``.
  ///
  /// ```swift
  /// Button("Order", id: "order") {
  ///   try store.write { table.orders.append(order) }
  ///   store.afterCommit { printer.print(order) }
  /// }
  /// ```
  ///
  /// - Parameter body: The action that follows the commit; the store retains it until then.
  public func afterCommit(_ body: @escaping () -> Void) {
    Node.checkMayWrite("what follows a commit")
    guard let transaction = openTransaction() else { return FollowUp.run(body) }
    transaction.afterCommitActions.append(body)
  }
}

extension Transaction {
  /// Queues the closures, now that the transaction can no longer fail.
  func enqueueAfterCommitActions(in store: Store) {
    let bodies = afterCommitActions
    afterCommitActions = []
    for body in bodies { FollowUp(in: store, body).enqueue() }
  }

  /// Drops the closures added since there were `count`.
  func dropAfterCommitActions(downTo count: Int) {
    guard afterCommitActions.count > count else { return }
    retainUntilEnd(Array(afterCommitActions[count...]))
    afterCommitActions.removeSubrange(count...)
  }
}

/// One closure that waits for its phase.
///
/// A reference cycle through the observer keeps it alive until then.
private final class FollowUp {
  private let observer = PhaseObserver(.afterwards, name: "what follows a commit")

  init(in store: Store, _ body: @escaping () -> Void) {
    observer.perform = { [self] in
      observer.perform = {}
      withExtendedLifetime(store) { FollowUp.run(body) }
    }
  }

  func enqueue() { observer.enqueue() }

  static func run(_ body: () -> Void) { ImplicitTransaction.runReporting { body() } }
}
