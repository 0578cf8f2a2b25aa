// The check of a whole file when it is opened.
//
// A crash can leave frames at the end of the file that were written in part, or of which the
// system had written later pages before earlier ones. None of them was acknowledged as being on the
// device: they are cut off. Any other frame that isn't intact is damage, and nothing is cut off.
//
// To distinguish the two, each frame states how much of the file was on the device when it was
// made. If an intact frame, anywhere after the first broken one, states that the broken one was on
// the device, it is damage. If the frames that were written last are broken, that can't be
// distinguished from a crash.

/// The content of a file that was checked.
struct LogFileScan {
  /// The head after the last intact frame.
  private(set) var head: LogHead
  /// The end of the last intact frame, in bytes of the file.
  private(set) var end: Int
  /// The places of frames, by their offsets in the file.
  private(set) var index: FrameIndex
  /// The number of bytes after the end that were written in part.
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

  /// Returns whether the bytes after the end were on the device at some time.
  private func isSettled(
    _ window: FrameWindow, header: LogFileHeader
  ) throws(ChangeLogError) -> Bool {
    if header.settled > end { return true }
    var window = window
    var offset = end + 1
    while try window.load(FrameHeader.size, at: offset) {
      let found = FrameHeader(window.bytes.span, at: offset - window.start)
      // Each entry takes at least one byte, so the position of a later frame has a bound.
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
