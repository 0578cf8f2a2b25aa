// What keys, mouse and pastes do on a screen.
//
// A key goes to the first of these that has a use for it: the options of an open picker; the field that is edited; what
// has the focus (return, space, the arrows of a picker); what the app has bound it to; the moves of the focus; the
// terminal's own (ctrl-c quits, ctrl-z suspends, ctrl-l draws everything again).

import Signals

extension TerminalScreen {
  /// Presses keys, one after the other.
  public func press(_ keys: TerminalKey...) {
    for key in keys { handle(.key(key)) }
  }

  /// Types a text, character by character.
  public func type(_ text: String) {
    for character in text { handle(.key(TerminalKey(String(character)))) }
  }

  /// Pastes a text.
  public func paste(_ text: String) { handle(.paste(text)) }

  /// Clicks at a place.
  public func click(x: Int, y: Int) {
    handle(.mouse(TerminalMouse(.press, x: x, y: y)))
    handle(.mouse(TerminalMouse(.release, x: x, y: y)))
  }

  /// Takes what a user did.
  public func handle(_ input: TerminalInput) {
    bringUpToDate()
    // A field that was typed into is drawn with what the app made of it, never with an older text.
    defer { makeFrame() }
    switch input {
    case .key(let key):
      renderer.state.message = nil
      handle(key)
    case .mouse(let mouse): handle(mouse)
    case .paste(let text): edit { $0.insert(text) }
    }
  }

  private func handle(_ key: TerminalKey) {
    if renderer.state.picker != nil { return handlePicker(key) }
    if renderer.state.focus != nil, focusedTarget == nil {
      // What is typed is for something to be seen.
      renderer.state.mustReveal = true
      layout()
    }
    if edit(with: key) || activate(with: key) || pressBound(key) || navigate(with: key) { return }
    switch key.fullName {
    case "ctrl-c": onControl(.quit)
    case "ctrl-z": onControl(.suspend)
    case "ctrl-l": renderer.redraw()
    default: break
    }
  }

  private func pressBound(_ key: TerminalKey) -> Bool {
    let press = KeyPress(key.fullName)
    guard host.keys.contains(press) else { return false }
    do { try host.start(pressing: press) } catch let error as HostError {
      renderer.state.message = "\(error)"
    } catch {
      // The app has got it.
    }
    return true
  }

  // MARK: - What has the focus

  /// Return and space use what has the focus; the arrows turn a picker.
  private func activate(with key: TerminalKey) -> Bool {
    guard let target = focusedTarget else { return false }
    let element = target.element
    if case .choice(let choice, let options) = element.value {
      switch key.fullName {
      case "return", " ", "alt-down":
        open(target, choice, options)
        return true
      case "left", "right":
        guard let index = options.firstIndex(of: choice) else { return false }
        let next = index + (key.name == "left" ? -1 : 1)
        if options.indices.contains(next) { perform(element, .choice(options[next])) }
        return true
      default: return false
      }
    }
    guard key.fullName == "return" || key.fullName == " " else { return false }
    return use(target)
  }

  private func use(_ target: Target) -> Bool {
    switch target.element.action {
    case .tap, .asyncTap, .flag: perform(target.element, .tap)
    case .none, .text, .choice: return false
    }
    return true
  }

  // MARK: - Pickers

  private func open(_ target: Target, _ choice: String, _ options: [String]) {
    guard let id = target.element.id, !options.isEmpty else { return }
    renderer.state.picker = OpenPicker(
      id: id, scope: target.scope, options: options, index: options.firstIndex(of: choice) ?? 0)
  }

  private func handlePicker(_ key: TerminalKey) {
    guard let picker = renderer.state.picker else { return }
    let last = picker.options.count - 1
    let page = max(1, picker.rect.height - 1)
    func go(to index: Int) { renderer.state.picker?.index = min(max(index, 0), last) }
    switch key.fullName {
    case "up": go(to: picker.index - 1)
    case "down": go(to: picker.index + 1)
    case "page-up": go(to: picker.index - page)
    case "page-down": go(to: picker.index + page)
    case "home": go(to: 0)
    case "end": go(to: last)
    case "return", " ": choose()
    case "escape", "tab", "ctrl-c": renderer.state.picker = nil
    default:
      // The next option that begins so.
      guard let character = key.character else { return }
      let order = Array(picker.index + 1..<last + 1) + Array(0...picker.index)
      let start = String(character).lowercased()
      if let found = order.first(where: { picker.options[$0].lowercased().hasPrefix(start) }) {
        go(to: found)
      }
    }
  }

  private func choose() {
    guard let picker = renderer.state.picker else { return }
    renderer.state.picker = nil
    let target = renderer.targets.first { $0.element.id == picker.id && $0.scope == picker.scope }
    if let target { perform(target.element, .choice(picker.options[picker.index])) }
  }

  // MARK: - Fields

  /// Edits the field that has the focus; false if none has.
  @discardableResult
  private func edit(_ change: (inout TextBuffer) -> Void) -> Bool {
    guard let target = focusedTarget, case .text = target.element.value,
      var editor = renderer.state.editor, editor.id == target.element.id,
      editor.scope == target.scope
    else { return false }
    let text = editor.buffer.text
    change(&editor.buffer)
    renderer.state.editor = editor
    if editor.buffer.text != text { perform(target.element, .text(editor.buffer.text)) }
    return true
  }

  private func edit(with key: TerminalKey) -> Bool {
    guard let target = focusedTarget, case .text = target.element.value else { return false }
    if let character = key.character { return edit { $0.insert(String(character)) } }
    let selects = key.modifiers.contains(.shift)
    let byWord = !key.modifiers.isDisjoint(with: [.control, .alt])
    switch (key.name, key.fullName) {
    case ("left", _): return edit { $0.move(byWord ? .wordLeft : .left, selects: selects) }
    case ("right", _): return edit { $0.move(byWord ? .wordRight : .right, selects: selects) }
    case ("home", _): return edit { $0.move(.start, selects: selects) }
    case ("end", _): return edit { $0.move(.end, selects: selects) }
    case (_, "ctrl-a"): return edit { $0.move(.start) }
    case (_, "ctrl-e"): return edit { $0.move(.end) }
    case (_, "delete"): return edit { $0.delete(.left) }
    case (_, "forward-delete"), (_, "ctrl-d"): return edit { $0.delete(.right) }
    case (_, "ctrl-w"), (_, "alt-delete"), (_, "ctrl-delete"): return edit { $0.delete(.wordLeft) }
    case (_, "ctrl-forward-delete"), (_, "alt-d"): return edit { $0.delete(.wordRight) }
    case (_, "ctrl-u"): return edit { $0.delete(.start) }
    case (_, "ctrl-k"): return edit { $0.delete(.end) }
    case (_, "alt-a"): return edit { $0.selectAll() }
    case (_, "return"):
      if target.element.submit == nil { return false }
      perform(target.element, .submit)
      return true
    default: return false
    }
  }

  // MARK: - The mouse

  private func handle(_ mouse: TerminalMouse) {
    if renderer.state.picker != nil { return handlePicker(mouse) }
    switch mouse.kind {
    case .press:
      renderer.state.message = nil
      if let target = renderer.targets.last(where: { $0.rect.contains(x: mouse.x, y: mouse.y) }) {
        click(target, mouse)
      }
    case .drag: moveCursor(to: mouse, selects: true)
    case .release: break
    case .scrollUp, .scrollDown:
      let list = renderer.lists.last { $0.area.contains(x: mouse.x, y: mouse.y) } ?? mainList
      if let list { scroll(list.key, list.flow, by: mouse.kind == .scrollUp ? -3 : 3) }
    }
  }

  private func click(_ target: Target, _ mouse: TerminalMouse) {
    focus(target)
    switch target.element.value {
    case .choice(let choice, let options): open(target, choice, options)
    case .text:
      // The field is drawn as the one with the focus before it can tell where the cursor goes.
      layout()
      moveCursor(to: mouse, selects: false)
    default: _ = use(target)
    }
  }

  private func moveCursor(to mouse: TerminalMouse, selects: Bool) {
    guard let target = focusedTarget, case .text = target.element.value,
      let editor = renderer.state.editor
    else { return }
    let label = CharacterWidth.of(Controls.label(of: target.element))
    let column = mouse.x - target.rect.x - label + editor.scrolled
    edit { $0.move(.place($0.place(atColumn: max(0, column))), selects: selects) }
  }

  private func handlePicker(_ mouse: TerminalMouse) {
    guard let picker = renderer.state.picker else { return }
    switch mouse.kind {
    case .scrollUp: renderer.state.picker?.index = max(0, picker.index - 1)
    case .scrollDown:
      renderer.state.picker?.index = min(picker.options.count - 1, picker.index + 1)
    case .press:
      let index = picker.top + mouse.y - picker.rect.y
      guard picker.rect.contains(x: mouse.x, y: mouse.y), index < picker.options.count else {
        renderer.state.picker = nil
        return
      }
      renderer.state.picker?.index = index
      choose()
    case .drag, .release: break
    }
  }
}
