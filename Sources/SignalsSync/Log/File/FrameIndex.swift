/// A frame's place: the head before it, and its offset.
struct FramePoint: Equatable {
  var head: LogHead
  var offset: Int
}

/// The places of some of a file's frames, one for every 4 KB, from which the others are found.
struct FrameIndex {
  private static let spacing = 4_096

  private var points: [FramePoint]

  /// Creates the index of a file that begins with a frame.
  init(_ first: FramePoint) { points = [first] }

  /// The place of the first frame.
  var first: FramePoint { points[0] }

  /// Adds the place of a frame after all others, unless one is near before it.
  mutating func add(_ point: FramePoint) {
    if point.offset - points[points.count - 1].offset >= Self.spacing { points.append(point) }
  }

  /// Returns the last known place of a frame that isn't after a position.
  ///
  /// - Complexity: O(log *n*) for *n* places.
  func point(before position: LogPosition) -> FramePoint {
    var (low, high) = (0, points.count)
    while high - low > 1 {
      let middle = (low + high) / 2
      if points[middle].head.position <= position { low = middle } else { high = middle }
    }
    return points[low]
  }

  /// Removes the places before that of a new first frame.
  mutating func makeFirst(_ point: FramePoint) {
    points = [point] + points.filter { $0.head.position > point.head.position }
  }
}
