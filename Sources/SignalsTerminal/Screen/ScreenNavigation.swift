// Moving the focus and scrolling lists.
//
// Tab moves from one control to the next and treats each list as one stop. Arrow keys move in their
// direction; within a list they move from row to row, regardless of the distance. Page-up,
// page-down, home and end belong to the list.

import Signals

extension TerminalScreen {
  func navigate(with key: TerminalKey) -> Bool {
    switch key.fullName {
    case "tab": step(by: 1)
    case "shift-tab": step(by: -1)
    // Return moves on from a field that has no submit intent.
    case "return": if focusedField { step(by: 1) } else { return false }
    case "up": moveVertically(by: -1)
    case "down": moveVertically(by: 1)
    case "left": moveSideways(by: -1)
    case "right": moveSideways(by: 1)
    case "page-up": movePage(by: -1)
    case "page-down": movePage(by: 1)
    case "home": moveToEdge(atEnd: false)
    case "end": moveToEdge(atEnd: true)
    case "alt-up": return moveRow(by: -1)
    case "alt-down": return moveRow(by: 1)
    default: return false
    }
    return true
  }

  private var focusedField: Bool {
    focusedTarget?.element.value.editedText != nil
  }

  /// The tallest list, which takes list keys while the focus is outside of any list.
  var mainList: (key: ListKey, flow: ElementFlow, area: Rect)? {
    renderer.lists.max { $0.area.height < $1.area.height }
  }

  private var focusedList: (key: ListKey, flow: ElementFlow, area: Rect)? {
    guard let place = renderer.state.focus?.place else { return nil }
    return renderer.lists.first { $0.key == place.list }
  }

  // MARK: - Tab

  /// The position of the focus in the innermost scrolling area that Tab visits completely: the
  /// screen or a scroll box.
  private var tabbed: (place: ListPlace, list: (key: ListKey, flow: ElementFlow, area: Rect))? {
    for place in renderer.state.focus?.place?.all ?? [] {
      if let list = renderer.lists.first(where: { $0.key == place.list }), list.flow.takesLists {
        return (place, list)
      }
    }
    return nil
  }

  private func step(by step: Int) {
    if tabbed != nil { return moveInScreen(by: step) }
    let stops = self.stops
    guard !stops.isEmpty else { return }
    let present = renderer.state.focus.flatMap { focus in stops.firstIndex(where: focus.isSame(as:))
    }
    let first = step > 0 ? 0 : stops.count - 1
    enter(stops[present.map { ($0 + step + stops.count) % stops.count } ?? first], by: step)
  }

  /// Moves the focus to a Tab stop.
  ///
  /// If the stop is in a scrolling area that Tab visits completely, the focus moves to the area's
  /// first or last target.
  private func enter(_ stop: Target, by step: Int) {
    guard let place = stop.place, let list = renderer.lists.first(where: { $0.key == place.list }),
      list.flow.takesLists
    else {
      focus(stop)
      return
    }
    let flow = list.flow
    var path = step > 0 ? flow.first() : flow.last()
    for _ in 0..<1000 {
      guard let present = path else { break }
      if let target = flow.target(at: present, in: list.key, number: step > 0 ? 0 : .max) {
        focus(target)
        return
      }
      path = step > 0 ? flow.next(after: present) : flow.previous(before: present)
    }
    focus(stop)
  }

  /// The targets at which Tab stops: those of the focused row in the focused list, and the first
  /// target of each other list.
  private var stops: [Target] {
    let focus = renderer.state.focus
    var seen: Set<ListKey> = []
    return renderer.targets.filter { target in
      guard target.element.id != nil else { return false }
      guard let place = target.place else { return true }
      if let focused = focus?.place, focused.list == place.list {
        return focused.path == place.path
      }
      return seen.insert(place.list).inserted
    }
  }

  /// Moves through a whole screen or area that scrolls, and then on to the stops around it.
  private func moveInScreen(by step: Int) {
    guard let focus = renderer.state.focus, let (place, list) = tabbed,
      let path = list.flow.present(place)
    else { return }
    let targets = list.flow.targets(at: path)
    let number = (targets.firstIndex(where: focus.isReached(by:)) ?? 0) + step
    if targets.indices.contains(number) {
      if let target = list.flow.target(at: path, in: list.key, number: number) {
        self.focus(target)
      }
    } else if !moveInList(
      list.key, in: list.flow, from: path, by: step, number: step > 0 ? 0 : .max)
    {
      if let outside = stop(outside: list.key, by: step) {
        enter(outside, by: step)
        return
      }
      // Wraps around to the other end.
      moveToEdge(atEnd: step < 0, of: list)
    }
  }

  /// Returns the Tab stop after a list, or before it; nil if there is none outside of the list.
  private func stop(outside list: ListKey, by step: Int) -> Target? {
    let stops = step > 0 ? self.stops : self.stops.reversed()
    func isInside(_ target: Target) -> Bool { target.place?.inList(list) != nil }
    guard let last = stops.lastIndex(where: isInside) else { return stops.first { !isInside($0) } }
    return (stops[(last + 1)...] + stops[..<last]).first { !isInside($0) }
  }

  // MARK: - Arrows

  private func moveVertically(by step: Int) {
    // At the end of a list nested in a row of another, the focus moves to the next row of the outer
    // one.
    for place in renderer.state.focus?.place?.all ?? [] {
      guard let focus = renderer.state.focus,
        let list = renderer.lists.first(where: { $0.key == place.list }),
        let path = list.flow.present(place)
      else { continue }
      let number = list.flow.targets(at: path).firstIndex(where: focus.isReached(by:)) ?? 0
      if moveInList(list.key, in: list.flow, from: path, by: step, number: number) { return }
      if scroll(list.key, in: list.flow, by: step) { return }
    }
    guard let rect = focusedTarget?.rect else { return scrollMain(by: step) }
    // Moving down skips the titles of a table on the way to its rows. Moving up stops at them.
    let candidates = renderer.targets.filter {
      $0.element.id != nil
        && (step > 0
          ? $0.rect.y >= rect.bottom && $0.element.kind != .tableColumn : $0.rect.bottom <= rect.y)
    }
    func distance(_ target: Target) -> (Int, Int) {
      (
        step > 0 ? target.rect.y - rect.bottom : rect.y - target.rect.bottom,
        abs(target.rect.x - rect.x)
      )
    }
    if let nearest = candidates.min(by: { distance($0) < distance($1) }) {
      focus(nearest)
    } else {
      scrollMain(by: step)
    }
  }

  private func moveSideways(by step: Int) {
    guard let rect = focusedTarget?.rect else { return }
    let candidates = renderer.targets.filter {
      $0.element.id != nil && $0.rect.y < rect.bottom && rect.y < $0.rect.bottom
        && (step > 0 ? $0.rect.x >= rect.right : $0.rect.right <= rect.x)
    }
    let nearest = candidates.min { abs($0.rect.x - rect.x) < abs($1.rect.x - rect.x) }
    if let nearest { focus(nearest) }
  }

  /// Moves to the next row that can have the focus.
  ///
  /// Returns false if there is none.
  private func moveInList(
    _ key: ListKey, in flow: ElementFlow, from path: FlowPath, by step: Int, number: Int
  ) -> Bool {
    var path = path
    // Only a few rows, such as texts, lie between rows that can be used, so the search is limited.
    for _ in 0..<1000 {
      guard let next = step > 0 ? flow.next(after: path) : flow.previous(before: path) else {
        return false
      }
      path = next
      if let target = flow.target(at: path, in: key, number: number) {
        focus(target)
        return true
      }
    }
    return false
  }

  // MARK: - Moving rows

  /// Moves the row with the focus up or down in its list.
  ///
  /// - Returns: Whether it is in a list whose rows the user can move.
  private func moveRow(by step: Int) -> Bool {
    // The row that moves is the one that the user sees with the focus.
    guard isFocusSeen else { return false }
    for place in renderer.state.focus?.place?.all ?? [] {
      guard let flow = renderer.lists.first(where: { $0.key == place.list })?.flow,
        let path = flow.present(place), let row = flow.movableRow(at: path), row.list.isEnabled
      else { continue }
      guard (0..<row.count).contains(row.offset + step) else { return true }
      let destination = step < 0 ? row.offset - 1 : row.offset + 2
      perform(Target(row.list, in: row.scope), with: .move([row.offset], toOffset: destination))
      renderer.state.mustReveal = true
      return true
    }
    return false
  }

  // MARK: - Pages

  private func movePage(by step: Int) {
    guard let list = focusedList ?? mainList else { return }
    let lines = max(1, list.area.height - 1) * step
    scroll(list.key, in: list.flow, by: lines)
    guard focusedList != nil, let place = renderer.state.focus?.place,
      var path = list.flow.present(place)
    else { return }
    var left = abs(lines)
    while left > 0,
      let next = step > 0 ? list.flow.next(after: path) : list.flow.previous(before: path)
    {
      left -= list.flow.height(of: path)
      path = next
    }
    let landed = ListPlace(list: list.key, path: path)
    if let target = list.flow.targetNear(landed) { focus(target) }
  }

  /// Shows the first or the last line, and moves the focus to the nearest target there.
  private func moveToEdge(
    atEnd: Bool, of list: (key: ListKey, flow: ElementFlow, area: Rect)? = nil
  ) {
    guard let list = list ?? focusedList ?? mainList else { return }
    let flow = list.flow
    guard let edge = atEnd ? flow.last() : flow.first() else { return }
    var state = renderer.state.lists[list.key] ?? ListState()
    state.position.jump(to: edge)
    if atEnd {
      batch { state.position.scroll(by: flow.height(of: edge) - list.area.height, in: flow) }
    }
    state.anchor = []
    renderer.state.lists[list.key] = state
    guard focusedList != nil else { return }
    var path: FlowPath? = edge
    for _ in 0..<1000 {
      guard let present = path else { return }
      if let target = flow.target(at: present, in: list.key) { return _ = focus(target) }
      path = atEnd ? flow.previous(before: present) : flow.next(after: present)
    }
  }

  private func scrollMain(by lines: Int) {
    if let list = mainList { scroll(list.key, in: list.flow, by: lines) }
  }

  /// Scrolls a list by a number of lines.
  ///
  /// - Returns: Whether the list moved.
  @discardableResult
  func scroll(_ key: ListKey, in flow: ElementFlow, by lines: Int) -> Bool {
    guard let area = renderer.lists.first(where: { $0.key == key })?.area else { return false }
    var state = renderer.state.lists[key] ?? ListState()
    let before = state.position
    batch {
      state.position.scroll(by: lines, in: flow)
      // Corrects a position beyond the end.
      _ = state.position.visible(in: flow, height: area.height)
    }
    state.anchor = state.position.top.map(flow.rows) ?? []
    renderer.state.lists[key] = state
    return state.position != before
  }
}
