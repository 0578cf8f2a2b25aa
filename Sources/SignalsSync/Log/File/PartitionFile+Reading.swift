import Synchronization

extension PartitionFile {
  /// The number of bytes after which a read returns the entries it has.
  private static let largestRead = 1 << 20

  /// The head that readers see.
  func head() throws(ChangeLogError) -> LogHead {
    try state.withLock { state throws(ChangeLogError) in
      if state.isClosed { throw .closed }
      return visibleHead(of: state)
    }
  }

  private func visibleHead(of state: borrowing State) -> LogHead {
    durability == .each ? state.synced : state.accepted
  }

  /// Returns the head that readers see, after checking that the log has a position.
  func head(
    havingPosition position: LogPosition
  ) throws(ChangeLogError) -> LogHead {
    try state.withLock { state throws(ChangeLogError) in
      if state.isClosed { throw .closed }
      let head = visibleHead(of: state)
      if position < state.oldest { throw .truncated(partition, oldest: state.oldest) }
      if position > head.position {
        throw .beyondHead(partition, position: position, head: head)
      }
      return head
    }
  }

  /// Returns entries from a position on.
  func entries(
    from position: LogPosition, limit: Int
  ) throws(ChangeLogError) -> [LogEntry] {
    let end = try head(havingPosition: position).position
    guard position < end, limit > 0 else { return [] }
    let wanted = position..<position.advanced(by: min(limit, position.distance(to: end)))
    guard let (window, point, written) = try window(for: wanted) else { return [] }
    return try read(position..<min(wanted.upperBound, written), from: point, in: window)
  }

  /// Opens the file for reading a range of positions.
  ///
  /// - Returns: A window of the file, the location of a frame that isn't after the first position,
  ///   and the position after the last entry of the file; or `nil` if there is no file yet.
  private func window(
    for range: Range<LogPosition>
  ) throws(ChangeLogError) -> (FrameWindow, FramePoint, LogPosition)? {
    try disk.withLock { disk throws(ChangeLogError) in
      // Another log may have changed the file after the failure.
      if state.withLock({ $0.isClosed }) { throw .closed }
      // Only with an interval can entries be read before they are written.
      if durability != .each, disk.head.position < range.upperBound {
        do throws(ChangeLogError) {
          try write(&disk)
        } catch {
          // Written frames can be read even if the device is full.
          if disk.head.position <= range.lowerBound { throw error }
        }
      }
      guard let file = try openFile(&disk) else { return nil }
      var point = disk.index.point(before: range.lowerBound)
      // The log may have been truncated after the first check.
      if point.head.position > range.lowerBound {
        throw .truncated(partition, oldest: point.head.position)
      }
      point.offset -= disk.shift
      let window = FrameWindow(file, end: disk.end - disk.shift, step: 1 << 16)
      return (window, point, disk.head.position)
    }
  }

  /// Reads entries of a range of positions.
  ///
  /// The file must have the first one.
  private func read(
    _ range: Range<LogPosition>, from point: FramePoint, in window: FrameWindow
  ) throws(ChangeLogError) -> [LogEntry] {
    var window = window
    var entries: [LogEntry] = []
    var (head, offset, size) = (point.head, point.offset, 0)
    while head.position < range.upperBound, size < Self.largestRead {
      let frame = try window.next(from: offset, after: head)
      if frame.head.position > range.lowerBound {
        window.appendEntries(ofFrameAt: offset, in: range, to: &entries)
        size += frame.size
      }
      head = frame.head
      offset += frame.size
    }
    return entries
  }

  /// Finds a position in the file.
  ///
  /// - Returns: The location, or `nil` if there is no file.
  func find(
    _ position: LogPosition
  ) throws(ChangeLogError) -> FoundPosition? {
    guard let (found, point, _) = try window(for: position..<position) else { return nil }
    var (window, head, offset) = (found, point.head, point.offset)
    while head.position < position {
      let frame = try window.next(from: offset, after: head)
      if frame.head.position > position {
        var entries: [LogEntry] = []
        window.appendEntries(
          ofFrameAt: offset, in: head.position..<frame.head.position, to: &entries)
        let count = head.position.distance(to: position)
        for entry in entries[..<count] { head = head.after(entry.bytes) }
        return FoundPosition(
          head: head, file: window.file, next: offset + frame.size, end: window.end,
          rest: entries[count...].map(\.bytes))
      }
      head = frame.head
      offset += frame.size
    }
    return FoundPosition(head: head, file: window.file, next: offset, end: window.end, rest: [])
  }
}

/// The location of a position in a file.
struct FoundPosition {
  /// The head at the position.
  let head: LogHead
  let file: OpenFile
  /// The offset of the first whole frame after the position.
  let next: Int
  /// The end of the written frames.
  let end: Int
  /// The entries from the position on, if their frame also has earlier entries.
  let rest: [[UInt8]]
}
