internal import Synchronization

/// The errors that prevent commits from being saved or the file from being compacted, and the
/// streams that publish them.
final class StoreFileProblems: Sendable {
  /// The kinds of problems, in the order of severity.
  enum Kind: Int, CaseIterable {
    /// The log can't be written.
    case log
    /// The file lacks a commit, and none can follow it.
    case missing
    /// A value couldn't be encoded.
    case value
    /// The entries couldn't be merged into a checkpoint.
    case growing
  }

  private struct State {
    /// The present problems, by kind.
    var present = [StoreFileError?](repeating: nil, count: Kind.allCases.count)
    /// The open streams, by number.
    var readers: [Int: AsyncStream<StoreFileError?>.Continuation] = [:]
    var lastReader = 0
    /// Whether all streams have ended.
    var isFinished = false

    var current: StoreFileError? { present.lazy.compactMap { $0 }.first }
  }

  private let state = Mutex(State())

  /// The most severe problem.
  var current: StoreFileError? { state.withLock { $0.current } }

  /// Returns the present problem of a kind.
  func problem(_ kind: Kind) -> StoreFileError? { state.withLock { $0.present[kind.rawValue] } }

  /// Records a problem, or its end.
  ///
  /// - Parameters:
  ///   - problem: The problem, or `nil` if there is none anymore.
  ///   - kind: The kind of the problem.
  func note(_ problem: StoreFileError?, _ kind: Kind) {
    // Inside the mutex, so that readers get the values in the order of the changes.
    state.withLock { state in
      state.present[kind.rawValue] = problem
      for reader in state.readers.values { reader.yield(state.current) }
    }
  }

  /// Returns a stream of the most severe problem, beginning with the present one.
  ///
  /// A slow reader gets only the latest value.
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
