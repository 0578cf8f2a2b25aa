/// A vertical sequence of items of any height, which are created only when they are accessed.
package protocol Flow<Place> {
  /// Identifies an item.
  associatedtype Place: Equatable

  /// Returns the first item; nil if there are none.
  func first() -> Place?
  /// Returns the next item; nil at the end.
  func next(after place: Place) -> Place?
  /// Returns the previous item; nil at the start.
  func previous(before place: Place) -> Place?
  /// Returns the number of lines of an item, at least 1.
  func height(of place: Place) -> Int
}

/// The visible part of a flow: its first visible item, and the number of that item's lines above
/// the window.
///
/// The cost of each operation depends on the window and the distance moved, never on the length of
/// the flow.
package struct ScrollPosition<Place: Equatable>: Equatable {
  package private(set) var top: Place?
  package private(set) var offset = 0

  package init(top: Place? = nil) { self.top = top }

  /// A visible item and its first line relative to the window, negative if that is above it.
  package struct Visible {
    package let place: Place
    package let y: Int
    package let height: Int
  }

  /// Returns the items in a window of a given height, from the top.
  ///
  /// The position is corrected: the window has free lines at its end only if the flow is too short
  /// to fill it.
  package mutating func visible(
    in flow: some Flow<Place>, height: Int
  ) -> [Visible] {
    guard height > 0, let start = top ?? flow.first() else { return [] }
    top = start
    var shown = fill(from: start, of: flow, height: height)
    if let last = shown.last, last.y + last.height < height, flow.next(after: last.place) == nil {
      // There is room below the last item, so more is shown above.
      scroll(by: last.y + last.height - height, in: flow)
      guard let start = top else { return [] }
      shown = fill(from: start, of: flow, height: height)
    }
    return shown
  }

  private mutating func fill(
    from start: Place, of flow: some Flow<Place>, height: Int
  ) -> [Visible] {
    var shown: [Visible] = []
    var place = start
    let first = max(1, flow.height(of: start))
    // The item may have become shorter.
    offset = min(offset, first - 1)
    var y = -offset
    while true {
      let lines = max(1, flow.height(of: place))
      shown.append(Visible(place: place, y: y, height: lines))
      y += lines
      guard y < height, let next = flow.next(after: place) else { return shown }
      place = next
    }
  }

  /// Moves the window down by a number of lines, or up if it is negative, within the flow.
  package mutating func scroll(by lines: Int, in flow: some Flow<Place>) {
    guard var place = top ?? flow.first() else { return }
    var offset = self.offset + lines
    while offset < 0 {
      guard let before = flow.previous(before: place) else {
        offset = 0
        break
      }
      place = before
      offset += max(1, flow.height(of: place))
    }
    while offset > 0 {
      let height = max(1, flow.height(of: place))
      if offset < height { break }
      guard let next = flow.next(after: place) else {
        offset = height - 1
        break
      }
      place = next
      offset -= height
    }
    top = place
    self.offset = offset
  }

  /// Moves the window by the smallest distance that shows all of an item, or its first lines if it
  /// is taller than the window.
  package mutating func reveal(_ place: Place, in flow: some Flow<Place>, height: Int) {
    let shown = visible(in: flow, height: height)
    let lines = min(max(1, flow.height(of: place)), height)
    if let found = shown.first(where: { $0.place == place }) {
      if found.y < 0 {
        top = place
        offset = 0
      } else if found.y + lines > height {
        scroll(by: found.y + lines - height, in: flow)
      }
      return
    }
    // The item just below the window is the most likely one.
    if let last = shown.last, flow.next(after: last.place) == place {
      scroll(by: last.y + last.height + lines - height, in: flow)
    } else {
      top = place
      offset = 0
    }
  }

  /// Replaces the item at the top, because it has moved to another place.
  package mutating func follow(_ place: Place) { top = place }

  /// Puts an item at the top of the window.
  package mutating func jump(to place: Place?) {
    top = place
    offset = 0
  }
}
