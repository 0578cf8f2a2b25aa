// Controls, as those of a form: each button sends its action, and with it the values of all fields.

import Signals

extension PageWriter {
  /// Writes a button that sends an action; `content` writes what it shows.
  mutating func button(
    _ action: PageAction, classes: String? = nil, label: String? = nil, isEnabled: Bool = true,
    _ content: (inout PageWriter) -> Void
  ) {
    markup.begin(.button)
    if let classes { markup.attribute(.class, classes) }
    markup.attribute(.name, "do")
    markup.attribute(.value, action.text)
    if let label { markup.attribute(.ariaLabel, label) }
    markup.attribute(.disabled, if: !isEnabled)
    content(&self)
    markup.end(.button)
  }

  /// Writes the attributes that all controls have.
  mutating func attributes(of drawn: DrawnElement, _ name: String) {
    markup.identity(name)
    if drawn.isBusy { markup.attribute(.ariaBusy, "true") }
    guard !drawn.errors.isEmpty else { return }
    markup.attribute(.ariaInvalid, "true")
    markup.attribute(.ariaDescribedby, "\(name)-errors")
  }

  /// Writes the errors of a control, to which the control refers.
  private mutating func errors(of drawn: DrawnElement, _ name: String) {
    if drawn.errors.isEmpty { return }
    markup.begin(.div)
    markup.attribute(.class, "errors")
    markup.attribute(.id, "\(name)-errors")
    drawn.errors.forEach { write(error: $0) }
    markup.end(.div)
  }

  /// Draws an element that is tapped.
  ///
  /// - Parameter text: The text that the button shows in place of the element's own.
  mutating func button(
    _ drawn: DrawnElement, showing text: DrawnElement? = nil, in scope: ScopeID
  ) {
    let name = name(of: drawn, in: scope)
    let shown = text?.text ?? drawn.text
    // A button without a title is named by its kind, since an id may contain a key of the data.
    button(
      .tap(name), classes: PageLook.classes(nil, text?.look ?? buttonLook(of: drawn)),
      label: shown.isEmpty ? drawn.kind.name : nil, isEnabled: drawn.isEnabled
    ) { writer in
      writer.attributes(of: drawn, name)
      writer.markup.text(shown.isEmpty ? "›" : shown + (drawn.isBusy ? "…" : ""))
    }
    errors(of: drawn, name)
  }

  /// Returns the look of an element's button; that of a title or a row is on its cell or row.
  private func buttonLook(of drawn: DrawnElement) -> ElementLook {
    drawn.kind == .tableColumn || drawn.kind == .tableRow ? ElementLook() : drawn.look
  }

  mutating func field(_ drawn: DrawnElement, text: String, in scope: ScopeID) {
    let name = name(of: drawn, in: scope)
    let shown = PageText.shown(text)
    found.fields.append(name)
    begin(.div, "field", drawn.look)
    label(drawn, name)
    let isLong = drawn.kind == .textEditor || PageText.hasLines(text)
    markup.begin(isLong ? .textarea : .input)
    if !isLong { markup.attribute(.type, "text") }
    control(drawn, name, value: shown)
    if isLong {
      markup.attribute(.rows, "\(min(max(shown.split(separator: "\n").count + 1, 3), 10))")
      markup.text(shown)
      markup.end(.textarea)
    } else {
      markup.attribute(.value, shown, isInitial: true)
      markup.endEmpty()
    }
    if drawn.submit != nil {
      button(
        .submit(name), label: "Submit \(drawn.text)", isEnabled: drawn.isEnabled
      ) { $0.markup.text("↵") }
    }
    errors(of: drawn, name)
    markup.end(.div)
  }

  /// Draws a field for a password, which is always empty on a page.
  mutating func secret(_ drawn: DrawnElement, text: String, in scope: ScopeID) {
    let name = name(of: drawn, in: scope)
    found.fields.append(name)
    begin(.div, "field", drawn.look)
    label(drawn, name)
    markup.begin(.input)
    markup.attribute(.type, "password")
    control(drawn, name, value: "")
    // What was typed stays in the browser until the app clears it.
    if !text.isEmpty { markup.shown(nil) }
    markup.attribute(.autocomplete, "current-password")
    markup.attribute(.value, "", isInitial: true)
    markup.endEmpty()
    if drawn.submit != nil {
      button(
        .submit(name), label: "Submit \(drawn.text)", isEnabled: drawn.isEnabled
      ) { $0.markup.text("↵") }
    }
    errors(of: drawn, name)
    markup.end(.div)
  }

  mutating func image(_ drawn: DrawnElement, _ address: String) {
    begin(.img, nil, drawn.look)
    markup.address(.src, address)
    markup.attribute(.alt, drawn.text)
    markup.endEmpty()
  }

  /// Draws a link, or its text if its address might run code.
  mutating func link(_ drawn: DrawnElement, _ address: String, in scope: ScopeID) {
    let name = name(of: drawn, in: scope)
    begin(.a, nil, drawn.look)
    attributes(of: drawn, name)
    if case .open(let screen) = drawn.action {
      if drawn.isEnabled { markup.attribute(.href, screen.location(below: path)) }
    } else {
      if drawn.isEnabled { markup.address(.href, address) }
      markup.attribute(.rel, "noopener noreferrer")
    }
    markup.text(drawn.text)
    markup.end(.a)
    errors(of: drawn, name)
  }

  mutating func radios(
    _ drawn: DrawnElement, _ choice: ElementOption, _ options: [ElementOption], in scope: ScopeID
  ) {
    let name = name(of: drawn, in: scope)
    begin(.fieldset, nil, drawn.look)
    attributes(of: drawn, name)
    markup.shown(pageNames.name(ofValue: choice.id))
    markup.attribute(.disabled, if: !drawn.isEnabled)
    markup.element(.legend, drawn.text.isEmpty ? drawn.kind.name : drawn.text)
    for option in options {
      markup.begin(.label)
      markup.begin(.input)
      markup.attribute(.type, "radio")
      markup.attribute(.name, "\(name).\(pageNames.name(ofValue: choice.id))")
      markup.attribute(.value, pageNames.name(ofValue: option.id))
      markup.attribute(.checked, if: option.id == choice.id, isInitial: true)
      markup.endEmpty()
      markup.element(.span, option.title)
      markup.end(.label)
    }
    button(.enter, label: "Choose \(drawn.text)", isEnabled: drawn.isEnabled) {
      $0.markup.text("↵")
    }
    errors(of: drawn, name)
    markup.end(.fieldset)
  }

  mutating func toggle(_ drawn: DrawnElement, isOn: Bool, in scope: ScopeID) {
    let name = name(of: drawn, in: scope)
    begin(.div, "field", drawn.look)
    button(
      .set(name, isOn: !isOn), classes: "switch",
      label: drawn.text.isEmpty ? drawn.kind.name : nil, isEnabled: drawn.isEnabled
    ) { writer in
      writer.markup.attribute(.role, "switch")
      writer.markup.attribute(.ariaChecked, isOn ? "true" : "false")
      writer.attributes(of: drawn, name)
      writer.markup.text(drawn.text)
    }
    errors(of: drawn, name)
    markup.end(.div)
  }

  mutating func picker(
    _ drawn: DrawnElement, _ choice: ElementOption, _ options: [ElementOption], in scope: ScopeID
  ) {
    let name = name(of: drawn, in: scope)
    begin(.div, "field", drawn.look)
    label(drawn, name)
    markup.begin(.select)
    control(drawn, name, value: choice.id)
    markup.shown(pageNames.name(ofValue: choice.id))
    // A choice that isn't offered is shown, and can't be chosen again.
    let isOffered = options.contains { $0.id == choice.id }
    for (place, option) in ((isOffered ? [] : [choice]) + options).enumerated() {
      let tint =
        isOffered && place < drawn.look.optionTints.count ? drawn.look.optionTints[place] : nil
      markup.begin(.option)
      if let tint { markup.attribute(.class, PageLook.name(of: tint)) }
      markup.attribute(.value, pageNames.name(ofValue: option.id))
      markup.attribute(.selected, if: option.id == choice.id, isInitial: true)
      markup.attribute(.disabled, if: !isOffered && place == 0)
      markup.text(option.title)
      markup.end(.option)
    }
    markup.end(.select)
    button(.enter, label: "Choose \(drawn.text)", isEnabled: drawn.isEnabled) {
      $0.markup.text("↵")
    }
    errors(of: drawn, name)
    markup.end(.div)
  }

  mutating func progress(_ drawn: DrawnElement, _ part: Double, in scope: ScopeID) {
    let name = name(of: drawn, in: scope)
    let part = part > 0 ? min(part, 1) : 0
    let percent = "\(Int((part * 100).rounded(.down)))%"
    begin(.div, "field", drawn.look)
    label(drawn, name)
    markup.begin(.progress)
    attributes(of: drawn, name)
    if drawn.text.isEmpty { markup.attribute(.ariaLabel, drawn.kind.name) }
    markup.attribute(.value, "\(part)")
    markup.text(percent)
    markup.end(.progress)
    markup.element(.span, percent)
    errors(of: drawn, name)
    markup.end(.div)
  }

  private mutating func label(_ drawn: DrawnElement, _ name: String) {
    if drawn.text.isEmpty { return }
    markup.begin(.label)
    markup.attribute(.for, name)
    markup.text(drawn.text)
    markup.end(.label)
  }

  /// Writes the attributes of a control with a value, whose name says which value was shown.
  private mutating func control(_ drawn: DrawnElement, _ name: String, value: String) {
    attributes(of: drawn, name)
    if drawn.text.isEmpty { markup.attribute(.ariaLabel, drawn.kind.name) }
    // A page with a script doesn't use it.
    markup.attribute(.name, "\(name).\(pageNames.name(ofValue: value))", isInitial: true)
    markup.shown(value)
    markup.attribute(.disabled, if: !drawn.isEnabled)
  }
}
