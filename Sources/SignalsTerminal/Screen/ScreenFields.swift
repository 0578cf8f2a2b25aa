// Editing fields: an edit changes the text on screen and is sent to the app. The next frame shows
// the app's response (see PaintedControls.swift).
//
// There is no undo for typing: the text belongs to the app, and so does undoing.

import Signals

extension TerminalScreen {
  /// Edits the focused field.
  ///
  /// Returns false if no field has the focus.
  @discardableResult
  func edit(_ change: (inout TextBuffer) -> Void) -> Bool {
    guard let target = focusedTarget, target.element.value.editedText != nil,
      var editor = renderer.state.editor, editor.field.isSame(as: target)
    else { return false }
    let before = editor.buffer
    change(&editor.buffer)
    let isEdited = editor.buffer.text != before.text
    editor.before = isEdited ? before : nil
    renderer.state.editor = editor
    if isEdited { perform(target, with: .text(editor.buffer.text)) }
    return true
  }

  /// Whether a field has the focus.
  var isEditing: Bool {
    guard let focus = renderer.state.focus, let editor = renderer.state.editor else { return false }
    return editor.field.isSame(as: focus)
  }

  func edit(with key: TerminalKey) -> Bool {
    guard let target = focusedTarget, target.element.value.editedText != nil else { return false }
    if target.element.kind == .textEditor, let isUsed = editLines(with: key) { return isUsed }
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
    case (_, "alt-w"):
      guard !target.element.value.isSecret,
        let selected = renderer.state.editor?.buffer.selectedText, !selected.isEmpty
      else { return false }
      renderer.copy(selected)
      return true
    case (_, "return"):
      if target.element.submit == nil { return false }
      perform(target, with: .submit)
      return true
    default: return false
    }
  }
}
