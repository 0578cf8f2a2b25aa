// What is to follow a commit, and only a commit: a screen that changes, a message, a file that is written.
//
// Order of events: it is handed to the open transaction; a savepoint that fails drops what was handed over since it
// began; the seal queues the rest, which runs when all has run that the commit set off, frames among that.

extension Store {
  /// Runs `body` after the transaction under way has succeeded, and never if it fails.
  ///
  /// - It runs after the effects, observers, frames and ``commits`` that the transaction set off, in the order in which
  ///   it was asked for, whether or not anything was written.
  /// - It is dropped with the savepoint in which it was asked for.
  /// - In an intent, an effect or an observer it waits for the end of that.
  /// - Without a transaction it runs at once. An async intent is no transaction: ask in the `write` that it is to follow.
  /// - What it writes is a transaction of its own; the errors of that reach ``onRefusal``.
  ///
  /// ```swift
  /// Button("Order", id: "order") {
  ///   try store.write { table.orders.append(order) }
  ///   store.afterCommit { printer.print(order) }
  /// }
  /// ```
  ///
  /// - Parameter body: What follows the commit; the store keeps it until then.
  public func afterCommit(_ body: @escaping () -> Void) {
    Node.checkMayWrite("what follows a commit")
    guard let transaction = openTransaction() else { return FollowUp.run(body) }
    transaction.toFollow.append(body)
  }
}

extension Transaction {
  /// Queues what is to follow, now that the transaction can't fail any more.
  func enqueueFollowing(in store: Store) {
    let bodies = toFollow
    toFollow = []
    for body in bodies { FollowUp(store, body).enqueue() }
  }

  /// Drops what was handed over since there were `count`.
  func dropFollowing(downTo count: Int) {
    guard toFollow.count > count else { return }
    leave(Array(toFollow[count...]))
    toFollow.removeSubrange(count...)
  }
}

/// One closure that waits for its turn; the watcher keeps it until then.
private final class FollowUp {
  private let watcher = QueuedWatcher(.afterwards, name: "what follows a commit")

  init(_ store: Store, _ body: @escaping () -> Void) {
    watcher.perform = { [self] in
      watcher.perform = {}
      withExtendedLifetime(store) { FollowUp.run(body) }
    }
  }

  func enqueue() { watcher.enqueue() }

  static func run(_ body: () -> Void) { Callback.runReporting { body() } }
}
