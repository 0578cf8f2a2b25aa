// The format of entries in a file. An append is one frame, so that a crash leaves all of it or
// none:
//
//   0   4 bytes  the size of the entries, in bytes
//   4   4 bytes  the distance to the frame from the end of the bytes durable when it was made
//   8   8 bytes  the position of the first entry
//   16  8 bytes  a hash of the fields above and of each entry
//   24           for each entry its size, as a varint, and its bytes
//
// A frame without entries only states, by its second field, the end of the durable frames.

/// The fields before a frame's entries.
struct FrameHeader: Equatable {
  static let size = 24
  /// The largest size of a frame's entries.
  static let limit = LogLimits.appendSize
  /// The distance of a frame that states no end of durable bytes.
  static let unknownDistance = UInt32.max

  let size: Int
  let distance: UInt32
  let position: LogPosition
  let check: UInt64

  /// Reads the fields, which aren't trusted.
  init(_ bytes: Span<UInt8>, at offset: Int) {
    size = Int(bytes.halfWord(at: offset))
    distance = bytes.halfWord(at: offset + 4)
    position = LogPosition(rawValue: bytes.word(at: offset + 8))
    check = bytes.word(at: offset + 16)
  }

  init(size: Int, distance: UInt32, position: LogPosition, check: UInt64 = 0) {
    (self.size, self.distance) = (size, distance)
    (self.position, self.check) = (position, check)
  }

  /// The size of the frame, in bytes.
  var frameSize: Int { Self.size + size }

  /// The hash of the fields, which is the initial value of the frame's hash.
  var hash: UInt64 {
    let first = UInt64(UInt32(size)) | UInt64(distance) << 32
    return XXHash64.fold(position.rawValue, into: XXHash64.fold(first, into: UInt64(Self.size)))
  }

  /// Returns the end of the durable bytes that a frame at an offset states, or `nil` if it states
  /// none.
  func settledEnd(at offset: Int) -> Int? {
    distance == Self.unknownDistance ? nil : offset - Int(distance)
  }
}

/// Reads the entries of a frame in order.
struct FrameEntries {
  private var offset: Int
  private let end: Int

  /// Whether the bytes aren't valid entries.
  private(set) var isBroken = false

  /// Creates the entries of a frame at an offset.
  init(of header: FrameHeader, at offset: Int) {
    self.offset = offset + FrameHeader.size
    end = offset + header.frameSize
  }

  /// Returns the range of the next entry's bytes.
  mutating func next(in bytes: Span<UInt8>) -> Range<Int>? {
    if offset == end { return nil }
    guard let size = bytes.varint(at: &offset, end: end), size <= UInt64(end - offset) else {
      isBroken = true
      return nil
    }
    let range = offset..<offset + Int(size)
    offset = range.upperBound
    return range
  }
}

extension FrameHeader {
  /// Returns the head after the frame's entries, or `nil` if the frame doesn't match its hash.
  func head(after head: LogHead, at offset: Int, in bytes: Span<UInt8>) -> LogHead? {
    var entries = FrameEntries(of: self, at: offset)
    var (end, hash) = (head, self.hash)
    while let range = entries.next(in: bytes) {
      let digest = XXHash64.hash(bytes, in: range)
      hash = XXHash64.fold(digest, into: hash)
      end = end.after(digest: digest)
    }
    return !entries.isBroken && XXHash64.finished(hash) == check ? end : nil
  }
}

extension [UInt8] {
  /// Returns the size of entries in a frame, in bytes.
  static func frameSize(of entries: some Sequence<[UInt8]>) -> Int {
    entries.reduce(0) { $0 + varintSize(UInt64($1.count)) + $1.count }
  }

  /// Appends a frame.
  ///
  /// - Parameters:
  ///   - entries: The entries.
  ///   - size: The size of the entries in a frame.
  ///   - head: The head of the log before them.
  ///   - distance: The distance from the end of the durable bytes to the frame.
  /// - Returns: The head of the log after the entries.
  mutating func append(
    frameOf entries: some Sequence<[UInt8]>, size: Int, after head: LogHead, distance: Int
  ) -> LogHead {
    let header = FrameHeader(
      size: size, distance: UInt32(clamping: distance), position: head.position)
    let start = count
    append(word: UInt64(UInt32(size)) | UInt64(header.distance) << 32)
    append(word: head.position.rawValue)
    append(word: 0)
    var (end, hash) = (head, header.hash)
    for entry in entries {
      append(varint: UInt64(entry.count))
      append(contentsOf: entry)
      let digest = XXHash64.hash(entry.span)
      hash = XXHash64.fold(digest, into: hash)
      end = end.after(digest: digest)
    }
    store(word: XXHash64.finished(hash), at: start + 16)
    return end
  }
}
