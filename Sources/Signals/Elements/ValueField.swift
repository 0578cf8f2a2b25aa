// A text field for a value that is no text: a number.

extension TextField {
  /// Edits a value as the text that it is described by, such as a number.
  ///
  /// - What is typed stands as it is, also while it is no value, and while it is empty; the value then stays what it
  ///   was, with what `invalid` says of the text beside the field.
  /// - A field of a draft's property keeps the draft from being committed meanwhile: what is typed is the draft's then,
  ///   goes when that is discarded or the property gets another value, and comes back with a draft that is restored.
  /// - The value follows as soon as the text is one. When it changes otherwise, the field shows the new one.
  ///
  /// ```swift
  /// TextField("Minutes", value: $scrum.minutes)
  /// TextField("Seats", value: $table.seats) { try save() } invalid: { "\($0) is no number of seats" }
  /// ```
  public init<Value: LosslessStringConvertible>(
    _ label: String, value: Binding<Value>, id: String? = nil,
    onSubmit: (() throws -> Void)? = nil,
    invalid: @escaping (String) -> String = TextField.isNoValue
  ) {
    self.init(
      label, value: value, show: \.description, parse: { Value($0) }, id: id, onSubmit: onSubmit,
      invalid: invalid)
  }

  /// Edits a value likewise that may be missing: an empty field is nil.
  public init<Value: LosslessStringConvertible>(
    _ label: String, value: Binding<Value?>, id: String? = nil,
    onSubmit: (() throws -> Void)? = nil,
    invalid: @escaping (String) -> String = TextField.isNoValue
  ) {
    self.init(
      label, value: value, show: \.description, parse: { Value($0) }, id: id, onSubmit: onSubmit,
      invalid: invalid)
  }

  /// Edits a value of any type, as the text that `show` makes of it and `parse` reads.
  ///
  /// The rest is as for a value that has a description of its own. A date, with Foundation:
  ///
  /// ```swift
  /// TextField(
  ///   "Due", value: $item.due, show: { $0.formatted(.iso8601.year().month().day()) },
  ///   parse: { try? Date($0, strategy: .iso8601.year().month().day()) })
  /// ```
  public init<Value>(
    _ label: String, value: Binding<Value>, show: @escaping (Value) -> String,
    parse: @escaping (String) -> Value?, id: String? = nil,
    onSubmit: (() throws -> Void)? = nil,
    invalid: @escaping (String) -> String = TextField.isNoValue
  ) {
    self.init(
      ValueField(
        label: label, id: id, value: value, parse: parse, show: show, invalid: invalid,
        onSubmit: onSubmit))
  }

  /// Edits a value likewise that may be missing: an empty field is nil.
  public init<Value>(
    _ label: String, value: Binding<Value?>, show: @escaping (Value) -> String,
    parse: @escaping (String) -> Value?, id: String? = nil,
    onSubmit: (() throws -> Void)? = nil,
    invalid: @escaping (String) -> String = TextField.isNoValue
  ) {
    self.init(
      ValueField(
        label: label, id: id, value: value,
        parse: { text in text.isEmpty ? .some(nil) : parse(text).map { .some($0) } },
        show: { $0.map(show) ?? "" }, invalid: invalid, onSubmit: onSubmit))
  }

  private init<Value>(_ field: ValueField<Value>) { element = field.element }

  /// What stands beside a field whose text is no value: `"ten" can't be used here`.
  public static func isNoValue(_ text: String) -> String {
    text.isEmpty ? "A value is needed" : "\"\(text)\" can't be used here"
  }
}

/// The field, and what was typed into it.
///
/// State: `typed` has the text, how the value was shown when it was typed, and whose value that was; it counts until that
/// is otherwise. What is no value of a draft's property is kept by the draft instead, which then can't be committed.
private struct ValueField<Value>: View {
  struct Typed: Equatable {
    let text: String
    let shown: String
    let origin: BindingOrigin?
  }

  let label: String
  let id: String?
  let value: Binding<Value>
  let parse: (String) -> Value?
  let show: (Value) -> String
  let invalid: (String) -> String
  let onSubmit: (() throws -> Void)?
  @State private var typed: Typed?

  init(
    label: String, id: String?, value: Binding<Value>, parse: @escaping (String) -> Value?,
    show: @escaping (Value) -> String, invalid: @escaping (String) -> String,
    onSubmit: (() throws -> Void)?
  ) {
    self.label = label
    self.id = id
    self.value = value
    self.parse = parse
    self.show = show
    self.invalid = invalid
    self.onSubmit = onSubmit
  }

  var body: Element {
    let shown = show(value.wrappedValue)
    let kept = value.check?.text
    let text = kept ?? typed.flatMap { $0 == typing($0.text, shown) ? $0.text : nil } ?? shown
    // What shows the value is one, whatever `parse` makes of it; what a draft has kept is among its errors.
    let isFine = kept != nil || text == shown || parsed(text) != nil
    let errors = (isFine ? [] : [invalid(text)]) + value.errors
    TextField(
      label, text: Binding(get: { text }, set: enter).checked { errors }, id: id,
      onSubmit: onSubmit)
  }

  private func enter(_ text: String) {
    let new = parsed(text)
    if let new { value.wrappedValue = new }
    let shown = show(value.wrappedValue)
    let noValue = new == nil && text != shown ? TypedText(text: text, message: invalid(text)) : nil
    let isKept = value.check?.keepText(noValue) ?? false
    // What was refused, or became another value, is not shown as if it were there.
    let isTyped = !isKept && new.map { show($0) == shown } ?? true
    typed = isTyped ? typing(text, shown) : nil
  }

  private func typing(_ text: String, _ shown: String) -> Typed {
    Typed(text: text, shown: shown, origin: value.origin)
  }

  /// Blanks around a number are no part of it.
  private func parsed(_ text: String) -> Value? {
    if let value = parse(text) { return value }
    let trimmed = text.drop { $0.isWhitespace }.reversed().drop { $0.isWhitespace }.reversed()
    return parse(String(trimmed))
  }
}
