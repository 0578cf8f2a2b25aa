// Appends, heads and reads.

import SignalsSync
import Testing

extension LogScenario {
  static let appending: [LogScenario] = [
    LogScenario("A partition without entries begins at the start") { log in
      let end = try await log.head(of: partition)
      #expect(end == .start)
      #expect(try await log.entries(of: partition, from: .start, limit: 10).isEmpty)
      #expect(try await log.snapshot(of: partition) == nil)
    },
    LogScenario("Entries are read unchanged, in order") { log in
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
    },
    LogScenario("Entries of several partitions are appended by one call") { log in
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
    },
    LogScenario("A read returns at most as many entries as its limit") { log in
      try await log.append(contents(0..<5), to: partition)
      try await log.append(contents(5..<9), to: partition)
      #expect(try await log.entries(of: partition, from: 3, limit: 3).map(\.position) == [3, 4, 5])
      #expect(try await log.entries(of: partition, from: 3, limit: 0).isEmpty)
      #expect(try await log.entries(of: partition, from: 9, limit: 3).isEmpty)
    },
    LogScenario("Entries may be empty and large") { log in
      let sizes = [0, 1, 127, 128, 65_535, 300_000, 0, 2_000_000]
      let entries = sizes.map { [UInt8](repeating: UInt8($0 % 251), count: $0) }
      for entry in entries { try await log.append([entry], to: partition) }
      #expect(try await log.all(of: partition).map(\.bytes) == entries)
    },
    LogScenario("An append that expects the head succeeds") { log in
      let first = try await log.append([content(0)], to: partition, expecting: .start)
      let second = try await log.append([content(1)], to: partition, expecting: first)
      #expect(second == head(at: 2))
    },
    LogScenario("An append that expects another head appends nothing") { log in
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
    },
    LogScenario("An append of no entries checks the head") { log in
      #expect(try await log.append([], to: partition, expecting: .start) == .start)
      let end = try await log.append([content(0)], to: partition)
      #expect(try await log.append([], to: partition, expecting: end) == end)
      await #expect(throws: ChangeLogError.headMoved(partition, to: end)) {
        try await log.append([], to: partition, expecting: .start)
      }
    },
    LogScenario("Partitions have logs of their own") { log in
      let names = ["", "a", "A", "b/c", "ü", "conversation=42", "..", "%41"]
      for (index, name) in names.enumerated() {
        try await log.append([content(index)], to: Partition(name))
      }
      for (index, name) in names.enumerated() {
        #expect(try await log.all(of: Partition(name)).map(\.bytes) == [content(index)])
      }
    },
    LogScenario("A position after the end is an error that names the end") { log in
      let end = try await log.append(contents(0..<2), to: partition)
      let error = ChangeLogError.beyondHead(partition, position: 3, head: end)
      await #expect(throws: error) {
        try await log.entries(of: partition, from: 3, limit: 1)
      }
      await #expect(throws: error) {
        try await log.storeSnapshot(
          LogSnapshot(head: LogHead(position: 3, chain: 0), bytes: []), of: partition)
      }
    },
    LogScenario("A name that exceeds the limit is refused by name") { log in
      let longest = Partition(String(repeating: "ü", count: LogLimits.nameSize / 2))
      let tooLong = Partition(longest.name + "a")
      let error = ChangeLogError.nameTooLarge(
        tooLong, size: LogLimits.nameSize + 1, limit: LogLimits.nameSize)
      try await log.append([content(0)], to: longest)
      await #expect(throws: error) { try await log.append([content(0)], to: tooLong) }
      await #expect(throws: error) { try await log.head(of: tooLong) }
    },
    LogScenario("Names that only look equal have logs of their own") { log in
      let (composed, decomposed) = (Partition("caf\u{e9}"), Partition("cafe\u{301}"))
      try await log.append([content(0)], to: composed)
      try await log.append(contents(0..<2), to: decomposed)
      #expect(try await log.head(of: composed) == head(at: 1))
      #expect(try await log.head(of: decomposed) == head(at: 2))
    },
  ]
}
