// State, behind a lock, because a task is cancelled from anywhere: `waiting` are those that wait, by number;
// `cancelled` the numbers of those that were cancelled before they waited; `count`, how often they were woken.
//
// A task may be off its actor for a while before it waits, and be woken in between: so who waits says what it has seen.

/// Lets tasks wait until they are woken, or cancelled.
final class Wakening: Sendable {
  private struct State {
    var last = 0
    var waiting: [Int: CheckedContinuation<Void, Never>] = [:]
    var cancelled: Set<Int> = []
    var count = 0
  }

  private let state = Locked(State())

  /// How often ``wake()`` was called.
  var count: Int { state.withLock { $0.count } }

  /// Waits until ``wake()`` was called more often than `count`, or the task is cancelled.
  nonisolated(nonsending) func wait(after count: Int) async {
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

  /// Lets all go on that wait, in the order in which they came.
  func wake() {
    let waiting = state.withLock { state in
      state.count += 1
      let waiting = state.waiting
      state.waiting = [:]
      return waiting
    }
    for (_, continuation) in waiting.sorted(by: { $0.key < $1.key }) { continuation.resume() }
  }
}
