// Snapshots, and truncation.

import SignalsSync
import Testing

extension LogScenario {
  static let truncating: [LogScenario] = [
    LogScenario("A snapshot is read unchanged, and replaced") { log in
      try await log.append(contents(0..<5), to: partition)
      for (position, size) in [(0, 0), (3, 10), (5, 100_000), (2, 1)] {
        let snapshot = LogSnapshot(
          head: head(at: position), bytes: [UInt8](repeating: 7, count: size))
        try await log.storeSnapshot(snapshot, of: partition)
        #expect(try await log.snapshot(of: partition) == snapshot)
      }
      #expect(try await log.all(of: partition).map(\.bytes) == contents(0..<5))
    },
    LogScenario("A snapshot of other entries is refused") { log in
      try await log.append(contents(0..<3), to: partition)
      let other = LogHead(position: 2, chain: head(at: 2).chain ^ 1)
      await #expect(throws: ChangeLogError.otherHistory(partition, position: 2)) {
        try await log.storeSnapshot(LogSnapshot(head: other, bytes: []), of: partition)
      }
      #expect(try await log.snapshot(of: partition) == nil)
    },
    LogScenario("Only what a snapshot replaces can be truncated") { log in
      try await log.append(contents(0..<4), to: partition)
      await #expect(
        throws: ChangeLogError.notCovered(partition, position: 1, snapshot: nil)
      ) { try await log.truncate(partition, before: 1) }
      try await log.storeSnapshot(LogSnapshot(head: head(at: 2), bytes: [1]), of: partition)
      await #expect(
        throws: ChangeLogError.notCovered(partition, position: 3, snapshot: 2)
      ) { try await log.truncate(partition, before: 3) }
      #expect(try await log.all(of: partition).count == 4)
    },
    LogScenario("Truncation keeps positions, chain and later entries") { log in
      try await log.append(contents(0..<3), to: partition)
      try await log.append(contents(3..<9), to: partition)
      try await log.storeSnapshot(LogSnapshot(head: head(at: 9), bytes: [1]), of: partition)
      // A position that is truncated already changes nothing.
      for oldest: LogPosition in [0, 2, 3, 5, 6, 5, 9, 2] {
        try await log.truncate(partition, before: oldest)
      }
      #expect(try await log.head(of: partition) == head(at: 9))
      #expect(try await log.append([content(9)], to: partition) == head(at: 10))
      #expect(try await log.all(of: partition, from: 9).map(\.bytes) == [content(9)])
      await #expect(throws: ChangeLogError.truncated(partition, oldest: 9)) {
        try await log.entries(of: partition, from: 8, limit: 1)
      }
      await #expect(throws: ChangeLogError.truncated(partition, oldest: 9)) {
        try await log.storeSnapshot(LogSnapshot(head: head(at: 8), bytes: []), of: partition)
      }
    },
    LogScenario("Truncation is exact at each position") { log in
      var end = 0
      for size in [1, 3, 1, 4, 2] {
        try await log.append(contents(end..<end + size), to: partition)
        end += size
      }
      try await log.storeSnapshot(LogSnapshot(head: head(at: end), bytes: []), of: partition)
      for oldest in 0...end {
        let position = LogPosition(rawValue: UInt64(oldest))
        try await log.truncate(partition, before: position)
        let left = try await log.all(of: partition, from: position)
        #expect(left.map(\.bytes) == contents(oldest..<end))
        #expect(left.first.map(\.position) ?? position == position)
        if oldest > 0 {
          await #expect(throws: ChangeLogError.truncated(partition, oldest: position)) {
            try await log.entries(of: partition, from: position.advanced(by: -1), limit: 1)
          }
        }
      }
      try await log.append(contents(end..<end + 3), to: partition)
      #expect(try await log.head(of: partition) == head(at: end + 3))
    },
  ]
}
