// Order of events: a partition that was followed just now, or of which the server notifies, is looked at every few
// milliseconds until nothing was appended for three seconds. Then its appends are notified again, because a
// partition is idle after one second. All are looked at every five seconds, and when the connection was made.

import SignalsSync
import Synchronization

/// The partitions whose logs are followed.
final class Followers: Sendable {
  private struct Followed {
    var calls: [Int: @Sendable () -> Void] = [:]
    /// The head that was seen last.
    var head: Int64 = -1
    /// The time until which it is looked at.
    var end = ContinuousClock.now + Followers.linger
  }

  private struct State {
    var lastID = 0
    var followed: [Partition: Followed] = [:]
    /// The partitions that are looked at.
    var busy: Set<Partition> = []
    var tasks: [Task<Void, Never>] = []
    var isEnded = false
  }

  private let state = Mutex(State())
  private let (wakes, wake) = AsyncStream.makeStream(
    of: Void.self, bufferingPolicy: .bufferingNewest(1))

  /// The time for which a partition is looked at after an append.
  private static let linger = Duration.seconds(3)
  /// The time between two looks at the partitions that aren't busy.
  private static let interval = Duration.seconds(5)
  /// The number of partitions of one query.
  private static let pageSize = 1_000

  /// Begins to look at partitions, until `end()` is called.
  func start(on session: Session) {
    let looking = Task { [self] in
      // One look that takes long is no reason to wait.
      var last = Duration.zero
      for await _ in wakes {
        var names = state.withLock { Array($0.busy) }
        while !names.isEmpty, !Task.isCancelled {
          let begin = ContinuousClock.now
          for start in stride(from: 0, to: names.count, by: Self.pageSize) {
            await look(at: names[start..<min(start + Self.pageSize, names.count)], on: session)
          }
          // Many partitions are looked at less often.
          let time = ContinuousClock.now - begin
          let pause = max(.milliseconds(4), min(time, last) * 4)
          last = time
          try? await Task.sleep(for: min(pause, .seconds(1)))
          names = state.withLock { Array($0.busy) }
        }
      }
    }
    let timer = Task { [self] in
      while !Task.isCancelled {
        try? await Task.sleep(for: Self.interval)
        lookAtAll(for: .zero)
      }
    }
    state.withLock { $0.tasks = [looking, timer] }
  }

  func end() {
    let tasks = state.withLock { state in
      defer { (state.followed, state.busy, state.tasks, state.isEnded) = ([:], [], [], true) }
      return state.tasks
    }
    wake.finish()
    for task in tasks { task.cancel() }
  }

  /// Adds a follower of a partition.
  func add(_ partition: Partition, _ onAppend: @escaping @Sendable () -> Void) -> LogFollowing {
    let id = state.withLock { state in
      state.lastID += 1
      if state.isEnded { return state.lastID }
      state.followed[partition, default: Followed()].calls[state.lastID] = onAppend
      // The next look finds entries that the follower doesn't know perhaps.
      state.followed[partition]?.head = -1
      return state.lastID
    }
    look(at: partition)
    return LogFollowing { [self] in
      state.withLock { state in
        _ = state.followed[partition]?.calls.removeValue(forKey: id)
        if state.followed[partition]?.calls.isEmpty ?? false {
          state.followed[partition] = nil
          state.busy.remove(partition)
        }
      }
    }
  }

  /// Looks at a partition that may be busy.
  func look(at partition: Partition) {
    state.withLock { state in
      if state.followed[partition] == nil { return }
      state.followed[partition]?.end = .now + Self.linger
      state.busy.insert(partition)
    }
    wake.yield()
  }

  /// Looks at all partitions.
  func lookAtAll(for time: Duration = Followers.linger) {
    state.withLock { state in
      for partition in state.followed.keys where !state.busy.contains(partition) {
        state.followed[partition]?.end = .now + time
        state.busy.insert(partition)
      }
    }
    wake.yield()
  }

  /// Looks at partitions, and notifies the followers of those with other heads.
  private func look(at names: ArraySlice<Partition>, on session: Session) async {
    let query = Query(.heads) { $0.add(names.map(\.bytes)) }
    // Without a connection, all are looked at when there is one.
    guard let rows = try? await session.run([query]).replies[0] else { return }
    var heads: [[UInt8]: Int64] = [:]
    for row in 0..<rows.count { heads[rows.bytes(row, 0) ?? []] = rows.integer(row, 1) }
    let calls = state.withLock { state in
      var calls: [@Sendable () -> Void] = []
      let now = ContinuousClock.now
      for name in names {
        guard var followed = state.followed[name] else { continue }
        let head = heads[name.bytes] ?? 0
        if followed.head != head {
          calls += followed.calls.values
          followed.head = head
          followed.end = now + Self.linger
        } else if followed.end <= now {
          state.busy.remove(name)
        }
        state.followed[name] = followed
      }
      return calls
    }
    for call in calls { call() }
  }
}
