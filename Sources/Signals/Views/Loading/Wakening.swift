// State, behind a lock, because a task is cancelled from anywhere: `waiting` are those that wait, by number;
// `cancelled` the numbers of those that were cancelled before they waited.

/// Lets tasks wait until they are woken, or cancelled.
final class Wakening: Sendable {
  private struct State {
    var last = 0
    var waiting: [Int: CheckedContinuation<Void, Never>] = [:]
    var cancelled: Set<Int> = []
  }

  private let state = Locked(State())

  /// Waits until the next ``wake()``, or until the task is cancelled.
  nonisolated(nonsending) func wait() async {
    let number = state.withLock { state in
      state.last += 1
      return state.last
    }
    await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let isCancelled = state.withLock { state in
          if state.cancelled.contains(number) { return true }
          state.waiting[number] = continuation
          return false
        }
        if isCancelled { continuation.resume() }
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

  /// Lets all go on that wait, in the order in which they came.
  func wake() {
    let waiting = state.withLock { state in
      let waiting = state.waiting
      state.waiting = [:]
      return waiting
    }
    for (_, continuation) in waiting.sorted(by: { $0.key < $1.key }) { continuation.resume() }
  }
}
