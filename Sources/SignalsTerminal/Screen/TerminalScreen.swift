// A view with its host, its renderer and the actions of a user: everything of a terminal app except
// the terminal.
//
// State: `hasQuit`, whether the app was asked to end. All other state belongs to the host and the
// renderer.
//
// Order of events: before an input is handled, the frame is brought up to date and laid out, so
// that the input refers to what the app now shows. The focus and the lists follow the effects of
// the input in the next layout.

public import Signals

/// A full-screen app without a terminal, for tests: shows what a user would see, and takes a user's
/// input.
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
  /// The renderer that draws the view.
  public let renderer: TerminalRenderer
  private let clock: FrameClock
  /// Whether the app was asked to end, by `terminalQuit` or ctrl-c.
  public private(set) var hasQuit = false
  /// The text input under way.
  var typing = Typing()
  /// The focus that the user saw last, or expects after the last input.
  var seenFocus: FocusedElement?
  /// Called with requests that concern the terminal.
  var onControl: (Control) -> Void = { _ in }

  func control(_ control: Control) {
    if control == .quit { hasQuit = true }
    onControl(control)
  }

  /// A request to the owner of the terminal.
  enum Control {
    case quit
    case suspend
  }

  /// Shows a view on a screen of a given size.
  ///
  /// Without an actor, as in a synchronous test, a `.task` doesn't start, and this isn't an error.
  ///
  /// - Parameters:
  ///   - store: The store of the host's environment.
  ///   - width: The number of columns.
  ///   - height: The number of lines.
  ///   - clock: The clock that determines when frames are made.
  ///   - onError: Called with errors that the views don't handle. By default they are shown in a
  ///     line below the app until the next key or click.
  ///   - isolation: The actor of the host; by default, that of the caller.
  ///   - root: The view.
  public convenience init(
    _ store: Store, width: Int = 80, height: Int = 24, clock: FrameClock = .immediate,
    onError: ((any Error) -> Void)? = nil, isolation: isolated (any Actor)? = #isolation,
    @ElementBuilder root: @escaping () -> Element
  ) {
    let renderer = TerminalRenderer(width: width, height: height)
    let show = TerminalScreen.showing(on: renderer)
    self.init(
      store, renderer: renderer, clock: clock,
      onError: onError ?? { error in
        if case HostError.taskNeedsActor = error { return }
        show(error)
      }, isolation: isolation, root: root)
  }

  /// Returns an error handler that shows errors in a line below the app.
  static func showing(on renderer: TerminalRenderer) -> (any Error) -> Void {
    { [weak renderer] error in
      renderer?.show(error)
      renderer?.onNeed()
    }
  }

  init(
    _ store: Store, renderer: TerminalRenderer, clock: FrameClock,
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
    renderer.onSeen = { [weak self] in
      self?.seenFocus = self?.renderer.state.focus
      self?.typing.noteSeen()
    }
    // Work of the views may outlive the screen, because a cancelled intent runs on for a while.
    copy.box.action = { [weak renderer] in renderer?.copy($0) }
    quit.box.action = { [weak self] in self?.control(.quit) }
  }

  /// The text on screen, line by line; see ``TerminalRenderer/text``.
  public var text: String {
    layout()
    return renderer.text
  }

  /// The id of the focused element; nil if there is none.
  public var focus: String? {
    layout()
    renderer.noteSeen()
    return host.focus
  }

  /// The text last put on the clipboard, by the app or by the user with alt-w in a field.
  public var copied: String? { renderer.copied }

  /// Changes the size of the screen.
  ///
  /// - Parameters:
  ///   - width: The number of columns.
  ///   - height: The number of lines.
  public func resize(width: Int, height: Int) { renderer.resize(width: width, height: height) }

  // MARK: - Layout

  /// Brings the drawing up to date, and moves the focus to an element that exists.
  func layout() {
    // Moving the focus may change the frame, which may move the focus again. This might not end, so
    // the number of rounds is limited.
    for _ in 0..<4 {
      followHost()
      renderer.layout()
      if !settleFocus(), !renderer.isStale { return }
    }
    renderer.layout()
  }

  /// Adopts the focus that the app has set or cleared.
  private func followHost() {
    guard host.focus != renderer.state.focus?.id else { return }
    let layer = renderer.frame?.cover.map { $0.depth + 1 } ?? 0
    // The focused element is gone, or a cover came or went.
    if let lost = renderer.state.focus, host.focus == nil || layer != renderer.state.layer {
      lose(lost)
    }
    if layer < renderer.state.layer, let focus = uncovered(host.focus, in: layer) {
      if typing.lost?.element.isSame(as: focus) == true { typing.resume() }
      renderer.state.focus = focus
      renderer.state.mustReveal = true
      return host.moveFocus(to: focus.id, in: focus.scope)
    }
    guard let id = host.focus else { return }
    // Where the app moves the focus, the user may type.
    typing.end()
    renderer.state.focus =
      renderer.targets.first { $0.element.id == id }.flatMap(FocusedElement.init)
    renderer.state.mustReveal = true
    if renderer.state.focus == nil, let target = targetOutOfSight(id) { focus(target) }
  }

  /// Finds an element by id in the scroll lists, within the first `limit` places of each.
  ///
  /// Elements further down aren't created for the search.
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
    let editor = renderer.state.editor.flatMap { $0.field.isSame(as: focus) ? $0 : nil }
    let lost = LostElement(element: focus, editor: editor)
    if editor != nil { typing.lose(lost, isAnswer: renderer.isAnswering) }
    renderer.state.lost.removeAll { $0.element.isSame(as: focus) }
    renderer.state.lost.append(lost)
    if renderer.state.lost.count > 16 { renderer.state.lost.removeFirst() }
    // Another element may take its place.
    let flow = renderer.lists.first { $0.key == focus.place?.list }?.flow
    renderer.state.successor = flow == nil ? nil : focus.place
    renderer.state.focus = nil
  }

  /// Returns a lost element that gets the focus again, whose cursor is where it was.
  @discardableResult
  private func takeBack(where isMeant: (FocusedElement) -> Bool) -> FocusedElement? {
    guard let index = renderer.state.lost.lastIndex(where: { isMeant($0.element) }) else {
      return nil
    }
    let lost = renderer.state.lost.remove(at: index)
    if let editor = lost.editor, renderer.state.editor?.field.isSame(as: lost.element) != true {
      renderer.state.editor = editor
    }
    return lost.element
  }

  /// Returns the element that had the focus before a cover that is gone.
  ///
  /// - Parameters:
  ///   - id: The id to which the host returns the focus. The host knows only one of several elements
  ///     with the same id, and none in rows that haven't been made since they changed: then it is
  ///     nil.
  ///   - layer: The number of covers that remain.
  private func uncovered(_ id: String?, in layer: Int) -> FocusedElement? {
    guard let frame = renderer.frame else { return nil }
    return takeBack { lost in
      lost.layer == layer && (id == nil || id == lost.id) && frame.has(lost.id, in: lost.scope)
    }
  }

  /// Moves the focus to another element if no drawn element has it.
  ///
  /// Returns whether it moved.
  private func settleFocus() -> Bool {
    let targets = renderer.targets.filter { $0.element.id != nil }
    if let target = continuation(among: targets) { return focus(target) }
    if let id = host.focus {
      if let focus = renderer.state.focus, focus.id == id {
        if targets.contains(where: focus.isSame(as:)) { return false }
        // The element is out of sight, but still exists.
        if renderer.frame?.has(id, in: focus.scope) == true { return false }
      }
      if let focus = renderer.state.focus, focus.id == id {
        // The host may not have noticed yet that the element is gone, or have found another one
        // with its id.
        host.focus = nil
        lose(focus)
        return true
      }
      guard let target = targets.first(where: { $0.element.id == id }) else { return false }
      renderer.state.focus = FocusedElement(target)
      return true
    }
    return successor(among: targets).map(focus) ?? false
  }

  /// Returns the field that the user was typing into if it is back, or the one that has taken its
  /// place: it has the same id, and shows the text that was typed.
  ///
  /// Its cursor is where the user left it.
  private func continuation(among targets: [Target]) -> Target? {
    guard let lost = typing.lost, let editor = lost.editor,
      lost.element.layer == renderer.state.layer
    else { return nil }
    func isMeant(_ target: Target) -> Bool {
      target.element.id == lost.element.id
        && target.element.value.editedText == editor.buffer.text
    }
    guard
      let target = targets.first(where: lost.element.isSame(as:))
        ?? lost.element.nearest(among: targets, where: isMeant)
        ?? targetInList(near: lost.element.place, where: isMeant),
      let field = FocusedElement(target)
    else { return nil }
    typing.resume()
    renderer.state.editor = FieldEditor(field: field, buffer: editor.buffer, first: editor.first)
    return target
  }

  /// Returns a target in one of the rows around a place, which may be just out of sight.
  private func targetInList(
    near place: ListPlace?, where isMeant: (Target) -> Bool, within limit: Int = 8
  ) -> Target? {
    guard let place, let flow = renderer.lists.first(where: { $0.key == place.list })?.flow,
      let start = flow.present(place)
    else { return nil }
    for step in [flow.next(after:), flow.previous(before:)] {
      var path: FlowPath? = start
      for _ in 0...limit {
        guard let present = path else { break }
        if let number = flow.targets(at: present).firstIndex(where: isMeant) {
          return flow.target(at: present, in: place.list, number: number)
        }
        path = step(present)
      }
    }
    return nil
  }

  private func successor(among targets: [Target]) -> Target? {
    if let place = renderer.state.successor {
      renderer.state.successor = nil
      // Only among the rows of the same `ForEach`, not on another screen that scrolls.
      if let flow = renderer.lists.first(where: { $0.key == place.list })?.flow,
        let near = flow.nearest(to: place.path), let rows = place.rows.first?.owner,
        flow.rows(of: near).first?.owner == rows, let target = flow.targetNear(place)
      {
        return target
      }
    }
    for lost in renderer.state.lost.reversed().map(\.element) {
      let same = targets.first(where: lost.isSame(as:))
      if let target = same ?? lost.nearest(among: targets) { return target }
    }
    return targets.first
  }

  /// Moves the focus to an element on screen or in a list.
  ///
  /// Returns false if the element has no id.
  @discardableResult
  func focus(_ target: Target) -> Bool {
    guard let id = target.element.id else { return false }
    var focus = FocusedElement(target)
    focus?.layer = renderer.state.layer
    renderer.state.focus = focus
    takeBack { $0.isSame(as: target) }
    renderer.state.lost.removeAll { $0.element.id == id }
    renderer.state.mustReveal = target.place != nil
    host.moveFocus(to: id, in: target.scope)
    return true
  }

  /// The focused element as last drawn; nil if it is out of sight.
  var focusedTarget: Target? {
    guard let focus = renderer.state.focus else { return nil }
    return renderer.targets.first(where: focus.isSame(as:))
  }

  /// Makes the frame that the app has requested, and lays it out.
  func bringUpToDate() {
    makeFrame()
    layout()
  }

  /// Makes the pending frame before it is due, if there is one.
  func makeFrame() { if clock.isWaiting { clock.tick() } }

  /// Performs an action on an element.
  ///
  /// If the host refuses it, the error is shown below the app.
  func perform(_ target: Target, with input: ElementInput) {
    do {
      try host.start(target.element, in: target.scope, with: input)
    } catch let error as HostError {
      renderer.show(error)
    } catch {
      // The app's error handlers have already received the error.
    }
  }
}

extension Frame {
  /// Returns whether a scope contains an element with an id, not counting the scopes below it.
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
  /// Returns a target that can have the focus at a place or near it.
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

  /// Returns the first target that can have the focus, if it is close to the start.
  func firstTarget(in list: ListKey) -> Target? {
    var path = first()
    for _ in 0..<100 {
      guard let present = path else { return nil }
      if let target = target(at: present, in: list) { return target }
      path = next(after: present)
    }
    return nil
  }

  /// Returns the target with a given number among those at a place, or the last one if there are
  /// fewer.
  func target(at path: FlowPath, in list: ListKey, number: Int = 0) -> Target? {
    let targets = targets(at: path)
    guard var target = number < targets.count ? targets[number] : targets.last else { return nil }
    let place = ListPlace(path, of: self, in: list)
    if target.place == nil { target.place = place } else { target.place?.outer.append(place) }
    return target
  }
}
