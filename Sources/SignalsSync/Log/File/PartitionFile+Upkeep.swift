// Snapshots and truncation. All of it runs on `upkeep`, one call after the other, and appends go
// on. A new file is written and synced beside the one in use; only its last bytes, and its new
// name, are written while `disk` is held.

import Synchronization

extension PartitionFile {
  /// The number of bytes that are copied at a time.
  private static let copySize = 1 << 20

  /// Reads the snapshot.
  func readSnapshot() throws(ChangeLogError) -> LogSnapshot? {
    _ = try head()
    guard state.withLock({ $0.snapshot }) != nil else { return nil }
    let file = try directory.open(snapshotName)
    let header = try SnapshotHeader(of: file, partition: partition)
    let bytes = try file.read(at: SnapshotHeader.size, count: min(header.count, file.status().size))
    guard bytes.count == header.count, XXHash64.hash(bytes.span) == header.hash else {
      throw .damaged(
        file: file.path, offset: SnapshotHeader.size, reason: "the snapshot isn't intact")
    }
    return LogSnapshot(head: header.head, bytes: bytes)
  }

  /// Stores a snapshot of entries that are on the device.
  func storeSnapshot(_ snapshot: LogSnapshot) throws(ChangeLogError) {
    let position = snapshot.head.position
    _ = try head(havingPosition: position)
    guard try find(position)?.head ?? .start == snapshot.head else {
      throw .otherHistory(partition, position: position)
    }
    let header = SnapshotHeader(snapshot, of: partition)
    _ = try directory.prepare(snapshotName) { file throws(ChangeLogError) in
      try file.write(header.bytes, at: 0)
      try file.write(snapshot.bytes, at: SnapshotHeader.size)
    }
    try put(snapshotName)
    state.withLock { $0.snapshot = snapshot.head }
  }

  /// Removes the entries before a position.
  func truncate(before position: LogPosition) throws(ChangeLogError) {
    let (oldest, covered) = state.withLock { ($0.oldest, $0.snapshot?.position) }
    _ = try head()
    guard position <= covered ?? .start else {
      throw .notCovered(partition, position: position, snapshot: covered)
    }
    guard position > oldest, let found = try find(position) else { return }

    // The frame that has entries on both sides is made again; the others are copied.
    var first: [UInt8] = []
    if !found.rest.isEmpty {
      let size = [UInt8].frameSize(of: found.rest)
      _ = first.append(
        frameOf: found.rest, size: size, after: found.head, distance: LogFileHeader.size)
    }
    let start = LogFileHeader.size + first.count
    let file = try directory.prepare(logName) { file throws(ChangeLogError) in
      try file.write(first, at: LogFileHeader.size)
      try copy(found.next..<found.end, of: found.file, to: file, at: start)
      try writeHeader(of: file, base: found.head, settled: start + found.end - found.next)
    }
    try disk.withLock { disk throws(ChangeLogError) in
      let end = disk.end - disk.shift
      if end > found.end {
        do throws(ChangeLogError) {
          // Frames that were written meanwhile.
          try copy(found.end..<end, of: found.file, to: file, at: start + found.end - found.next)
          try writeHeader(of: file, base: found.head, settled: start + end - found.next)
          try file.sync()
        } catch {
          directory.removeNew(logName)
          throw error
        }
      }
      try put(logName)
      disk.file = file
      disk.shift += found.next - start
      let offset = LogFileHeader.size + disk.shift
      disk.index.makeFirst(FramePoint(head: found.head, offset: offset))
      state.withLock { $0.oldest = position }
    }
  }

  /// Gives a prepared file its name.
  ///
  /// If it isn't known which file has the name, nothing can be appended until the log is opened
  /// again.
  private func put(_ name: String) throws(ChangeLogError) {
    do {
      try directory.put(name)
    } catch .noSpace(let path) {
      throw .noSpace(path: path)
    } catch {
      state.withLock { $0.failure = $0.failure ?? error }
      throw error
    }
  }

  private func copy(
    _ range: Range<Int>, of file: OpenFile, to other: OpenFile, at offset: Int
  ) throws(ChangeLogError) {
    var done = range.lowerBound
    while done < range.upperBound {
      let count = min(Self.copySize, range.upperBound - done)
      let bytes = try file.read(at: done, count: count)
      guard bytes.count == count else {
        throw .damaged(file: file.path, offset: done, reason: "the file ends before its frames")
      }
      try other.write(bytes, at: offset + done - range.lowerBound)
      done += count
    }
  }
}
