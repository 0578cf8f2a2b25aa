import Synchronization

/// The calls of a log, which ends when they have ended.
final class Calls: Sendable {
  private struct State {
    var count = 0
    var isEnded = false
    var waiting: [CheckedContinuation<Void, Never>] = []
  }

  private let state = Mutex(State())

  /// Begins a call, unless the log has ended.
  func begin() -> Bool {
    state.withLock { state in
      if !state.isEnded { state.count += 1 }
      return !state.isEnded
    }
  }

  func didEnd() {
    let waiting = state.withLock { state in
      state.count -= 1
      if state.count > 0 { return [CheckedContinuation<Void, Never>]() }
      defer { state.waiting = [] }
      return state.waiting
    }
    for next in waiting { next.resume() }
  }

  /// Refuses further calls, and waits for those that have begun.
  func end() async {
    await withCheckedContinuation { continuation in
      let hasEnded = state.withLock { state in
        state.isEnded = true
        if state.count > 0 { state.waiting.append(continuation) }
        return state.count == 0
      }
      if hasEnded { continuation.resume() }
    }
  }
}
