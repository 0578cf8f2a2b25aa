// The layers on top of the app. Only the topmost layer gets keys, mouse actions and pastes.
//
// From the top: the message on a screen that is too small; an error; the options of a picker; the
// app, of which only the topmost cover is drawn and used (see Cover.swift).
//
// This file has no state; `ScreenState` says what is open.

import Signals

/// A layer of the screen.
///
/// The topmost one takes all input.
enum ScreenLayer {
  /// The app, or its topmost cover.
  case app
  /// The options of a picker.
  case picker
  /// An error, shown until the next key, click or paste.
  case message
  /// The message on a screen that is too small for the app.
  case tooSmall
}

extension TerminalScreen {
  /// The topmost layer.
  var layer: ScreenLayer {
    if renderer.isTooSmall { return .tooSmall }
    if renderer.state.message != nil { return .message }
    return renderer.state.picker == nil ? .app : .picker
  }

  /// Handles an action of a user who sees the effects of all earlier ones.
  public func handle(_ input: TerminalInput) {
    receive(input)
    renderer.noteSeen()
  }

  /// Handles an action of a user who sees what was drawn last.
  func receive(_ input: TerminalInput) {
    typing.note(input)
    bringUpToDate()
    if renderer.seen == nil { renderer.noteSeen() }
    if typing.drops(input) { return }
    renderer.isAnswering = true
    note(input)
    let isMisplaced = isMisplaced(input)
    if !isMisplaced { act(on: input) }
    // Makes the frame that follows the input, so that a field is never drawn with an older text.
    bringUpToDate()
    // What the user types may move its row.
    if typing.isTyping { revealFocus() }
    renderer.isAnswering = false
    if !isMisplaced { seenFocus = renderer.state.focus }
  }

  /// Notes whether the user types.
  private func note(_ input: TerminalInput) {
    switch input {
    case .key(let key): typing.isTyping = key.editsText && isEditing
    case .paste: typing.isTyping = isEditing
    case .mouse(let mouse): if mouse.kind == .press { typing.isTyping = false }
    }
  }

  /// Whether an input refers to something that the user saw and that is gone: the focused element,
  /// or the options of a picker.
  private func isMisplaced(_ input: TerminalInput) -> Bool {
    let hadOptions = renderer.seen?.picker != nil && renderer.state.picker == nil
    switch input {
    case .paste: return hadOptions
    case .mouse(let mouse): return hadOptions && mouse.kind == .press
    case .key(let key):
      if hadOptions { return true }
      if isFocusSeen || layer != .app { return false }
      return key == "return" || key == " " && !isEditing
    }
  }

  private func act(on input: TerminalInput) {
    let layer = layer
    if layer != .app { renderer.state.isSelecting = false }
    switch (layer, input) {
    case (.app, .key(let key)): handle(key)
    case (.app, .mouse(let mouse)): handle(mouse)
    case (.app, .paste(let text)): paste(intoField: text)
    case (.picker, .key(let key)): handlePicker(key)
    case (.picker, .mouse(let mouse)): handlePicker(mouse)
    case (.message, _): closeMessage(with: input)
    case (.tooSmall, .key(let key)): control(with: key)
    case (.picker, .paste), (.tooSmall, .mouse), (.tooSmall, .paste): break
    }
  }

  /// Closes the error on a key, a click or a paste.
  ///
  /// Text typed or pasted into a field isn't lost.
  private func closeMessage(with input: TerminalInput) {
    switch input {
    case .key(let key) where key == "ctrl-z" || key == "ctrl-l": return control(with: key)
    case .mouse(let mouse) where mouse.kind != .press: return turnWheel(mouse)
    default: renderer.state.message = nil
    }
    // The app gets its last line back.
    layout()
    switch input {
    case .key(let key) where key.character != nil:
      revealFocus()
      _ = edit(with: key)
    case .paste(let text): paste(intoField: text)
    default: break
    }
  }

  /// Scrolls the content above the error, which only takes a separate line.
  private func turnWheel(_ mouse: TerminalMouse) {
    guard mouse.kind == .scrollUp || mouse.kind == .scrollDown else { return }
    if renderer.state.picker == nil { handle(mouse) } else { handlePicker(mouse) }
  }
}
