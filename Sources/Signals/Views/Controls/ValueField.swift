// A text field for a value that isn't text, such as a number.

extension TextField {
  /// Edits a value as its description, such as a number.
  ///
  /// - The typed text is shown as typed, also while it is empty or can't be parsed. The value then
  ///   doesn't change, and the message of `invalid` is shown beside the field.
  /// - A draft with text that can't be parsed in a property's field can't be committed. The draft
  ///   keeps that text. It is dropped when the draft is discarded or the property gets another
  ///   value, and it is restored with the draft.
  /// - The value changes as soon as the text can be parsed. If the value changes elsewhere, the
  ///   field shows the new value.
  ///
  /// ```swift
  /// TextField("Minutes", value: $scrum.minutes)
  /// TextField("Seats", value: $table.seats) { try save() } invalid: { "\($0) is no number of seats" }
  /// ```
  ///
  /// Texts of numbers that aren't finite, such as `nan`, `inf` or `1e999`, can't be parsed. If a
  /// property may have such a value, give a `parse:` closure.
  ///
  /// - Parameters:
  ///   - label: The label; also the element's id unless `id` is given.
  ///   - value: The value to edit.
  ///   - id: The name by which intents and tests find the field.
  ///   - onSubmit: Runs when the user completes the text.
  ///   - invalid: Returns the message for text that can't be parsed, `"ten" can't be used here` by
  ///     default.
  public init<Value: LosslessStringConvertible>(
    _ label: String, value: Binding<Value>, id: String? = nil,
    onSubmit: (() throws -> Void)? = nil,
    invalid: ((String) -> String)? = nil
  ) {
    self.init(
      label, value: value, show: \.description, parse: { Self.finite(Value($0)) }, id: id,
      onSubmit: onSubmit,
      invalid: invalid)
  }

  /// Edits an optional value as its description; an empty field is `nil`.
  ///
  /// Text that can't be parsed is handled as for a value that isn't optional.
  ///
  /// - Parameters:
  ///   - label: The label; also the element's id unless `id` is given.
  ///   - value: The value to edit.
  ///   - id: The name by which intents and tests find the field.
  ///   - onSubmit: Runs when the user completes the text.
  ///   - invalid: Returns the message for text that can't be parsed, `"ten" can't be used here` by
  ///     default.
  public init<Value: LosslessStringConvertible>(
    _ label: String, value: Binding<Value?>, id: String? = nil,
    onSubmit: (() throws -> Void)? = nil,
    invalid: ((String) -> String)? = nil
  ) {
    self.init(
      label, value: value, show: \.description, parse: { Self.finite(Value($0)) }, id: id,
      onSubmit: onSubmit,
      invalid: invalid)
  }

  /// Edits a value of any type as text.
  ///
  /// Text that can't be parsed is handled as for a value edited as its description. For example,
  /// this edits a date, with Foundation:
  ///
  /// ```swift
  /// TextField(
  ///   "Due", value: $item.due, show: { $0.formatted(.iso8601.year().month().day()) },
  ///   parse: { try? Date($0, strategy: .iso8601.year().month().day()) })
  /// ```
  ///
  /// - Parameters:
  ///   - label: The label; also the element's id unless `id` is given.
  ///   - value: The value to edit.
  ///   - show: Returns the text for a value.
  ///   - parse: Returns the value of a text, or nil if there is none.
  ///   - id: The name by which intents and tests find the field.
  ///   - onSubmit: Runs when the user completes the text.
  ///   - invalid: Returns the message for text that can't be parsed, `"ten" can't be used here` by
  ///     default.
  public init<Value>(
    _ label: String, value: Binding<Value>, show: @escaping (Value) -> String,
    parse: @escaping (String) -> Value?, id: String? = nil,
    onSubmit: (() throws -> Void)? = nil,
    invalid: ((String) -> String)? = nil
  ) {
    self.init(
      ValueField(
        label: label, id: id, value: value, parse: parse, show: show, invalid: invalid,
        onSubmit: onSubmit))
  }

  /// Edits an optional value of any type as text; an empty field is `nil`.
  ///
  /// Text that can't be parsed is handled as for a value edited as its description.
  ///
  /// - Parameters:
  ///   - label: The label; also the element's id unless `id` is given.
  ///   - value: The value to edit.
  ///   - show: Returns the text for a value other than nil.
  ///   - parse: Returns the value of a text that isn't empty, or nil if there is none.
  ///   - id: The name by which intents and tests find the field.
  ///   - onSubmit: Runs when the user completes the text.
  ///   - invalid: Returns the message for text that can't be parsed, `"ten" can't be used here` by
  ///     default.
  public init<Value>(
    _ label: String, value: Binding<Value?>, show: @escaping (Value) -> String,
    parse: @escaping (String) -> Value?, id: String? = nil,
    onSubmit: (() throws -> Void)? = nil,
    invalid: ((String) -> String)? = nil
  ) {
    self.init(
      ValueField(
        label: label, id: id, value: value,
        parse: { text in text.isEmpty ? .some(nil) : parse(text).map { .some($0) } },
        show: { $0.map(show) ?? "" }, invalid: invalid, onSubmit: onSubmit))
  }

  private init<Value>(_ field: ValueField<Value>) { element = field.element }

  /// Returns a value that was parsed, unless it is a number that isn't finite.
  private static func finite<Value>(_ value: Value?) -> Value? {
    if let number = value as? any FloatingPoint, !number.isFinite { return nil }
    return value
  }

  /// Returns the default message for text that can't be parsed: `"ten" can't be used here`.
  fileprivate static func defaultInvalidMessage(_ text: String) -> String {
    text.isEmpty ? "A value is needed" : "\"\(text)\" can't be used here"
  }
}

/// A field and the text typed into it.
///
/// State: `typed`, the text, how the value was shown when it was typed, and the origin of the
/// value. It counts until a body finds that one of the last two has changed, and not again when the
/// value returns. Text for a draft's property that can't be parsed is kept by the draft instead,
/// which then can't be committed. Only the host's isolation touches this state.
private struct ValueField<Value>: View {
  final class Typed {
    private let text: String
    private let shown: String
    private let origin: BindingOrigin?
    private var isDropped = false

    init(_ text: String, shown: String, origin: BindingOrigin?) {
      (self.text, self.shown, self.origin) = (text, shown, origin)
    }

    /// Returns the text, if it counts while the value is shown like this.
    func text(shown: String, origin: BindingOrigin?) -> String? {
      if shown != self.shown || origin != self.origin { isDropped = true }
      return isDropped ? nil : text
    }
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
    show: @escaping (Value) -> String, invalid: ((String) -> String)?,
    onSubmit: (() throws -> Void)?
  ) {
    self.label = label
    self.id = id
    self.value = value
    self.parse = parse
    self.show = show
    self.invalid = invalid ?? TextField.defaultInvalidMessage
    self.onSubmit = onSubmit
  }

  var body: Element {
    let shown = show(value.wrappedValue)
    let kept = value.check?.text
    let text =
      kept ?? typed?.text(shown: shown, origin: value.origin) ?? shown
    // The value's own text is valid even if `parse` rejects it. A text kept by a draft is among the
    // draft's errors.
    let isFine = kept != nil || text == shown || parsed(text) != nil
    let errors = (isFine ? [] : [invalid(text)]) + value.errors
    TextField(
      label, text: Binding(get: { text }, set: enter).checked { errors }, id: id,
      onSubmit: onSubmit)
  }

  private func enter(_ text: String) {
    let new = parsed(text)
    if let new { value.wrappedValue = new }
    let present = value.wrappedValue
    let shown = show(present)
    let noValue = new == nil && text != shown ? TypedText(text: text, message: invalid(text)) : nil
    let isKept = value.check?.keepText(noValue) ?? false
    // Text isn't shown as typed if the value was refused or became another value. The parsed value
    // isn't stored if it equals the present one, such as -0.0 and 0.0.
    let isPresent =
      new.map { show($0) == shown || ValueEquality.haveEqualParts($0, present) } ?? true
    let isTyped = !isKept && isPresent
    typed = isTyped ? Typed(text, shown: shown, origin: value.origin) : nil
  }

  /// Parses a text, if necessary without the whitespace around it.
  private func parsed(_ text: String) -> Value? {
    if let value = parse(text) { return value }
    let trimmed = text.drop { $0.isWhitespace }.reversed().drop { $0.isWhitespace }.reversed()
    return parse(String(trimmed))
  }
}
