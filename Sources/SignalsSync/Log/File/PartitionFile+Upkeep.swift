// Snapshots and truncation. Both run on `upkeep`, one call after the other, while appends continue.
// A new file is written and synced beside the present one. Only its last bytes and its name are
// written while `disk` is locked.

import Synchronization

extension PartitionFile {
  /// The number of bytes that are copied at a time.
  private static let copySize = 1 << 20

  /// Reads the snapshot.
  ///
  /// - Returns: The snapshot, or `nil` if there is none.
  func readSnapshot() throws(ChangeLogError) -> LogSnapshot? {
    _ = try head()
    guard state.withLock({ $0.snapshot }) != nil else { return nil }
    let file = try directory.open(snapshotName)
    let header = try SnapshotHeader(of: file, partition: partition)
    let bytes = try file.read(at: SnapshotHeader.size, count: min(header.count, file.size()))
    guard bytes.count == header.count, XXHash64.hash(bytes.span) == header.hash else {
      throw .damaged(
        file: file.path, offset: SnapshotHeader.size, reason: "the snapshot isn't intact")
    }
    return LogSnapshot(head: header.head, bytes: bytes)
  }

  /// Stores a snapshot of durable entries.
  ///
  /// - Throws: ``ChangeLogError`` if the snapshot's head isn't one of the log, or the file can't be
  ///   written.
  func storeSnapshot(_ snapshot: LogSnapshot) throws(ChangeLogError) {
    let position = snapshot.head.position
    try state.withLock { state throws(ChangeLogError) in try state.check() }
    _ = try head(havingPosition: position)
    guard try find(position)?.head ?? .start == snapshot.head else {
      throw .otherHistory(partition, position: position)
    }
    try prepare(snapshot, isStart: false)
    try put(snapshotName)
    state.withLock { $0.snapshot = snapshot.head }
  }

  func prepare(_ snapshot: LogSnapshot, isStart: Bool) throws(ChangeLogError) {
    try partition.check(snapshot, limits: work.limits)
    let header = SnapshotHeader(snapshot, of: partition, isStart: isStart)
    _ = try directory.prepare(snapshotName) { file throws(ChangeLogError) in
      try file.write(header.bytes, at: 0)
      try file.write(snapshot.bytes, at: SnapshotHeader.size)
    }
  }

  /// Replaces the entries by a snapshot after their end.
  ///
  /// The snapshot gets its name first. After a crash before the file gets its name, the next
  /// opening of the log completes the start.
  ///
  /// - Parameters:
  ///   - snapshot: The snapshot.
  ///   - expected: The head that the log must have, or `nil` for any head.
  /// - Returns: `false` if nothing was done because accepted frames aren't durable.
  func start(
    from snapshot: LogSnapshot, expecting expected: LogHead?
  ) throws(ChangeLogError) -> Bool {
    let end = try state.withLock { state throws(ChangeLogError) in
      try state.check()
      return state.accepted
    }
    try end.checkStart(of: partition, from: snapshot.head, expecting: expected)
    try prepare(snapshot, isStart: true)
    let isDone: Bool
    do throws(ChangeLogError) {
      let file = try OpenedLogFile.prepare(partition, startingAt: snapshot.head, of: work)
      isDone = try disk.withLock { disk throws(ChangeLogError) in
        try replace(&disk, by: file, from: snapshot.head, expecting: expected)
      }
    } catch {
      removePrepared()
      throw error
    }
    if !isDone { removePrepared() }
    return isDone
  }

  /// Gives both prepared files their names.
  ///
  /// This is the only call that writes to the device while `state` is locked, so that no entry is
  /// accepted between the names.
  private func replace(
    _ disk: inout Disk, by file: OpenFile, from head: LogHead, expecting expected: LogHead?
  ) throws(ChangeLogError) -> Bool {
    try state.withLock { state throws(ChangeLogError) in
      try state.check()
      guard state.isSettled else { return false }
      try state.accepted.checkStart(of: partition, from: head, expecting: expected)
      do throws(ChangeLogError) {
        try directory.put(snapshotName)
      } catch {
        if !error.leavesFile { state.failure = error }
        throw error
      }
      do throws(ChangeLogError) {
        try directory.put(logName)
      } catch {
        state.failure = error
        throw error
      }
      setFile(file, in: &disk)
      (disk.head, disk.hasNewFrames) = (head, false)
      disk.shift = disk.end - LogFileHeader.size
      disk.index = FrameIndex(FramePoint(head: head, offset: disk.end))
      (state.accepted, state.synced, state.snapshot) = (head, head, head)
      state.oldest = head.position
      return true
    }
  }

  func removePrepared() {
    directory.removeNew(snapshotName)
    directory.removeNew(logName)
  }

  /// Removes the entries before a position.
  ///
  /// - Throws: ``ChangeLogError/notCovered(_:position:snapshot:)`` if the position is after the
  ///   snapshot, and errors of the file system.
  func truncate(before position: LogPosition) throws(ChangeLogError) {
    let (oldest, covered) = try state.withLock { state throws(ChangeLogError) in
      try state.check()
      return (state.oldest, state.snapshot?.position)
    }
    guard position <= covered ?? .start else {
      throw .notCovered(partition, position: position, snapshot: covered)
    }
    guard position > oldest, let found = try find(position) else { return }

    // A frame with entries on both sides of the position is rewritten. The others are copied.
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
      try OpenedLogFile.writeHeader(
        of: file, for: partition, base: found.head, settled: start + found.end - found.next,
        work: work)
    }
    try disk.withLock { disk throws(ChangeLogError) in
      let end = disk.end - disk.shift
      do throws(ChangeLogError) {
        try state.withLock { state throws(ChangeLogError) in try state.check() }
        if end > found.end {
          // Frames that were written during the copy.
          try copy(found.end..<end, of: found.file, to: file, at: start + found.end - found.next)
          try OpenedLogFile.writeHeader(
            of: file, for: partition, base: found.head, settled: start + end - found.next,
            work: work)
          try file.sync()
        }
      } catch {
        directory.removeNew(logName)
        throw error
      }
      try put(logName)
      setFile(file, in: &disk)
      disk.shift += found.next - start
      let offset = LogFileHeader.size + disk.shift
      disk.index.makeFirst(FramePoint(head: found.head, offset: offset))
      state.withLock { $0.oldest = position }
    }
  }

  /// Gives a prepared file its name.
  ///
  /// If either file may have the name after an error, nothing can be appended until the log is
  /// opened again.
  private func put(_ name: String) throws(ChangeLogError) {
    do {
      try directory.put(name)
    } catch {
      if !error.leavesFile { state.withLock { $0.failure = $0.failure ?? error } }
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
