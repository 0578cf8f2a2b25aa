/// The values that a picker chooses from, and the options shown for them.
struct PickerOptions<Value: Hashable> {
  let picker: String
  let values: [Value]
  let shown: [ElementOption]

  init(picker: String, values: [Value], title: (Value) -> String) {
    self.picker = picker
    self.values = values
    shown = values.map { Self.option(for: $0, title: title) }
  }

  static func option(for value: Value, title: (Value) -> String) -> ElementOption {
    let title = title(value)
    return ElementOption(id: StableName.of(value) ?? title, title: title)
  }

  /// The value of the option with an id.
  ///
  /// - Throws: ``HostError/noOption(_:option:options:)``, or
  ///   ``HostError/ambiguousOption(_:title:ids:)`` if several different values have this id.
  func value(of id: String) throws -> Value {
    let found = shown.indices.filter { shown[$0].id == id }
    guard let first = found.first else {
      throw HostError.noOption(picker, option: id, options: shown.map(\.description))
    }
    guard found.allSatisfy({ values[$0] == values[first] }) else {
      throw HostError.ambiguousOption(picker, title: shown[first].title)
    }
    return values[first]
  }
}
