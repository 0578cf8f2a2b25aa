/// Things of any height one below the other, of which only those that are looked at are made.
package protocol Flow<Place> {
  /// Names one of them.
  associatedtype Place: Equatable

  /// The first; nil if there are none.
  func first() -> Place?
  /// The last.
  func last() -> Place?
  /// The one after.
  func next(after place: Place) -> Place?
  /// The one before.
  func previous(before place: Place) -> Place?
  /// The lines of one, at least 1.
  func height(of place: Place) -> Int
}

/// Which part of a flow is to be seen: the first place in the window, and how many lines of it are above.
///
/// Everything costs what is in the window, or is moved over; never what is in the flow.
package struct ScrollPosition<Place: Equatable>: Equatable {
  package private(set) var top: Place?
  package private(set) var offset = 0

  package init(top: Place? = nil) { self.top = top }

  /// One that is to be seen, and its first line in the window, negative if that is above.
  package struct Visible {
    package let place: Place
    package let y: Int
    package let height: Int
  }

  /// What is in a window of some height, from the top.
  ///
  /// The position is mended: no more is left free at the end of a window than the flow is too short for.
  package mutating func visible(
    in flow: some Flow<Place>, height: Int
  ) -> [Visible] {
    guard height > 0, let start = top ?? flow.first() else { return [] }
    top = start
    var shown = fill(from: start, flow, height)
    if let last = shown.last, last.y + last.height < height, flow.next(after: last.place) == nil {
      // There is room left below: more is shown above.
      scroll(by: last.y + last.height - height, in: flow)
      guard let start = top else { return [] }
      shown = fill(from: start, flow, height)
    }
    return shown
  }

  private mutating func fill(
    from start: Place, _ flow: some Flow<Place>, _ height: Int
  ) -> [Visible] {
    var shown: [Visible] = []
    var place = start
    let first = max(1, flow.height(of: start))
    // It may have become lower.
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

  /// Moves the window down by lines, or up by a negative number, within the flow.
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

  /// Moves the window as little as shows all of one, or its first lines if it is higher than the window.
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
    // Just below is most likely.
    if let last = shown.last, flow.next(after: last.place) == place {
      scroll(by: last.y + last.height + lines - height, in: flow)
    } else {
      top = place
      offset = 0
    }
  }

  /// Goes on with another place at the top: what stood there has moved.
  package mutating func follow(_ place: Place) { top = place }

  /// Shows one at the top.
  package mutating func jump(to place: Place?) {
    top = place
    offset = 0
  }
}
