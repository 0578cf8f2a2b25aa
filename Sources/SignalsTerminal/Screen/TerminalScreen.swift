// A view, its host and its renderer, with what a user does at a terminal: everything but the terminal.
//
// State: `hasQuit`, whether the app was asked to end; the rest is the host's and the renderer's.
//
// Order of events: before an input is taken the frame is brought up to date and laid out, so that it means what the app
// now shows; then focus and lists follow what the input did, when the frame is laid out next.

public import Signals

/// A full-screen app without a terminal: what a user would see and do, for tests.
///
/// ```swift
/// let screen = TerminalScreen(store, width: 40, height: 10) { LibraryScreen(library: library) }
/// screen.type("neuro")
/// screen.press("down", "return")
/// #expect(screen.text.contains("Borrowed: Neuromancer"))
/// ```
public final class TerminalScreen {
  /// The host of the view.
  public let host: ViewHost
  /// What draws it.
  public let renderer: TerminalRenderer
  private let clock: FrameClock
  /// Whether the app has been asked to end: by `terminalQuit`, or by ctrl-c.
  public private(set) var hasQuit = false
  /// Gets what concerns the terminal.
  var onControl: (Control) -> Void = { _ in }

  func control(_ control: Control) {
    if control == .quit { hasQuit = true }
    onControl(control)
  }

  /// What is the business of whoever has the terminal.
  enum Control {
    case quit
    case suspend
  }

  /// Shows a view on a screen of some size.
  ///
  /// Errors that nothing in the view handles are shown in a line of their own below the app, until the next key or click,
  /// unless `onError` gets them. On no actor, as in a synchronous test, a `.task` does not start, and that is no error.
  public convenience init(
    _ store: Store, width: Int = 80, height: Int = 24, clock: FrameClock = .immediate,
    onError: ((any Error) -> Void)? = nil, isolation: isolated (any Actor)? = #isolation,
    @ElementBuilder root: @escaping () -> Element
  ) {
    let renderer = TerminalRenderer(width: width, height: height)
    let show = TerminalScreen.showing(on: renderer)
    self.init(
      store, renderer, clock: clock,
      onError: onError ?? { error in
        if case HostError.taskNeedsActor = error { return }
        show(error)
      }, isolation: isolation, root: root)
  }

  /// What shows an error in a line of its own below the app.
  static func showing(on renderer: TerminalRenderer) -> (any Error) -> Void {
    { [weak renderer] error in
      renderer?.show(error)
      renderer?.onNeed()
    }
  }

  init(
    _ store: Store, _ renderer: TerminalRenderer, clock: FrameClock,
    onError: @escaping (any Error) -> Void, isolation: isolated (any Actor)?,
    @ElementBuilder root: @escaping () -> Element
  ) {
    self.renderer = renderer
    self.clock = clock
    let (quit, copy) = (TerminalQuit(), TerminalCopy())
    host = ViewHost(
      store, renderer: renderer, clock: clock, onError: onError, isolation: isolation
    ) {
      root().environment(\.terminalQuit, quit).environment(\.terminalCopy, copy)
    }
    // What the views do may outlast the screen: an intent that was cancelled goes on for a while.
    copy.box.action = { [weak renderer] in renderer?.copy($0) }
    quit.box.action = { [weak self] in self?.control(.quit) }
  }

  /// What is on screen, line by line; see ``TerminalRenderer/text``.
  public var text: String {
    layout()
    return renderer.text
  }

  /// The id of the element that has the focus.
  public var focus: String? {
    layout()
    return host.focus
  }

  /// What was put on the clipboard last: by the app, or by the user with alt-w in a field.
  public var copied: String? { renderer.copied }

  /// Changes the size of the screen.
  public func resize(width: Int, height: Int) { renderer.resize(width: width, height: height) }

  // MARK: - Layout

  /// Brings what is drawn up to date, and the focus to something that is there.
  func layout() {
    // A move of the focus may change the frame, which may move the focus; it need not end.
    for _ in 0..<4 {
      followHost()
      renderer.layout()
      if !settleFocus(), !renderer.isStale { return }
    }
    renderer.layout()
  }

  /// Takes over the focus that the app has set, or cleared.
  private func followHost() {
    guard host.focus != renderer.state.focus?.id else { return }
    guard let id = host.focus else {
      // What had it is gone.
      if let lost = renderer.state.focus { lose(lost) }
      return
    }
    renderer.state.focus =
      renderer.targets.first { $0.element.id == id }.flatMap(FocusedElement.init)
    renderer.state.mustReveal = true
    if renderer.state.focus == nil, let target = targetOutOfSight(id) { focus(target) }
  }

  /// What bears an id in a list that scrolls, not too far from its start: what is further away is not made for it.
  private func targetOutOfSight(_ id: String, within limit: Int = 100) -> Target? {
    for (key, flow, _) in renderer.lists {
      var path = flow.first()
      for _ in 0..<limit {
        guard let present = path else { break }
        if let number = flow.targets(at: present).firstIndex(where: { $0.element.id == id }) {
          return flow.target(at: present, in: key, number: number)
        }
        path = flow.next(after: present)
      }
    }
    return nil
  }

  private func lose(_ focus: FocusedElement) {
    renderer.state.lost.removeAll { $0.name == focus.name && $0.number == focus.number }
    renderer.state.lost.append(focus)
    if renderer.state.lost.count > 16 { renderer.state.lost.removeFirst() }
    // Something else comes to stand where it stood.
    let flow = renderer.lists.first { $0.key == focus.place?.list }?.flow
    renderer.state.successor = flow == nil ? nil : focus.place
    renderer.state.focus = nil
  }

  /// Finds somebody for the focus, if nobody that was drawn has it; the answer is whether it moved.
  private func settleFocus() -> Bool {
    let targets = renderer.targets.filter { $0.element.id != nil }
    if let id = host.focus {
      if let focus = renderer.state.focus, focus.id == id {
        if targets.contains(where: focus.isSame(as:)) { return false }
        // Out of sight, and still there.
        if renderer.frame?.has(id, in: focus.scope) == true { return false }
      }
      guard let target = targets.first(where: { $0.element.id == id }) else {
        guard let focus = renderer.state.focus, focus.id == id else { return false }
        // The host has not seen that its row holds something else now: it was made for this layout.
        host.focus = nil
        lose(focus)
        return true
      }
      renderer.state.focus = FocusedElement(target)
      return true
    }
    guard let target = successor(among: targets) else { return false }
    return focus(target)
  }

  private func successor(among targets: [Target]) -> Target? {
    if let place = renderer.state.successor {
      renderer.state.successor = nil
      // Among the same rows, not on another screen that scrolls.
      if let flow = renderer.lists.first(where: { $0.key == place.list })?.flow,
        let near = flow.nearest(to: place.path), let rows = place.row?.rows,
        flow.row(of: near)?.rows == rows, let target = flow.targetNear(place)
      {
        return target
      }
    }
    for lost in renderer.state.lost.reversed() {
      let same = targets.first(where: lost.isSame(as:))
      if let target = same ?? targets.first(where: { $0.element.id == lost.id }) { return target }
    }
    return targets.first
  }

  /// Moves the focus to something on screen, or in a list.
  @discardableResult
  func focus(_ target: Target) -> Bool {
    guard let id = target.element.id else { return false }
    renderer.state.focus = FocusedElement(target)
    renderer.state.lost.removeAll { $0.id == id }
    renderer.state.mustReveal = target.place != nil
    host.moveFocus(to: id, in: target.scope)
    return true
  }

  /// What was drawn last of what has the focus; nil if it is out of sight.
  var focusedTarget: Target? {
    guard let focus = renderer.state.focus else { return nil }
    return renderer.targets.first(where: focus.isSame(as:))
  }

  /// Makes the frame that the app has asked for, and lays it out.
  func bringUpToDate() {
    makeFrame()
    layout()
  }

  /// Makes the frame that waits for its time, if there is one.
  func makeFrame() { if clock.isWaiting { clock.tick() } }

  /// Does something with an element; what the host refuses is shown at the foot.
  func perform(_ element: DrawnElement, _ input: ElementInput) {
    do {
      try host.start(element, input)
    } catch let error as HostError {
      renderer.show(error)
    } catch {
      // The app has got it.
    }
  }
}

extension Frame {
  /// Whether an element of an id stands in a scope, not in one below it.
  fileprivate func has(_ id: String, in scope: ScopeID) -> Bool {
    var waiting = elements(of: scope)
    while let element = waiting.popLast() {
      guard case .drawn(let drawn)? = element.content else { continue }
      if drawn.id == id { return true }
      waiting += drawn.children
    }
    return false
  }
}

extension ElementFlow {
  /// Something that can have the focus at a place, or near it.
  func targetNear(_ place: ListPlace, within limit: Int = 100) -> Target? {
    guard let start = nearest(to: place.path) else { return nil }
    var path: FlowPath? = start
    for step in [next(after:), previous(before:)] {
      for _ in 0..<limit {
        guard let present = path else { break }
        if let target = target(at: present, in: place.list) { return target }
        path = step(present)
      }
      path = start
    }
    return nil
  }

  /// The first that can have the focus, if it is not far from the beginning.
  func firstTarget(in list: ListKey) -> Target? {
    var path = first()
    for _ in 0..<100 {
      guard let present = path else { return nil }
      if let target = target(at: present, in: list) { return target }
      path = next(after: present)
    }
    return nil
  }

  /// The first that can have the focus at a place; or the one of a number, where there are so many.
  func target(at path: FlowPath, in list: ListKey, number: Int = 0) -> Target? {
    let targets = targets(at: path)
    guard var target = number < targets.count ? targets[number] : targets.last else { return nil }
    let place = ListPlace(list: list, path: path, row: row(of: path))
    if target.place == nil { target.place = place } else { target.place?.outer.append(place) }
    return target
  }
}
