// What the user sees, as long as that differs from what the app shows by now.
//
// A click and a key refer to the screen that the user saw. By the time they are handled, the app may
// have made another frame, which hasn't been drawn. So an element is looked up in the drawing that
// was seen, and the same element of the present frame is used. If it is gone, nothing is used.
//
// Order of events: a drawing is sent to the terminal, or read by a test, and thereby seen. An input
// arrives; the present frame is drawn into cells, but not sent. The input is handled. What it brings
// about counts as seen by the keys after it, because the user expects it.

import Signals

/// A drawing that the user saw.
struct SeenScreen {
  let frame: Frame
  let targets: [Target]
  let lists: [(key: ListKey, area: Rect)]
  /// The options of a picker, if they were shown.
  let picker: OpenPicker?
  let editor: FieldEditor?

  /// Returns the target drawn at a cell.
  func target(x: Int, y: Int) -> Target? { targets.last { $0.rect.contains(x: x, y: y) } }

  /// Returns the text of a field as it was drawn, and the number of its first visible character.
  func text(of field: Target) -> (buffer: TextBuffer, first: Int)? {
    guard let text = field.element.value.editedText else { return nil }
    if let editor, editor.field.isSame(as: field) { return (editor.buffer, editor.first) }
    return (TextBuffer(text), 0)
  }
}

extension TerminalScreen {
  /// Returns an element that the user saw as it is now; nil if it is gone, hidden or covered.
  func present(_ seen: Target) -> Target? {
    if let focus = FocusedElement(seen),
      let drawn = renderer.targets.first(where: focus.isSame(as:))
    {
      return drawn
    }
    guard let frame = renderer.frame, let old = renderer.seen?.frame,
      let element = frame.counterpart(of: seen.element, in: seen.scope, from: old)
    else { return nil }
    var target = Target(element, in: seen.scope, number: seen.number)
    target.place = seen.place
    target.rect = seen.rect
    return target
  }

  /// Whether the focus is where the user saw it, or expects it after the last input.
  var isFocusSeen: Bool {
    switch (renderer.state.focus, seenFocus) {
    case (nil, nil): true
    case (let focus?, let seen?): focus.isSame(as: seen)
    default: false
    }
  }
}
