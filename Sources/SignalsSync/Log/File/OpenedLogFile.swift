/// A partition's file after it was opened and checked, or the state of a partition without a file.
struct OpenedLogFile {
  private(set) var file: OpenFile?
  private(set) var head = LogHead.start
  private(set) var end = LogFileHeader.size
  private(set) var index = FrameIndex(FramePoint(head: .start, offset: LogFileHeader.size))
  private(set) var tornSize = 0

  /// Opens a partition's file, if there is one, and removes incomplete frames at its end.
  init(_ partition: Partition, of work: LogWork) throws(ChangeLogError) {
    guard let file = try work.directory.openIfPresent(partition.logName) else { return }
    let header = try LogFileHeader(of: file)
    guard header.name == partition.nameHash else {
      throw .damaged(file: file.path, offset: 0, reason: "it is the file of another log")
    }
    let scan = try LogFileScan(file, header: header, size: file.size())
    if scan.tornSize > 0 { try file.cut(to: scan.end) }
    // The bytes of a process that was killed may not be durable yet.
    try file.sync()
    (self.file, head, end, index) = (file, scan.head, scan.end, scan.index)
    tornSize = scan.tornSize
  }

  /// Creates the file of a log that starts from a snapshot, and gives it its name.
  init(
    _ partition: Partition, startingAt head: LogHead, of work: LogWork
  ) throws(ChangeLogError) {
    file = try Self.prepare(partition, startingAt: head, of: work)
    try work.directory.put(partition.logName)
    self.head = head
    index = FrameIndex(FramePoint(head: head, offset: LogFileHeader.size))
  }

  /// Creates a file without entries that later replaces the present file.
  static func prepare(
    _ partition: Partition, startingAt head: LogHead, of work: LogWork
  ) throws(ChangeLogError) -> OpenFile {
    try work.directory.prepare(partition.logName) { file throws(ChangeLogError) in
      try writeHeader(
        of: file, for: partition, base: head, settled: LogFileHeader.size, work: work)
    }
  }

  /// Writes the header of a new file.
  static func writeHeader(
    of file: OpenFile, for partition: Partition, base: LogHead, settled: Int, work: LogWork
  ) throws(ChangeLogError) {
    let header = LogFileHeader(partition, base: base, settled: settled)
    try file.write(header.bytes, at: 0)
  }
}
