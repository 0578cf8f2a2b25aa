// Reading what is intact of files of which parts are damaged.
//
// Each frame has the position of its first entry and a hash of its own, so a frame that is intact
// is known to be one wherever it is: after a damaged one, the next is looked for at each byte. The
// chain of all entries can't be compared then, and isn't.

/// What is intact of a partition's files.
struct LogSalvage {
  /// A part of a file that can't be read, or entries that no file has.
  struct Gap: Equatable {
    /// The name of the file.
    let file: String
    /// The place in the file.
    let bytes: Range<Int>
    /// The entries that are lost, as far as that is known.
    let positions: Range<LogPosition>
    let reason: String
  }

  /// The bytes of the snapshot, which may be damaged.
  private(set) var snapshot: [UInt8]?
  /// Whether the snapshot matches its hash.
  private(set) var isSnapshotIntact = false
  /// The entries after the snapshot, in order.
  private(set) var entries: [LogEntry] = []
  /// The damage, in the order of the entries.
  private(set) var gaps: [Gap] = []
  /// The position after the snapshot, or where the entries begin if there is none.
  private var start = LogPosition.start

  /// Reads a partition's files, which stay as they are.
  init(of partition: Partition, in directory: LogDirectory) throws(ChangeLogError) {
    if let file = try directory.openIfPresent(partition.snapshotName) {
      try readSnapshot(file, of: partition)
    }
    if let file = try directory.openIfPresent(partition.logName) {
      try readLog(file, of: partition)
    }
  }

  private mutating func readSnapshot(
    _ file: OpenFile, of partition: Partition
  ) throws(ChangeLogError) {
    let size = try file.status().size
    let header = try? SnapshotHeader(of: file, partition: partition)
    let rest = max(0, size - SnapshotHeader.size)
    let bytes = try file.read(
      at: SnapshotHeader.size, count: min(rest, header?.count ?? rest))
    snapshot = bytes
    if let header {
      start = header.head.position
      isSnapshotIntact =
        bytes.count == header.count && XXHash64.hash(bytes.span) == header.hash
    }
    if isSnapshotIntact { return }
    gaps.append(
      Gap(
        file: partition.snapshotName, bytes: 0..<size, positions: start..<start,
        reason: "the checkpoint doesn't match its hash"))
  }

  private mutating func readLog(
    _ file: OpenFile, of partition: Partition
  ) throws(ChangeLogError) {
    let size = try file.status().size
    var next: LogPosition?
    if let header = try? LogFileHeader(of: file) {
      next = header.base.position
      if start < header.base.position, snapshot == nil || isSnapshotIntact {
        addGap(0..<0, to: header.base.position, of: partition, "no checkpoint replaces the entries")
      }
    } else {
      addGap(0..<min(size, LogFileHeader.size), to: start, of: partition, "the header is damaged")
    }
    var window = FrameWindow(file, end: size, step: 1 << 20)
    var (offset, end) = (LogFileHeader.size, LogFileHeader.size)
    while offset < size {
      guard let frame = try Self.frame(at: offset, after: next, in: &window) else {
        offset += 1
        continue
      }
      if offset > end || frame.position > next ?? start {
        addGap(
          end..<offset, from: max(next ?? start, start), to: frame.position, of: partition,
          "the entries aren't intact")
      }
      var found: [LogEntry] = []
      window.appendEntries(
        ofFrameAt: offset, in: frame.position..<LogPosition(rawValue: .max), to: &found)
      entries += found.filter { $0.position >= start }
      next = frame.position.advanced(by: found.count)
      offset += frame.frameSize
      end = offset
    }
    if end < size {
      let first = next ?? start
      addGap(
        end..<size, from: first, to: first, of: partition,
        "the last entries aren't intact, as after a crash")
    }
  }

  /// Returns the header of an intact frame at an offset.
  ///
  /// - Parameters:
  ///   - offset: The offset.
  ///   - next: The position after the frame before, if it is known.
  ///   - window: The file.
  private static func frame(
    at offset: Int, after next: LogPosition?, in window: inout FrameWindow
  ) throws(ChangeLogError) -> FrameHeader? {
    guard try window.load(FrameHeader.size, at: offset) else { return nil }
    let found = FrameHeader(window.bytes.span, at: offset - window.start)
    // Each lost entry took at least one byte. Without a bound, hashing would take too long.
    if let next {
      guard found.position >= next, found.position.rawValue - next.rawValue <= UInt64(window.end)
      else { return nil }
    }
    guard let frame = try window.frame(at: offset),
      frame.head(after: .start, at: offset - window.start, in: window.bytes.span) != nil
    else { return nil }
    return frame
  }

  private mutating func addGap(
    _ bytes: Range<Int>, from first: LogPosition? = nil, to end: LogPosition,
    of partition: Partition, _ reason: String
  ) {
    let first = min(first ?? start, end)
    gaps.append(
      Gap(file: partition.logName, bytes: bytes, positions: first..<end, reason: reason))
  }
}
