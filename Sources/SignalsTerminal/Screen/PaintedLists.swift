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
    if state.mustReveal, let place = state.focus?.place, let here = place.inList(part.key) {
      let path = flow.present(here)
      if here.list == place.list {
        state.mustReveal = false
        if let path { state.focus?.place?.path = path }
      }
      if let path { kept.position.reveal(path, in: flow, height: area.height) }
    }
    let shown = kept.position.visible(in: flow, height: area.height)
    kept.anchor = kept.position.top.flatMap { flow.row(of: $0)?.scope }
    state.lists[part.key] = kept
    let outer = list
    for row in shown {
      list = ListPlace(
        list: part.key, path: row.place, row: flow.row(of: row.place), outer: outer?.all ?? [])
      paint(
        flow.box(at: row.place),
        in: Rect(x: area.x, y: area.y + row.y, width: width, height: row.height),
        clip: clip.intersection(area))
    }
    list = outer
    paintBar(shown, of: flow, in: area, clip: clip)
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
    if let anchor, flow.row(of: top)?.scope != anchor, let moved = flow.find(anchor, near: top) {
      return position.follow(moved)
    }
    if let near = flow.nearest(to: top), near != top { position.jump(to: near) }
  }
}

extension ElementFlow {
  /// Returns the current path of the row that was at a place, or of the row that is there now.
  func present(_ place: ListPlace) -> FlowPath? {
    if let row = place.row, self.row(of: place.path)?.scope != row.scope,
      let moved = find(row.scope, near: place.path)
    {
      return moved
    }
    return nearest(to: place.path)
  }
}
