/// A button that runs an intent when it is tapped.
///
/// ```swift
/// Button("Borrow", id: "borrow") { try library.borrow(isbn: book.isbn, for: member.id) }
/// ```
public struct Button: ElementContent {
  /// The element that represents this content in a body.
  public let element: Element

  /// Creates a button that runs a synchronous intent as one transaction.
  ///
  /// An error rolls the transaction back and is thrown to the caller.
  ///
  /// - Parameters:
  ///   - title: The title; also the element's id unless `id` is given.
  ///   - id: The name by which intents and tests find the element.
  ///   - intent: The intent that a tap runs.
  public init(_ title: String, id: String? = nil, action intent: @escaping () throws -> Void) {
    element = Element(kind: .button, id: id ?? title, text: title, action: .tap(intent))
  }

  /// Creates a button that runs an async intent.
  ///
  /// Each write between two awaits is a separate commit.
  ///
  /// - Parameters:
  ///   - title: The title; also the element's id unless `id` is given.
  ///   - id: The name by which intents and tests find the element.
  ///   - overlap: The effect of a tap while an earlier run is under way.
  ///   - intent: The intent that a tap runs, on the actor of the host if it has one.
  @_disfavoredOverload
  public init(
    _ title: String, id: String? = nil, overlap: IntentOverlap = .allowed,
    action intent: nonisolated(nonsending) @escaping () async throws -> Void
  ) {
    element = Element(
      kind: .button, id: id ?? title, text: title, action: .asyncTap(intent, overlap: overlap))
  }
}

/// A field for editing text.
public struct TextField: ElementContent {
  /// The element that represents this content in a body.
  public let element: Element

  /// Creates a field for the string of a binding.
  ///
  /// - Parameters:
  ///   - label: The label; also the element's id unless `id` is given.
  ///   - text: The string to edit.
  ///   - id: The name by which intents and tests find the field.
  ///   - onSubmit: Runs when the user completes the text.
  public init(
    _ label: String, text: Binding<String>, id: String? = nil,
    onSubmit: (() throws -> Void)? = nil
  ) {
    element = Element(
      kind: .textField, id: id ?? label, text: label, value: .text(text.wrappedValue),
      action: .text { text.wrappedValue = $0 }, submit: onSubmit, errors: text.errors)
  }
}

/// A field for editing text of several lines.
///
/// Return starts a new line, and a pasted text keeps its lines.
///
/// ```swift
/// TextEditor("Notes", text: $note.text).frame(minHeight: 5)
/// ```
public struct TextEditor: ElementContent {
  /// The element that represents this content in a body.
  public let element: Element

  /// Creates a field for the string of a binding.
  ///
  /// - Parameters:
  ///   - label: The label; also the element's id unless `id` is given.
  ///   - text: The string to edit, with a `\n` between lines.
  ///   - id: The name by which intents and tests find the field.
  public init(_ label: String, text: Binding<String>, id: String? = nil) {
    element = Element(
      kind: .textEditor, id: id ?? label, text: label, value: .text(text.wrappedValue),
      action: .text { text.wrappedValue = $0 }, errors: text.errors)
  }
}

/// A field for a password or another text that isn't shown.
///
/// - Renderers show a dot for each character, and a page in a browser doesn't contain the text. It
///   can't be copied from the field.
/// - Descriptions of the screen, failure messages and logs of intents have the dots only. A replay
///   of a log therefore enters dots.
/// - Keep the string in `@State`: a value in the graph is in its change sets, snapshots and files.
///
/// ```swift
/// SecureField("Password", text: $password) { try signIn() }
/// ```
public struct SecureField: ElementContent {
  /// The element that represents this content in a body.
  public let element: Element

  /// Creates a field for the string of a binding.
  ///
  /// - Parameters:
  ///   - label: The label; also the element's id unless `id` is given.
  ///   - text: The string to edit.
  ///   - id: The name by which intents and tests find the field.
  ///   - onSubmit: Runs when the user completes the text.
  public init(
    _ label: String, text: Binding<String>, id: String? = nil,
    onSubmit: (() throws -> Void)? = nil
  ) {
    element = Element(
      kind: .secureField, id: id ?? label, text: label, value: .secret(text.wrappedValue),
      action: .text { text.wrappedValue = $0 }, submit: onSubmit, errors: text.errors)
  }
}

/// A control that turns a setting on and off.
public struct Toggle: ElementContent {
  /// The element that represents this content in a body.
  public let element: Element

  /// Creates a toggle for the flag of a binding.
  ///
  /// - Parameters:
  ///   - label: The label; also the element's id unless `id` is given.
  ///   - isOn: The flag that a tap inverts.
  ///   - id: The name by which intents and tests find the element.
  public init(_ label: String, isOn: Binding<Bool>, id: String? = nil) {
    element = Element(
      kind: .toggle, id: id ?? label, text: label, value: .flag(isOn.wrappedValue),
      action: .flag { isOn.wrappedValue = $0 }, errors: isOn.errors)
  }
}

/// A control for choosing one of several options.
public struct Picker: ElementContent {
  /// The element that represents this content in a body.
  public let element: Element

  /// Creates a picker whose options are shown by `title`.
  ///
  /// An option is chosen by its identity. For an object this is the primary key or ``ObjectID``,
  /// for any other value its raw value, `id` or description, and for a value without any of these
  /// its title. Choosing an identity that several different options share throws
  /// ``HostError/ambiguousOption(_:title:ids:)``.
  ///
  /// - Parameters:
  ///   - label: The label; also the element's id unless `id` is given.
  ///   - selection: The chosen option.
  ///   - options: The options, in the order in which they are shown.
  ///   - id: The name by which intents and tests find the element.
  ///   - title: Returns the title of an option, its description by default.
  public init<Option: Hashable>(
    _ label: String, selection: Binding<Option>, options: [Option], id: String? = nil,
    title: (Option) -> String = { "\($0)" }
  ) {
    element = Picker.element(
      .picker, label, selection: selection, options: options, id: id, title: title)
  }

  /// Returns an element of a kind that offers options.
  fileprivate static func element<Option: Hashable>(
    _ kind: ElementKind, _ label: String, selection: Binding<Option>, options: [Option],
    id: String?, title: (Option) -> String
  ) -> Element {
    let known = PickerOptions(picker: id ?? label, values: options, title: title)
    return Element(
      kind: kind, id: id ?? label, text: label,
      value: .choice(
        PickerOptions.option(for: selection.wrappedValue, title: title), of: known.shown),
      action: .choice { selection.wrappedValue = try known.value(of: $0) },
      errors: selection.errors)
  }

  /// Creates a picker whose options have colors, which a renderer shows as far as it can.
  ///
  /// ```swift
  /// Picker(
  ///   "Theme", selection: $theme, options: Theme.all, id: "theme", title: \.name, tint: \.color)
  /// ```
  ///
  /// - Parameters:
  ///   - label: The label; also the element's id unless `id` is given.
  ///   - selection: The chosen option.
  ///   - options: The options, in the order in which they are shown.
  ///   - id: The name by which intents and tests find the element.
  ///   - title: Returns the title of an option, its description by default.
  ///   - tint: Returns the color of an option; nil for that of other text.
  public init<Option: Hashable>(
    _ label: String, selection: Binding<Option>, options: [Option], id: String? = nil,
    title: (Option) -> String = { "\($0)" }, tint: (Option) -> ElementColor?
  ) {
    let picker = Picker(label, selection: selection, options: options, id: id, title: title)
    element = picker.element.changing { look in
      look.tint = tint(selection.wrappedValue)
      look.optionTints = options.map(tint)
    }
  }
}

/// A control for choosing one of a few options, all of which are shown.
///
/// ```swift
/// RadioGroup("Priority", selection: $task.priority, options: Priority.allCases)
/// ```
public struct RadioGroup: ElementContent {
  /// The element that represents this content in a body.
  public let element: Element

  /// Creates a group whose options are shown by `title`.
  ///
  /// An option is chosen as an option of a ``Picker``.
  ///
  /// - Parameters:
  ///   - label: The label; also the element's id unless `id` is given.
  ///   - selection: The chosen option.
  ///   - options: The options, in the order in which they are shown.
  ///   - id: The name by which intents and tests find the element.
  ///   - title: Returns the title of an option, its description by default.
  public init<Option: Hashable>(
    _ label: String, selection: Binding<Option>, options: [Option], id: String? = nil,
    title: (Option) -> String = { "\($0)" }
  ) {
    element = Picker.element(
      .radioGroup, label, selection: selection, options: options, id: id, title: title)
  }
}
