import SignalsSync
import Synchronization
import Testing

@Suite("LogTail")
struct LogTailTests {
  let partition: Partition = "p"

  @Test("It delivers present entries, then new ones", arguments: LogKind.allCases)
  func delivery(_ kind: LogKind) async throws {
    try await kind.withLog { log in
      try await log.append(contents(0..<3), to: partition)
      var tail = log.tail(of: partition, from: 1).makeAsyncIterator()
      #expect(try await tail.next()?.map(\.bytes) == contents(1..<3))
      async let later = tail.next()
      try await log.append(contents(3..<5), to: partition)
      #expect(try await later?.map(\.bytes) == contents(3..<5))
    }
  }

  @Test("It waits for the first entry of a partition", arguments: LogKind.allCases)
  func firstEntry(_ kind: LogKind) async throws {
    try await kind.withLog { log in
      let first = Task { try await log.tail(of: "new", from: .start).first { _ in true } }
      await Task.yield()
      try await log.append([content(0)], to: "new")
      #expect(try await first.value?.map(\.bytes) == [content(0)])
    }
  }

  @Test("Each of several tails gets each entry once, in order", arguments: LogKind.allCases)
  func several(_ kind: LogKind) async throws {
    try await kind.withLog { log in
      let count = 300
      try await withThrowingTaskGroup(of: [[UInt8]].self) { group in
        for _ in 0..<4 {
          group.addTask {
            var found: [[UInt8]] = []
            for try await batch in log.tail(of: partition, from: .start) {
              #expect(batch.first?.position.rawValue == UInt64(found.count))
              found += batch.map(\.bytes)
              if found.count == count { break }
            }
            return found
          }
        }
        for position in 0..<count { try await log.append([content(position)], to: partition) }
        for try await found in group { #expect(found == contents(0..<count)) }
      }
    }
  }

  @Test("A slow reader gets larger batches, which are bounded", arguments: LogKind.allCases)
  func batches(_ kind: LogKind) async throws {
    try await kind.withLog { log in
      for start in stride(from: 0, to: 2_500, by: 50) {
        try await log.append(contents(start..<start + 50), to: partition)
      }
      var tail = log.tail(of: partition, from: .start).makeAsyncIterator()
      var sizes: [Int] = []
      while sizes.reduce(0, +) < 2_500 { sizes.append(try #require(try await tail.next()).count) }
      #expect(sizes.count <= 10)
      #expect(sizes.allSatisfy { $0 <= 1_000 } && sizes.reduce(0, +) == 2_500)
    }
  }

  @Test("It ends when its task is cancelled, at any moment", arguments: LogKind.allCases)
  func cancellation(_ kind: LogKind) async throws {
    try await kind.withLog { log in
      for round in 0..<200 {
        let seen = Mutex(0)
        let reader = Task {
          for try await batch in log.tail(of: partition, from: .start) {
            seen.withLock { $0 += batch.count }
          }
        }
        let writer = Task { try await log.append([content(round)], to: partition) }
        for _ in 0..<round % 7 { await Task.yield() }
        reader.cancel()
        try await reader.value
        _ = try await writer.value
        #expect(seen.withLock { $0 } <= round + 1)
      }
    }
  }

  @Test("A cancelled task gets nothing more", arguments: LogKind.allCases)
  func cancelledBefore(_ kind: LogKind) async throws {
    try await kind.withLog { log in
      try await log.append([content(0)], to: partition)
      let reader = Task {
        while !Task.isCancelled { await Task.yield() }
        var tail = log.tail(of: partition, from: .start).makeAsyncIterator()
        return try await tail.next()
      }
      reader.cancel()
      #expect(try await reader.value == nil)
    }
  }

  @Test("Truncation of what it is to read ends it with an error", arguments: LogKind.allCases)
  func truncation(_ kind: LogKind) async throws {
    try await kind.withLog { log in
      try await log.append(contents(0..<4), to: partition)
      var tail = log.tail(of: partition, from: 1).makeAsyncIterator()
      try await log.storeSnapshot(LogSnapshot(head: head(at: 4), bytes: []), of: partition)
      try await log.truncate(partition, before: 3)
      await #expect(throws: ChangeLogError.truncated(partition, oldest: 3)) {
        _ = try await tail.next()
      }
    }
  }

  @Test("It throws if the log is closed while it waits")
  func closing() async throws {
    let memory = InProcessLog()
    let file = try FileLog(at: "/log", durability: .each, files: SimulatedFiles())
    let logs: [any ChangeLog] = [memory, file]
    for log in logs {
      let reader = Task { try await log.tail(of: partition, from: .start).first { _ in true } }
      await Task.yield()
      memory.close()
      try await file.close()
      await #expect(throws: ChangeLogError.closed) { _ = try await reader.value }
    }
  }

  @Test("Nothing waits any more after cancellations and notifications")
  func arrivals() async {
    let arrivals = Arrivals()
    for round in 0..<500 {
      let seen = arrivals.count
      let waiter = Task { await arrivals.wait(after: seen) }
      for _ in 0..<round % 5 { await Task.yield() }
      if round % 3 != 0 { waiter.cancel() }
      if round % 3 != 1 { arrivals.notify() }
      await waiter.value
      #expect(arrivals.waiterCount == 0)
    }
  }

  @Test("A notification between the look and the wait isn't missed")
  func missedNotification() async {
    let arrivals = Arrivals()
    let seen = arrivals.count
    arrivals.notify()
    await arrivals.wait(after: seen)
    #expect(arrivals.count == seen + 1)
  }
}
