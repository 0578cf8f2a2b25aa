import SignalsSync
import SignalsTesting
import Testing

@Suite("Logs of many partitions")
struct FileLogManyTests {
  static let durabilities: [FileLog.Durability] = [.each, .interval(.milliseconds(1))]

  @Test("Few files of many partitions stay open, and all can be used", arguments: durabilities)
  func openFiles(_ durability: FileLog.Durability) async throws {
    let files = SimulatedFiles()
    let log = try FileLog(at: "/log", durability: durability, files: files)
    let partitions = (0..<200).map { Partition("partition=\($0)") }
    for round in 0..<3 {
      for partition in partitions {
        try await log.append([content(round)], to: partition, expecting: head(at: round))
      }
      for partition in partitions { try await log.sync(partition) }
    }
    // The next file that is opened makes the others close.
    var extra = 0
    while files.openCount > 128 {
      try await log.append([content(0)], to: Partition("extra=\(extra)"))
      extra += 1
      await Task.yield()
    }
    for partition in partitions {
      #expect(try await log.all(of: partition).map(\.bytes) == contents(0..<3))
      try await log.storeSnapshot(LogSnapshot(head: head(at: 3), bytes: []), of: partition)
      try await log.truncate(partition, before: 2)
      try await log.append([content(3)], to: partition)
    }
    try await log.close()
    #expect(files.openCount == 0)
    let reopened = try FileLog(at: "/log", durability: durability, files: files)
    for partition in partitions {
      #expect(try await reopened.all(of: partition, from: 2).map(\.bytes) == contents(2..<4))
    }
  }

  @Test("The directory is listed when the log is opened, and not for each partition")
  func listings() async throws {
    let files = SimulatedFiles()
    let log = try FileLog(at: "/log", durability: .each, files: files)
    for index in 0..<20 { try await log.append([content(0)], to: Partition("\(index)")) }
    #expect(files.listings == 1)
  }

  @Test("A read of a partition that isn't there takes no memory")
  func reads() async throws {
    let memory = InProcessLog()
    let file = try FileLog(at: "/log", durability: .each, files: SimulatedFiles())
    let logs: [any ChangeLog] = [memory, file]
    for log in logs {
      for index in 0..<20 {
        let partition = Partition("\(index)")
        #expect(try await log.head(of: partition) == .start)
        #expect(try await log.entries(of: partition, from: .start, limit: 1).isEmpty)
        #expect(try await log.snapshot(of: partition) == nil)
      }
    }
    #expect(memory.keptCount == 0)
    #expect(file.keptCount == 0)
  }
}
