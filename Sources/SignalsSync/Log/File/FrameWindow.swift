/// The part of a file that is in memory while its frames are read.
struct FrameWindow {
  /// The file.
  let file: OpenFile
  /// The end of the frames, in bytes of the file.
  let end: Int
  private let step: Int
  private(set) var bytes: [UInt8] = []
  private(set) var start = 0

  /// Creates an empty window, which reads at least `step` bytes at a time.
  init(_ file: OpenFile, end: Int, step: Int) {
    (self.file, self.end, self.step) = (file, end, step)
  }

  /// Reads bytes at an offset into the window, unless it has them.
  ///
  /// - Returns: Whether the file has them.
  mutating func load(_ count: Int, at offset: Int) throws(ChangeLogError) -> Bool {
    guard count <= end - offset else { return false }
    if offset >= start, offset + count <= start + bytes.count { return true }
    bytes = try file.read(at: offset, count: min(max(count, step), end - offset))
    start = offset
    return bytes.count >= count
  }

  /// Returns the fields of the frame at an offset, and reads the frame into the window.
  ///
  /// - Returns: The fields, or `nil` if the frame exceeds the file.
  mutating func frame(at offset: Int) throws(ChangeLogError) -> FrameHeader? {
    guard try load(FrameHeader.size, at: offset) else { return nil }
    let header = FrameHeader(bytes.span, at: offset - start)
    guard header.size <= FrameHeader.limit, try load(header.frameSize, at: offset) else {
      return nil
    }
    return header
  }

  /// Returns the head after the frame at an offset.
  ///
  /// - Returns: The frame's size and the head, or `nil` if there is no intact frame that continues
  ///   the head before it.
  mutating func advance(
    from offset: Int, after head: LogHead
  ) throws(ChangeLogError) -> (size: Int, head: LogHead)? {
    guard let header = try frame(at: offset), header.position == head.position,
      let end = header.head(after: head, at: offset - start, in: bytes.span)
    else { return nil }
    return (header.frameSize, end)
  }

  /// Returns the head after a frame that must be intact.
  ///
  /// - Throws: ``ChangeLogError/damaged(file:offset:reason:)`` if there is no intact frame that
  ///   continues the head before it.
  mutating func next(
    from offset: Int, after head: LogHead
  ) throws(ChangeLogError) -> (size: Int, head: LogHead) {
    if let frame = try advance(from: offset, after: head) { return frame }
    throw .damaged(
      file: file.path, offset: offset, reason: "the entry at \(head.position) isn't intact")
  }

  /// Appends the entries of a frame in the window whose positions are in a range.
  func appendEntries(
    ofFrameAt offset: Int, in range: Range<LogPosition>, to entries: inout [LogEntry]
  ) {
    let header = FrameHeader(bytes.span, at: offset - start)
    var position = header.position
    var ranges = FrameEntries(of: header, at: offset - start)
    while position < range.upperBound, let place = ranges.next(in: bytes.span) {
      if position >= range.lowerBound {
        entries.append(LogEntry(position: position, bytes: Array(bytes[place])))
      }
      position = position.advanced(by: 1)
    }
  }
}
