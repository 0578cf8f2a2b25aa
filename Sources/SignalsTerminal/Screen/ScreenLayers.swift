// What lies over the app, and takes its input: one thing at a time gets keys, mouse and pastes, the topmost.
//
// From the top: the message on a screen that is too small; an error; the options of a picker; the app, of which in turn
// the topmost cover alone is drawn and used (see Covers.swift).
//
// State: none of its own; `ScreenState` says what is open.

import Signals

/// A layer of the screen; the topmost takes all input.
enum ScreenLayer {
  /// The app, or the topmost cover of it.
  case app
  /// The options of a picker.
  case picker
  /// An error, until the next key, click or paste.
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

  /// Takes what a user did.
  public func handle(_ input: TerminalInput) {
    bringUpToDate()
    // A field that was typed into is drawn with what the app made of it, never with an older text.
    defer { makeFrame() }
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

  /// Closes the error with a key, a click or a paste; what is typed into a field is not lost by it.
  private func closeMessage(with input: TerminalInput) {
    switch input {
    case .key(let key) where key == "ctrl-z" || key == "ctrl-l": return control(with: key)
    case .mouse(let mouse) where mouse.kind != .press: return turnWheel(mouse)
    default: renderer.state.message = nil
    }
    // The app has its line back.
    layout()
    switch input {
    case .key(let key) where key.character != nil:
      revealFocus()
      _ = edit(with: key)
    case .paste(let text): paste(intoField: text)
    default: break
    }
  }

  /// The error is a line of its own: what is above it can be read.
  private func turnWheel(_ mouse: TerminalMouse) {
    guard mouse.kind == .scrollUp || mouse.kind == .scrollDown else { return }
    if renderer.state.picker == nil { handle(mouse) } else { handlePicker(mouse) }
  }
}
