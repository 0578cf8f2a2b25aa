// The check of a whole file when it is opened.
//
// After a crash, frames at the end of the file may be incomplete, or the device may have later
// pages of them without earlier ones. None of these frames was durable, so they are removed. Any
// other broken frame is damage, and nothing is removed.
//
// To distinguish the two cases, each frame states the end of the durable bytes at the time when it
// was made. If an intact frame after the first broken frame states that the broken one was durable,
// the file is damaged. Damage of the frames that were written last can't be distinguished from a
// crash.

/// The result of the check of a file.
struct LogFileScan {
  /// The head after the last intact frame.
  private(set) var head: LogHead
  /// The end of the last intact frame, in bytes of the file.
  private(set) var end: Int
  /// The locations of frames, by their offsets in the file.
  private(set) var index: FrameIndex
  /// The number of bytes after the end, which are incomplete frames.
  let tornSize: Int

  /// Checks a file.
  init(_ file: OpenFile, header: LogFileHeader, size: Int) throws(ChangeLogError) {
    var window = FrameWindow(file, end: size, step: 1 << 20)
    var (head, end) = (header.base, LogFileHeader.size)
    var index = FrameIndex(FramePoint(head: head, offset: end))
    while let next = try window.advance(from: end, after: head) {
      index.add(FramePoint(head: head, offset: end))
      head = next.head
      end += next.size
    }
    (self.head, self.end, self.index, tornSize) = (head, end, index, size - end)
    let isDamaged =
      tornSize > 0 ? try isSettled(window, header: header) : size < header.settled
    if isDamaged {
      throw .damaged(
        file: file.path, offset: end, reason: "the entry at \(head.position) isn't intact")
    }
  }

  /// Returns whether bytes after the end were durable.
  private func isSettled(
    _ window: FrameWindow, header: LogFileHeader
  ) throws(ChangeLogError) -> Bool {
    if header.settled > end { return true }
    var window = window
    var offset = end + 1
    while try window.load(FrameHeader.size, at: offset) {
      let found = FrameHeader(window.bytes.span, at: offset - window.start)
      // Each entry takes at least one byte, which bounds the position of a later frame.
      let isPlausible =
        found.position >= head.position
        && found.position.rawValue - head.position.rawValue <= UInt64(offset - end)
      if isPlausible, let settled = found.settledEnd(at: offset), settled > end,
        let frame = try window.frame(at: offset),
        frame.head(after: head, at: offset - window.start, in: window.bytes.span) != nil
      {
        return true
      }
      offset += 1
    }
    return false
  }
}
