// The wait for something to arrive, without a poll.
//
// State: `count`, the number of notifications; `waiters`, the continuations of those that wait;
// `nextID`. All are behind the mutex. A continuation is resumed, and a cancellation handler runs,
// only while the mutex isn't held: each is taken out of `waiters` inside, and resumed outside.
//
// Order of events: a reader takes `count`, looks for its entries, and if there are none waits
// with that count. A notification between the look and the wait has another count, so the wait ends
// at once. A cancellation between the two is seen inside the mutex: the task's flag is set before
// its handler runs, so either the handler finds the continuation, or the wait finds the flag.

import Synchronization

/// Suspends tasks until a notification.
package final class Arrivals: Sendable {
  fileprivate struct State {
    var count = 0
    var nextID = 0
    var waiters: [Int: CheckedContinuation<Void, Never>] = [:]
  }

  private let state = Mutex(State())

  package init() {}

  /// The number of notifications so far.
  package var count: Int { state.withLock { $0.count } }

  /// The number of tasks that wait.
  package var waiterCount: Int { state.withLock { $0.waiters.count } }

  /// Resumes all tasks that wait.
  package func notify() {
    let waiters = state.withLock { state in
      state.count += 1
      return state.waiters.isEmpty ? [:] : state.takeWaiters()
    }
    for waiter in waiters.values { waiter.resume() }
  }

  /// Waits for a notification after a number of them, or until the task is cancelled.
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
