// Appends at the same time.

import SignalsSync
import Testing

extension LogScenario {
  static let concurrent: [LogScenario] = [
    LogScenario("Concurrent appends are all there, each one whole") { log in
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
    },
    LogScenario("Of appends that expect one head, one succeeds") { log in
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
    },
  ]
}
