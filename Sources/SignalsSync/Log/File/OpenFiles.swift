// The limit of the files that are open although nothing uses them.
//
// State: `files`, the partitions whose file is open; `threshold`, the number of them at which the
// next sweep begins; `isSweeping`. All are behind one mutex, inside of which no other is taken.
// `uses` counts the uses of files; each partition keeps the number of its last one.
//
// Order of events: a partition that opens its file is added, while it holds its own mutex. At the
// threshold a sweep is queued, which takes the partitions that were used least recently out of
// `files`, and asks each to close its file. One that can't, since its frames aren't on the device,
// is added again. A partition that opens its file meanwhile adds itself.

import Dispatch
import Synchronization

/// The open files of a log's partitions.
final class OpenFiles: Sendable {
  /// The number of files that stay open.
  static let limit = 64

  private struct Entry {
    weak let file: PartitionFile?
  }

  private struct State {
    var files: [Entry] = []
    var threshold = 2 * OpenFiles.limit
    var isSweeping = false
  }

  private let state = Mutex(State())
  private let uses = Atomic<UInt64>(0)
  private let queue = DispatchQueue(label: "signals.log.files")

  /// Returns the number of one more use.
  func nextUse() -> UInt64 { uses.add(1, ordering: .relaxed).newValue }

  /// Adds a partition whose file was opened.
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
      // Each number is read once, since it can change meanwhile.
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
