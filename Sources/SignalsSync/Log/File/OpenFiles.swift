// The limit of the number of unused files that stay open.
//
// The state is behind one mutex, inside of which no other is locked.
//
// Order of events: a partition that opens its file is added, while it holds its own mutex. At the
// threshold a sweep is queued. It removes the least recently used partitions from `files`, and asks
// each to close its file. A partition whose frames aren't durable can't, and is added again. A
// partition that opens its file during the sweep adds itself.

import Dispatch
import Synchronization

/// The open files of a log's partitions.
final class OpenFiles: Sendable {
  /// The number of files that a sweep leaves open.
  static let limit = 64

  private struct Entry {
    weak let file: PartitionFile?
  }

  private struct State {
    /// The partitions whose files are open.
    var files: [Entry] = []
    /// The number of open files at which the next sweep begins.
    var threshold = 2 * OpenFiles.limit
    var isSweeping = false
  }

  private let state = Mutex(State())
  /// The number of uses of files so far.
  ///
  /// Each partition stores the number of its last use.
  private let uses = Atomic<UInt64>(0)
  private let queue = DispatchQueue(label: "signals.log.files")

  /// Counts a use, and returns its number.
  func nextUse() -> UInt64 { uses.add(1, ordering: .relaxed).newValue }

  /// Adds a partition that has opened its file.
  func add(_ file: PartitionFile) {
    let isDue = state.withLock { state in
      state.files.append(Entry(file: file))
      if state.isSweeping || state.files.count < state.threshold { return false }
      state.isSweeping = true
      return true
    }
    if isDue { queue.async { self.sweep() } }
  }

  private func sweep() {
    let excess = state.withLock { state in
      // Each number is read once, because it can change during the sort.
      let files = state.files.compactMap(\.file)
        .map { (use: $0.lastUse.load(ordering: .relaxed), file: $0) }
        .sorted { $0.use > $1.use }
        .map(\.file)
      state.files = files.prefix(Self.limit).map { Entry(file: $0) }
      return Array(files.dropFirst(Self.limit))
    }
    let left = excess.filter { !$0.closeIdle() }
    state.withLock { state in
      state.files += left.map { Entry(file: $0) }
      state.threshold = max(2 * Self.limit, state.files.count + Self.limit)
      state.isSweeping = false
    }
  }
}
