// Waiting for notifications without polling.
//
// The state is behind a mutex. A continuation is removed from `waiters` while the mutex is locked,
// and resumed after it is unlocked.
//
// Order of events: a reader reads `count`, reads its entries, and if there are none waits with that
// count. A notification between the two has changed the count, so the wait ends at once. A
// cancellation between the two is detected inside the mutex: the task's flag is set before its
// handler runs, so either the handler finds the continuation, or the wait finds the flag.

import Synchronization

/// Suspends tasks until a notification.
package final class Arrivals: Sendable {
  fileprivate struct State {
    /// The number of notifications.
    var count = 0
    var nextID = 0
    /// The continuations of the waiting tasks, by number.
    var waiters: [Int: CheckedContinuation<Void, Never>] = [:]
  }

  private let state = Mutex(State())

  /// Creates an object without notifications.
  package init() {}

  /// The number of notifications so far.
  package var count: Int { state.withLock { $0.count } }

  /// The number of waiting tasks.
  package var waiterCount: Int { state.withLock { $0.waiters.count } }

  /// Resumes all waiting tasks.
  package func notify() {
    let waiters = state.withLock { state in
      state.count += 1
      return state.waiters.isEmpty ? [:] : state.takeWaiters()
    }
    for waiter in waiters.values { waiter.resume() }
  }

  /// Waits for a new notification, or until the task is cancelled.
  ///
  /// - Parameter seen: The number of earlier notifications. If there were more, the call returns at
  ///   once.
  package func wait(after seen: Int) async {
    let id = state.withLock { state in
      state.nextID += 1
      return state.nextID
    }
    await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let isOver = state.withLock { state in
          if state.count != seen || Task.isCancelled { return true }
          state.waiters[id] = continuation
          return false
        }
        if isOver { continuation.resume() }
      }
    } onCancel: {
      let waiter = state.withLock { $0.waiters.removeValue(forKey: id) }
      waiter?.resume()
    }
  }
}

extension Arrivals.State {
  fileprivate mutating func takeWaiters() -> [Int: CheckedContinuation<Void, Never>] {
    defer { waiters = [:] }
    return waiters
  }
}
