// State, behind one mutex: `present`, the present problems, one of each kind; `readers`, the streams
// that are read; `isFinished`, whether there are no more.

internal import Synchronization

/// What keeps commits of a store from its file, or the file from being made smaller, and the streams
/// that tell it.
final class StoreFileProblems: Sendable {
  /// The kinds of problems, the gravest first.
  enum Kind: Int, CaseIterable {
    /// The log can't be written.
    case log
    /// The file lacks a commit, and none can follow it.
    case missing
    /// A value couldn't be encoded.
    case value
    /// The entries couldn't be joined to a checkpoint.
    case growing
  }

  private struct State {
    var present = [StoreFileError?](repeating: nil, count: Kind.allCases.count)
    var readers: [Int: AsyncStream<StoreFileError?>.Continuation] = [:]
    var lastReader = 0
    var isFinished = false

    var current: StoreFileError? { present.lazy.compactMap { $0 }.first }
  }

  private let state = Mutex(State())

  /// The gravest problem.
  var current: StoreFileError? { state.withLock { $0.current } }

  func problem(_ kind: Kind) -> StoreFileError? { state.withLock { $0.present[kind.rawValue] } }

  /// Takes note of a problem, or of the end of one.
  func note(_ problem: StoreFileError?, _ kind: Kind) {
    // Within the mutex, so that readers get the values in the order of the changes.
    state.withLock { state in
      state.present[kind.rawValue] = problem
      for reader in state.readers.values { reader.yield(state.current) }
    }
  }

  /// The present problem, then each that follows.
  func stream() -> AsyncStream<StoreFileError?> {
    let (stream, continuation) = AsyncStream.makeStream(
      of: StoreFileError?.self, bufferingPolicy: .bufferingNewest(1))
    let number = state.withLock { state in
      continuation.yield(state.current)
      if state.isFinished { continuation.finish() }
      state.lastReader += 1
      if !state.isFinished { state.readers[state.lastReader] = continuation }
      return state.lastReader
    }
    continuation.onTermination = { [weak self] _ in
      _ = self?.state.withLock { $0.readers.removeValue(forKey: number) }
    }
    return stream
  }

  /// Ends all streams.
  func finish() {
    let readers = state.withLock { state in
      defer { (state.readers, state.isFinished) = ([:], true) }
      return Array(state.readers.values)
    }
    for reader in readers { reader.finish() }
  }

  deinit { finish() }
}
