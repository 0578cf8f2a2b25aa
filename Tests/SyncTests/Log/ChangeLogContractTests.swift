import SignalsSync
import Testing

/// The guarantees of all logs.
@Suite("Change logs, all kinds")
struct ChangeLogContractTests {
  let partition: Partition = "conversation=42"

  @Test("A partition without entries begins at the start", arguments: LogKind.allCases)
  func empty(_ kind: LogKind) async throws {
    try await kind.withLog { log in
      let end = try await log.head(of: partition)
      #expect(end == .start)
      #expect(try await log.entries(of: partition, from: .start, limit: 10).isEmpty)
      #expect(try await log.snapshot(of: partition) == nil)
    }
  }

  @Test("Entries are read unchanged, in order", arguments: LogKind.allCases)
  func order(_ kind: LogKind) async throws {
    try await kind.withLog { log in
      let first = try await log.append([content(0)], to: partition)
      #expect(first == head(at: 1))
      let second = try await log.append(contents(1..<4), to: partition)
      #expect(second == head(at: 4))
      #expect(try await log.head(of: partition) == second)
      let expected = (0..<4).map {
        LogEntry(position: LogPosition(rawValue: UInt64($0)), bytes: content($0))
      }
      #expect(try await log.entries(of: partition, from: 0, limit: 10) == expected)
      #expect(try await log.entries(of: partition, from: 2, limit: 10) == Array(expected[2...]))
    }
  }

  @Test("Entries of several partitions are appended by one call", arguments: LogKind.allCases)
  func several(_ kind: LogKind) async throws {
    try await kind.withLog { log in
      let names = (0..<20).map { Partition("conversation=\($0)") }
      let heads = try await log.append(
        names.enumerated().map { LogAppend(contents(0..<($0 + 1)), to: $1, expecting: .start) })
      #expect(heads == names.indices.map { head(at: $0 + 1) })
      for (index, name) in names.enumerated() {
        let entries = try await log.entries(of: name, from: .start, limit: 100)
        #expect(entries.map(\.bytes) == contents(0..<(index + 1)))
      }
      #expect(try await log.append([LogAppend]()).isEmpty)
      let moved = ChangeLogError.headMoved(names[3], to: heads[3])
      await #expect(throws: moved) {
        try await log.append([
          LogAppend([content(9)], to: names[2]),
          LogAppend([content(9)], to: names[3], expecting: .start),
        ])
      }
      let unchanged = try await log.head(of: names[3])
      #expect(unchanged == heads[3])
    }
  }

  @Test("A read returns at most as many entries as its limit", arguments: LogKind.allCases)
  func limit(_ kind: LogKind) async throws {
    try await kind.withLog { log in
      try await log.append(contents(0..<5), to: partition)
      try await log.append(contents(5..<9), to: partition)
      #expect(try await log.entries(of: partition, from: 3, limit: 3).map(\.position) == [3, 4, 5])
      #expect(try await log.entries(of: partition, from: 3, limit: 0).isEmpty)
      #expect(try await log.entries(of: partition, from: 9, limit: 3).isEmpty)
    }
  }

  @Test("Entries may be empty and large", arguments: LogKind.allCases)
  func sizes(_ kind: LogKind) async throws {
    try await kind.withLog { log in
      let sizes = [0, 1, 127, 128, 65_535, 300_000, 0, 2_000_000]
      let entries = sizes.map { [UInt8](repeating: UInt8($0 % 251), count: $0) }
      for entry in entries { try await log.append([entry], to: partition) }
      #expect(try await log.all(of: partition).map(\.bytes) == entries)
    }
  }

  @Test("An append that expects the head succeeds", arguments: LogKind.allCases)
  func expected(_ kind: LogKind) async throws {
    try await kind.withLog { log in
      let first = try await log.append([content(0)], to: partition, expecting: .start)
      let second = try await log.append([content(1)], to: partition, expecting: first)
      #expect(second == head(at: 2))
    }
  }

  @Test("An append that expects another head appends nothing", arguments: LogKind.allCases)
  func headMoved(_ kind: LogKind) async throws {
    try await kind.withLog { log in
      let end = try await log.append(contents(0..<2), to: partition)
      let others = [
        LogHead.start, head(at: 1), LogHead(position: end.position, chain: end.chain ^ 1),
      ]
      for other in others {
        await #expect(throws: ChangeLogError.headMoved(partition, to: end)) {
          try await log.append([content(2)], to: partition, expecting: other)
        }
      }
      #expect(try await log.head(of: partition) == end)
    }
  }

  @Test("An append of no entries checks the head", arguments: LogKind.allCases)
  func noEntries(_ kind: LogKind) async throws {
    try await kind.withLog { log in
      #expect(try await log.append([], to: partition, expecting: .start) == .start)
      let end = try await log.append([content(0)], to: partition)
      #expect(try await log.append([], to: partition, expecting: end) == end)
      await #expect(throws: ChangeLogError.headMoved(partition, to: end)) {
        try await log.append([], to: partition, expecting: .start)
      }
    }
  }

  @Test("Partitions have logs of their own", arguments: LogKind.allCases)
  func partitions(_ kind: LogKind) async throws {
    try await kind.withLog { log in
      let names = ["", "a", "A", "b/c", "ü", "conversation=42", "..", "%41"]
      for (index, name) in names.enumerated() {
        try await log.append([content(index)], to: Partition(name))
      }
      for (index, name) in names.enumerated() {
        #expect(try await log.all(of: Partition(name)).map(\.bytes) == [content(index)])
      }
    }
  }

  @Test("A position after the end is an error that names the end", arguments: LogKind.allCases)
  func beyond(_ kind: LogKind) async throws {
    try await kind.withLog { log in
      let end = try await log.append(contents(0..<2), to: partition)
      let error = ChangeLogError.beyondHead(partition, position: 3, head: end)
      await #expect(throws: error) {
        try await log.entries(of: partition, from: 3, limit: 1)
      }
      await #expect(throws: error) {
        try await log.storeSnapshot(
          LogSnapshot(head: LogHead(position: 3, chain: 0), bytes: []), of: partition)
      }
    }
  }

  @Test("A snapshot is read unchanged, and replaced", arguments: LogKind.allCases)
  func snapshots(_ kind: LogKind) async throws {
    try await kind.withLog { log in
      try await log.append(contents(0..<5), to: partition)
      for (position, size) in [(0, 0), (3, 10), (5, 100_000), (2, 1)] {
        let snapshot = LogSnapshot(
          head: head(at: position), bytes: [UInt8](repeating: 7, count: size))
        try await log.storeSnapshot(snapshot, of: partition)
        #expect(try await log.snapshot(of: partition) == snapshot)
      }
      #expect(try await log.all(of: partition).map(\.bytes) == contents(0..<5))
    }
  }

  @Test("A snapshot of other entries is refused", arguments: LogKind.allCases)
  func otherHistory(_ kind: LogKind) async throws {
    try await kind.withLog { log in
      try await log.append(contents(0..<3), to: partition)
      let other = LogHead(position: 2, chain: head(at: 2).chain ^ 1)
      await #expect(throws: ChangeLogError.otherHistory(partition, position: 2)) {
        try await log.storeSnapshot(LogSnapshot(head: other, bytes: []), of: partition)
      }
      #expect(try await log.snapshot(of: partition) == nil)
    }
  }

  @Test("Only what a snapshot replaces can be truncated", arguments: LogKind.allCases)
  func notCovered(_ kind: LogKind) async throws {
    try await kind.withLog { log in
      try await log.append(contents(0..<4), to: partition)
      await #expect(
        throws: ChangeLogError.notCovered(partition, position: 1, snapshot: nil)
      ) { try await log.truncate(partition, before: 1) }
      try await log.storeSnapshot(LogSnapshot(head: head(at: 2), bytes: [1]), of: partition)
      await #expect(
        throws: ChangeLogError.notCovered(partition, position: 3, snapshot: 2)
      ) { try await log.truncate(partition, before: 3) }
      #expect(try await log.all(of: partition).count == 4)
    }
  }

  @Test("Truncation keeps positions, chain and later entries", arguments: LogKind.allCases)
  func truncation(_ kind: LogKind) async throws {
    try await kind.withLog { log in
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
    }
  }

  @Test("Truncation is exact at each position", arguments: LogKind.allCases)
  func exactTruncation(_ kind: LogKind) async throws {
    try await kind.withLog { log in
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
    }
  }

  @Test("Concurrent appends are all there, each one whole", arguments: LogKind.allCases)
  func concurrentAppends(_ kind: LogKind) async throws {
    try await kind.withLog { log in
      let (tasks, appends) = (8, 40)
      try await withThrowingTaskGroup(of: Void.self) { group in
        for task in 0..<tasks {
          group.addTask {
            for index in 0..<appends {
              let pair = [[UInt8(task), UInt8(index), 0], [UInt8(task), UInt8(index), 1]]
              try await log.append(pair, to: "shared")
            }
          }
        }
        try await group.waitForAll()
      }
      let entries = try await log.all(of: "shared")
      #expect(entries.count == tasks * appends * 2)
      #expect(
        entries.map(\.position.rawValue) == (0..<UInt64(tasks * appends * 2)).map { $0 })
      var next = [UInt8](repeating: 0, count: tasks)
      for index in stride(from: 0, to: entries.count, by: 2) {
        let (first, second) = (entries[index].bytes, entries[index + 1].bytes)
        #expect(first == [first[0], next[Int(first[0])], 0])
        #expect(second == [first[0], first[1], 1])
        next[Int(first[0])] += 1
      }
    }
  }

  @Test("Of appends that expect one head, one succeeds", arguments: LogKind.allCases)
  func competingAppends(_ kind: LogKind) async throws {
    try await kind.withLog { log in
      let (tasks, rounds) = (6, 20)
      try await withThrowingTaskGroup(of: Void.self) { group in
        for task in 0..<tasks {
          group.addTask {
            var end = try await log.head(of: "counter")
            var done = 0
            while done < rounds {
              do throws(ChangeLogError) {
                // The content is the position: an append on another head would show.
                let bytes = [UInt8(end.position.rawValue % 256), UInt8(task)]
                end = try await log.append([bytes], to: "counter", expecting: end)
                done += 1
              } catch {
                guard case .headMoved(_, let moved) = error else { throw error }
                end = moved
              }
            }
          }
        }
        try await group.waitForAll()
      }
      let entries = try await log.all(of: "counter")
      #expect(entries.count == tasks * rounds)
      #expect(entries.map { $0.bytes[0] } == (0..<tasks * rounds).map { UInt8($0 % 256) })
    }
  }
}
