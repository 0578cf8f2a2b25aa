/// Runs an intent when it is tapped.
///
/// ```swift
/// Button("Borrow", id: "borrow") { try library.borrow(isbn: book.isbn, for: member.id) }
/// ```
public struct Button: ElementContent {
  /// What stands in the body.
  public let element: Element

  /// Runs a synchronous intent, as one transaction; what it throws undoes it and reaches the caller.
  public init(_ title: String, id: String? = nil, _ intent: @escaping () throws -> Void) {
    element = Element(kind: .button, id: id ?? title, text: title, action: .tap(intent))
  }

  /// Runs an async intent; each write between two awaits is a commit of its own.
  @_disfavoredOverload
  public init(
    _ title: String, id: String? = nil,
    _ intent: nonisolated(nonsending) @escaping () async throws -> Void
  ) {
    element = Element(kind: .button, id: id ?? title, text: title, action: .asyncTap(intent))
  }
}

/// Edits a string.
public struct TextField: ElementContent {
  /// What stands in the body.
  public let element: Element

  /// Edits the string that a binding leads to; `onSubmit` runs when the user says that it is complete.
  public init(
    _ label: String, text: Binding<String>, id: String? = nil,
    onSubmit: (() throws -> Void)? = nil
  ) {
    element = Element(
      kind: .textField, id: id ?? label, text: label, value: .text(text.wrappedValue),
      action: .text { text.wrappedValue = $0 }, submit: onSubmit, errors: text.errors)
  }
}

/// Turns something on and off.
public struct Toggle: ElementContent {
  /// What stands in the body.
  public let element: Element

  /// Sets the flag that a binding leads to.
  public init(_ label: String, isOn: Binding<Bool>, id: String? = nil) {
    element = Element(
      kind: .toggle, id: id ?? label, text: label, value: .flag(isOn.wrappedValue),
      action: .flag { isOn.wrappedValue = $0 }, errors: isOn.errors)
  }
}

/// Chooses one of several options.
public struct Picker: ElementContent {
  /// What stands in the body.
  public let element: Element

  /// Chooses among options, shown as `title` says.
  ///
  /// An option is chosen by its identity: an object by its primary key or ``ObjectID``, any other value by its raw value,
  /// `id` or description, and a value that has none of these by its title. Choosing one of several that differ and can't
  /// be told apart so throws ``HostError/ambiguousOption(_:title:ids:)``.
  public init<Option: Hashable>(
    _ label: String, selection: Binding<Option>, options: [Option], id: String? = nil,
    title: (Option) -> String = { "\($0)" }
  ) {
    let known = PickerOptions(id ?? label, options, title)
    element = Element(
      kind: .picker, id: id ?? label, text: label,
      value: .choice(PickerOptions.option(selection.wrappedValue, title), of: known.shown),
      action: .choice { selection.wrappedValue = try known.value(of: $0) },
      errors: selection.errors)
  }

  /// Chooses among options that have colors, which a renderer shows as far as it can.
  ///
  /// ```swift
  /// Picker(
  ///   "Theme", selection: $theme, options: Theme.all, id: "theme", title: \.name, tint: \.color)
  /// ```
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

extension ElementKind {
  /// Runs an intent.
  public static let button = ElementKind("button")
  /// Edits a string.
  public static let textField = ElementKind("textField")
  /// Turns something on and off.
  public static let toggle = ElementKind("toggle")
  /// Chooses one of several options.
  public static let picker = ElementKind("picker")
}
