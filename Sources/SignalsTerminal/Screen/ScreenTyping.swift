// Text input ends with its field.
//
// Letters are typed in bursts, for one field. If that field goes during a burst, the focus moves to
// another element, and the rest of the burst would be edited there, or press a button. So from then
// on text is dropped, until the user moves on or, on a terminal, pauses.
//
// State: `isTyping`, whether the last input edited a text; `lost`, the field that went, while text
// is dropped; `isLossSeen`, whether the user has seen that it went.
//
// Order of events: a field that has the focus goes. If the user's own input made it go, other than
// by typing, there is no burst. If the field comes back, it gets the focus and the rest of the burst,
// because until then only the screen itself has moved the focus. If the user sees that it went
// without having typed, the burst that follows is for the element that has the focus then.

import Signals

/// The text input of a user.
struct Typing {
  var isTyping = false
  private(set) var lost: LostElement?
  private var isLossSeen = false

  /// Notes that the focused field has gone, without the user having moved the focus.
  ///
  /// - Parameter isAnswer: Whether the user's last input made it go.
  mutating func lose(_ field: LostElement, isAnswer: Bool) {
    // A field that has the focus meanwhile isn't the one that is typed into.
    if lost != nil || isAnswer && !isTyping { return }
    (lost, isLossSeen) = (field, false)
  }

  /// Notes that the field is back, or another one in its place.
  mutating func resume() { lost = nil }

  /// Ends the burst: the next text is for the focused element.
  mutating func end() { (isTyping, lost) = (false, nil) }

  /// Notes that the user sees the screen.
  mutating func noteSeen() {
    isLossSeen = true
    if !isTyping { lost = nil }
  }

  /// Notes that the user hasn't typed for a while.
  mutating func pause() {
    isTyping = false
    if isLossSeen { lost = nil }
  }

  /// Notes that an input arrives, before the screen shows whether the field is back.
  ///
  /// A user who moves on does so from where the focus was drawn.
  mutating func note(_ input: TerminalInput) {
    switch input {
    case .paste: break
    case .mouse(let mouse): if lost != nil, mouse.kind == .press { end() }
    case .key(let key): if lost != nil, !key.editsText, !key.endsText { end() }
    }
  }

  /// Returns whether an input is dropped, because it was meant for a field that has gone.
  mutating func drops(_ input: TerminalInput) -> Bool {
    guard lost != nil else { return false }
    switch input {
    case .paste: return true
    case .mouse(let mouse):
      if mouse.kind == .press { end() }
      return false
    case .key(let key):
      if key.editsText {
        isTyping = true
        return true
      }
      end()
      return key.endsText
    }
  }
}

extension TerminalKey {
  /// Whether the key changes the text of a field that has the focus.
  var editsText: Bool {
    if character != nil { return true }
    switch (name, fullName) {
    case ("delete", _), ("forward-delete", _): return true
    case (_, "ctrl-d"), (_, "ctrl-w"), (_, "alt-d"), (_, "ctrl-u"), (_, "ctrl-k"): return true
    default: return false
    }
  }

  /// Whether the key moves the cursor of a field or completes its text.
  fileprivate var endsText: Bool {
    switch (name, fullName) {
    case ("left", _), ("right", _), ("home", _), ("end", _): true
    case (_, "ctrl-a"), (_, "ctrl-e"), (_, "alt-a"), (_, "alt-w"), (_, "return"): true
    default: false
    }
  }
}
