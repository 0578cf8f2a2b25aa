// The effects of keys, mouse and pastes on a screen.
//
// A layer on top of the app gets all of the input (see ScreenLayers.swift). Otherwise a key goes to
// the first of these that uses it: the field being edited; the focused element (return, space, the
// arrows of a picker); the app's key bindings; focus navigation; the terminal keys (ctrl-c quits,
// ctrl-z suspends, ctrl-l redraws).

import Signals

extension TerminalScreen {
  /// Presses keys, one after the other.
  ///
  /// A name that no key has traps, and the message lists those that there are.
  public func press(_ keys: TerminalKey...) {
    for key in keys {
      if !key.isKnown {
        trap(
          "no key is named \"\(key.name)\": there are characters, and "
            + TerminalKey.names.joined(separator: ", "))
      }
      handle(.key(key))
    }
  }

  /// Types a text, character by character.
  public func type(_ text: String) {
    for character in text { handle(.key(TerminalKey(String(character)))) }
  }

  /// Pastes a text into the focused field.
  public func paste(_ text: String) { handle(.paste(text)) }

  /// Clicks at a cell.
  ///
  /// - Parameters:
  ///   - x: The column, from 0.
  ///   - y: The line, from 0.
  ///   - count: The number of consecutive clicks: 2 for a double click.
  public func click(x: Int, y: Int, count: Int = 1) {
    for number in 1...max(1, count) {
      handle(.mouse(TerminalMouse(.press, x: x, y: y, clicks: number)))
      handle(.mouse(TerminalMouse(.release, x: x, y: y, clicks: number)))
    }
  }

  /// Turns the wheel at a cell.
  ///
  /// - Parameters:
  ///   - steps: The number of steps towards the user; negative for away from the user.
  ///   - x: The column, from 0.
  ///   - y: The line, from 0.
  public func scroll(by steps: Int, x: Int, y: Int) {
    for _ in 0..<abs(steps) {
      handle(.mouse(TerminalMouse(steps > 0 ? .scrollDown : .scrollUp, x: x, y: y)))
    }
  }

  func paste(intoField text: String) {
    revealFocus()
    let keepsLines = focusedTarget?.element.kind == .textEditor
    edit { $0.insert(text, keepsLines: keepsLines) }
  }

  /// Scrolls to the focused element if it is out of sight, because input must go to a visible
  /// element.
  func revealFocus() {
    if renderer.state.focus != nil, focusedTarget == nil {
      renderer.state.mustReveal = true
      layout()
    }
  }

  /// Handles a key for the app, or for its topmost cover.
  func handle(_ key: TerminalKey) {
    revealFocus()
    if edit(with: key) || activate(with: key) || pressBound(key) || navigate(with: key) { return }
    control(with: key)
  }

  /// Handles a terminal key that nothing on screen has used.
  func control(with key: TerminalKey) {
    switch key.fullName {
    case "ctrl-c": control(.quit)
    case "ctrl-z": control(.suspend)
    case "ctrl-l": renderer.redraw()
    default: break
    }
  }

  private func pressBound(_ key: TerminalKey) -> Bool {
    // Modifiers have no order, and the app may have used another one in the name.
    guard let press = host.keys.first(where: { TerminalKey(parsing: $0.name) == key }) else {
      return false
    }
    do { try start(press) } catch let error as HostError {
      renderer.show(error)
    } catch {
      // The app's error handlers have already received the error.
    }
    return true
  }

  /// Runs the intent that a key was bound to when the user saw the screen.
  ///
  /// If the key was bound to nothing then, it runs the present one.
  private func start(_ press: KeyPress) throws {
    guard let seen = renderer.seen?.frame.scope(binding: press) else {
      return try host.start(.key(press))
    }
    try host.start(press, in: seen)
  }

  // MARK: - Focus

  /// Return and space use the focused element.
  ///
  /// The arrows change a picker's choice.
  private func activate(with key: TerminalKey) -> Bool {
    guard isFocusSeen, let target = focusedTarget else { return false }
    let element = target.element
    if case .choice(let choice, let options) = element.value {
      switch key.fullName {
      case "return", " ", "alt-down":
        open(target, choice: choice, options: options)
        return true
      case "left", "right":
        guard let index = options.firstIndex(of: choice) else { return false }
        let next = index + (key.name == "left" ? -1 : 1)
        if options.indices.contains(next) { perform(target, with: .choice(options[next].id)) }
        return true
      default: return false
      }
    }
    guard key.fullName == "return" || key.fullName == " " else { return false }
    return use(target)
  }

  func use(_ target: Target) -> Bool {
    switch target.element.action {
    case .tap, .asyncTap, .flag, .open: perform(target, with: .tap)
    case .none, .text, .choice: return false
    }
    return true
  }
}
