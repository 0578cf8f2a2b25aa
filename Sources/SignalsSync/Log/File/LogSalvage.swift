// Reading the intact parts of damaged files.
//
// Each frame has its own hash and the position of its first entry, so an intact frame can be
// recognized anywhere. After a damaged frame, the next one is searched at each byte. The chain of
// all entries isn't compared, because the lost entries are part of it.

/// The intact parts of a partition's files.
struct LogSalvage {
  /// A damaged part of a file, or entries that are missing in all files.
  struct Gap: Equatable {
    /// The name of the file.
    let file: String
    /// The bytes of the file.
    let bytes: Range<Int>
    /// The positions of the lost entries, as far as known.
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
  /// The position after the snapshot, or the position of the first entry if there is none.
  private var start = LogPosition.start

  /// Reads a partition's files without changing them.
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
    let size = try file.size()
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
    let size = try file.size()
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
  ///   - next: The position after the previous frame, if known.
  ///   - window: The file.
  /// - Returns: The header, or `nil` if there is no intact frame.
  private static func frame(
    at offset: Int, after next: LogPosition?, in window: inout FrameWindow
  ) throws(ChangeLogError) -> FrameHeader? {
    guard try window.load(FrameHeader.size, at: offset) else { return nil }
    let found = FrameHeader(window.bytes.span, at: offset - window.start)
    // Each lost entry took at least one byte. Without this bound, hashing would take too long.
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
