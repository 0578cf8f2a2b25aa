/// The location of a frame: its offset, and the head before it.
struct FramePoint: Equatable {
  var head: LogHead
  var offset: Int
}

/// The locations of some frames of a file, one for every 4 KB, from which the other frames are
/// found.
struct FrameIndex {
  private static let spacing = 4_096

  private var points: [FramePoint]

  /// Creates the index of a file that begins with a frame.
  init(_ first: FramePoint) { points = [first] }

  /// The location of the first frame.
  var first: FramePoint { points[0] }

  /// Adds the location of a frame after all others, unless the last location is near it.
  mutating func add(_ point: FramePoint) {
    if point.offset - points[points.count - 1].offset >= Self.spacing { points.append(point) }
  }

  /// Returns the last known location of a frame that isn't after a position.
  ///
  /// - Complexity: O(log *n*) for *n* locations.
  func point(before position: LogPosition) -> FramePoint {
    var (low, high) = (0, points.count)
    while high - low > 1 {
      let middle = (low + high) / 2
      if points[middle].head.position <= position { low = middle } else { high = middle }
    }
    return points[low]
  }

  /// Removes the locations before a new first frame.
  mutating func makeFirst(_ point: FramePoint) {
    points = [point] + points.filter { $0.head.position > point.head.position }
  }
}
