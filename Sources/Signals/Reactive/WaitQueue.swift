// State, behind a lock because a task can be cancelled from any thread: `last`, the number of the
// latest wait; `waiting`, the suspended tasks by number; `cancelled`, the numbers of waits that
// were cancelled before they were suspended; `count`, the number of calls of `wake()`.
//
// A task may leave its actor before it is suspended, and `wake()` may be called in between. So a
// caller passes the count that it has seen.

/// Suspends tasks until they are woken or cancelled.
package final class WaitQueue: Sendable {
  private struct State {
    var last = 0
    var waiting: [Int: CheckedContinuation<Void, Never>] = [:]
    var cancelled: Set<Int> = []
    var count = 0
  }

  private let state = Locked(State())

  package init() {}

  /// The number of calls of ``wake()``.
  package var count: Int { state.withLock { $0.count } }

  /// The number of waiting tasks.
  package var waitingCount: Int { state.withLock { $0.waiting.count } }

  /// Waits until ``wake()`` has been called more than `count` times, or the task is cancelled.
  package nonisolated(nonsending) func wait(after count: Int) async {
    let number = state.withLock { state in
      state.last += 1
      return state.last
    }
    await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let isOver = state.withLock { state in
          if state.count != count || state.cancelled.contains(number) { return true }
          state.waiting[number] = continuation
          return false
        }
        if isOver { continuation.resume() }
      }
    } onCancel: {
      let continuation = state.withLock { state in
        state.cancelled.insert(number)
        return state.waiting.removeValue(forKey: number)
      }
      continuation?.resume()
    }
    state.withLock { state in _ = state.cancelled.remove(number) }
  }

  /// Resumes all waiting tasks, in the order in which they began to wait.
  package func wake() {
    let waiting = state.withLock { state in
      state.count += 1
      let waiting = state.waiting
      state.waiting = [:]
      return waiting
    }
    for (_, continuation) in waiting.sorted(by: { $0.key < $1.key }) { continuation.resume() }
  }
}
