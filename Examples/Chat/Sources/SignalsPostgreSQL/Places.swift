import SignalsSync
import Synchronization

/// The databases that have partitions, as far as it is known, and the followers of the partitions there.
final class Places: Sendable {
  private struct Follower {
    let onAppend: @Sendable () -> Void
    var following: LogFollowing
  }

  private struct State {
    /// The numbers of databases other than 0.
    var numbers: [Partition: Int] = [:]
    var followers: [Partition: [Int: Follower]] = [:]
    var lastID = 0
  }

  /// Those of each database.
  private let databases: [Followers]
  private let state = Mutex(State())

  init(_ databases: [Followers]) { self.databases = databases }

  /// The number of partitions that are known, beyond which those without followers are asked for again.
  private static let limit = 100_000

  /// The number of the database that has a partition, or may say which one has it.
  subscript(partition: Partition) -> Int { state.withLock { $0.numbers[partition] ?? 0 } }

  /// Says which database has a partition.
  func set(_ partition: Partition, to number: Int) {
    // The old followings are released without the lock.
    let old = state.withLock { state -> [Follower] in
      if state.numbers[partition] ?? 0 == number { return [] }
      if state.numbers.count >= Self.limit {
        state.numbers = state.numbers.filter { state.followers[$0.key] != nil }
      }
      state.numbers[partition] = number == 0 ? nil : number
      let old = state.followers[partition] ?? [:]
      for (id, follower) in old {
        state.followers[partition]?[id]?.following = databases[number].add(
          partition, follower.onAppend)
      }
      return Array(old.values)
    }
    withExtendedLifetime(old) {}
  }

  /// Follows a partition wherever it is.
  func follow(
    _ partition: Partition, _ onAppend: @escaping @Sendable () -> Void
  ) -> LogFollowing {
    // One database needs no following of a following.
    if databases.count == 1 { return databases[0].add(partition, onAppend) }
    let id = state.withLock { state in
      state.lastID += 1
      let number = state.numbers[partition] ?? 0
      state.followers[partition, default: [:]][state.lastID] = Follower(
        onAppend: onAppend, following: databases[number].add(partition, onAppend))
      return state.lastID
    }
    return LogFollowing { [self] in
      let old = state.withLock { state in
        let old = state.followers[partition]?.removeValue(forKey: id)
        if state.followers[partition]?.isEmpty ?? false { state.followers[partition] = nil }
        return old
      }
      withExtendedLifetime(old) {}
    }
  }
}
