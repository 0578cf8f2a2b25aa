// What a receiver of captured commits has to do to the store after one, before effects see it.
//
// State: `Store.isFollowed`, whether a follower waits for the end of a write that is a whole commit.
// Such a write opens no batch, at whose end the follower would run.

private import CSignalsThread

/// A closure that runs after a commit, before the effects, observers and hosts that it concerns.
package final class CommitFollower {
  private let observer = PhaseObserver(.effects, name: "what follows a captured commit", order: 0)

  /// Creates a follower.
  ///
  /// - Parameter body: The closure. It isn't part of a transaction, and may make commits.
  package init(_ body: @escaping () -> Void) { observer.perform = body }

  /// Runs the closure once after the commit that is being captured.
  package func follow(in store: Store) {
    observer.enqueue()
    store.isFollowed = true
  }
}

extension Store {
  /// Runs what follows a write that was a whole commit.
  @inline(never)
  func runFollower() {
    isFollowed = false
    Scheduler.current.pointee.depth += 1
    Scheduler.endBatch()
  }
}
