// Drawing scroll lists: the visible rows, and a scroll bar.

import Signals

extension Painter {
  mutating func paint(_ part: ListPart, in rect: Rect, clip: Rect) {
    var area = rect
    // The last column is reserved for the scroll bar.
    let width = max(1, rect.width - 1)
    if let header = part.header {
      paint(header, in: Rect(x: rect.x, y: rect.y, width: width, height: 1), clip: clip)
      area.y += 1
      area.height -= 1
    }
    let flow = part.flow
    flow.width = width
    lists.append((part.key, flow, area.intersection(clip)))
    var kept = state.lists[part.key] ?? ListState()
    kept.follow(flow)
    followFocus(in: part)
    if state.mustReveal, let place = state.focus?.place, let here = place.inList(part.key) {
      if here.list == place.list { state.mustReveal = false }
      if let path = flow.present(here) {
        kept.position.reveal(path, in: flow, height: area.height)
      }
    }
    let shown = kept.position.visible(in: flow, height: area.height)
    kept.anchor = kept.position.top.map(flow.rows) ?? []
    state.lists[part.key] = kept
    let outer = list
    for row in shown {
      list = ListPlace(row.place, of: flow, in: part.key, outer: outer?.all ?? [])
      paint(
        flow.box(at: row.place),
        in: Rect(x: area.x, y: area.y + row.y, width: width, height: row.height),
        clip: clip.intersection(area))
    }
    list = outer
    paintBar(shown, of: flow, in: area, clip: clip)
  }

  /// Updates the place of the focus in a list whose rows may have moved, even if it is out of sight.
  private mutating func followFocus(in part: ListPart) {
    guard let focus = state.focus else { return }
    let flow = part.flow
    if let here = focus.place?.inList(part.key) {
      let (moved, isFound) = flow.follow(here.path, in: here.rows)
      guard isFound, let path = flow.nearest(to: moved) else { return }
      state.focus?.place?.replace(with: ListPlace(path, of: flow, in: part.key))
    } else if !previous.lists.contains(part.key) {
      // What was drawn as a column, or as a list of its own, may scroll with this list now.
      var rows = focus.place?.rows ?? []
      var path = focus.place?.path
      if path == nil, let column = previous.columns[part.key] {
        path = column.place(of: focus)
        rows = path.map(column.rows) ?? []
      }
      guard let old = path, focus.place == nil || !rows.isEmpty else { return }
      let (moved, isFound) = flow.follow(old, in: rows)
      guard isFound, let path = flow.nearest(to: moved) else { return }
      state.focus?.place = ListPlace(path, of: flow, in: part.key, outer: list?.all ?? [])
    }
  }

  mutating func paintBar(
    _ shown: [ScrollPosition<FlowPath>.Visible], of flow: ElementFlow, in area: Rect, clip: Rect
  ) {
    guard let first = shown.first, let last = shown.last, area.height > 1 else { return }
    let isWhole =
      first.y >= 0 && last.y + last.height <= area.height
      && flow.previous(before: first.place) == nil && flow.next(after: last.place) == nil
    if isWhole { return }
    let height = Double(area.height)
    let start = Int(flow.fraction(of: first.place, after: false) * height)
    let end = Int((flow.fraction(of: last.place, after: true) * height).rounded(.up))
    for y in 0..<area.height {
      let isThumb = y >= min(start, area.height - 1) && y < max(end, start + 1)
      write(isThumb ? "█" : "│", x: area.right - 1, y: area.y + y, style: .dim, in: clip)
    }
  }
}

extension ListState {
  /// Keeps the row at the top in place if rows above it were inserted or removed.
  ///
  /// A list at its very start stays at the start.
  mutating func follow(_ flow: ElementFlow) {
    guard let top = position.top else { return }
    let isAtStart = position.offset == 0 && !top.steps.contains { $0 != 0 }
    if isAtStart { return position.jump(to: flow.first()) }
    if !anchor.isEmpty {
      let (moved, isFound) = flow.follow(top, in: anchor, ifPushed: true)
      if isFound, moved != top, let near = flow.nearest(to: moved) { return position.follow(near) }
    }
    if let near = flow.nearest(to: top), near != top { position.jump(to: near) }
  }
}

extension ElementFlow {
  /// Returns the current path of the row that was at a place, or of the row that is there now.
  func present(_ place: ListPlace) -> FlowPath? {
    nearest(to: follow(place.path, in: place.rows).place)
  }
}
