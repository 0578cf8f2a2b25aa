// Bindings to the elements of values: `$book.tags[2]`, `$book.settings["theme"]`,
// `Binding($book.home)?.city`.

/// The value that a binding to an element read last, kept for when the element is removed.
final class LastSeen<Value> {
  var value: Value

  init(_ value: Value) { self.value = value }

  /// Stores the current value if there is one.
  ///
  /// - Returns: The current value, or the last stored one.
  func update(_ present: Value?) -> Value {
    if let present { value = present }
    return value
  }
}

extension Binding where Value: Collection {
  /// The check of an element.
  ///
  /// Objects of a list are told apart; elements of other values are parts.
  func elementCheck(
    _ key: AnyHashable, position: @escaping () -> Any?
  ) -> (any BindingCheck)? {
    Value.Element.self is Object.Type
      ? check?.element(key, position: position) : check?.part(key)
  }
}

extension Binding where Value: MutableCollection & RandomAccessCollection, Value.Index: Hashable {
  /// A binding to the element at a position.
  ///
  /// The position must be valid now, or the call traps. The binding refers to the position, not to
  /// the element. If the collection becomes shorter, the binding keeps reading the last element
  /// that it read and ignores writes.
  public subscript(position: Value.Index) -> Binding<Value.Element> {
    let (get, set) = (get, set)
    let present = get()
    if position < present.startIndex || position >= present.endIndex {
      trap("a binding to \(Value.self) of \(present.count): index \(position) is outside of it")
    }
    let last = LastSeen(present[position])
    func element(of value: Value) -> Value.Element? {
      position >= value.startIndex && position < value.endIndex ? value[position] : nil
    }
    return Binding<Value.Element>(
      origin: origin?.member(position),
      check: elementCheck(AnyHashable(position)) { position },
      get: { last.update(element(of: get())) },
      set: { new in
        var value = get()
        guard element(of: value) != nil else { return }
        value[position] = new
        last.value = new
        set(value)
      })
  }
}

extension Binding {
  /// A binding to the value for a key, which is nil if the key is missing.
  ///
  /// Writing nil removes the key.
  public subscript<Key: Hashable, Element>(key: Key) -> Binding<Element?>
  where Value == [Key: Element] {
    let (get, set) = (get, set)
    return Binding<Element?>(
      origin: origin?.member(key), check: check?.part(key), get: { get()[key] },
      set: { new in
        var value = get()
        value[key] = new
        set(value)
      })
  }

  /// A binding to the value for a key that reads as a default while the key is missing.
  ///
  /// - Parameters:
  ///   - key: The key of the value.
  ///   - fallback: The value that is read while the key is missing. It isn't written.
  public subscript<Key: Hashable, Element>(
    key: Key, default fallback: Element
  ) -> Binding<Element> where Value == [Key: Element] {
    self[key].unwrapped(or: fallback)
  }

  /// Returns a binding to an optional's value that reads as a default while the optional is nil.
  ///
  /// - Parameter fallback: The value that is read while the optional is nil. It isn't written.
  /// - Returns: A binding whose writes set the optional.
  public func unwrapped<Wrapped>(or fallback: Wrapped) -> Binding<Wrapped> where Value == Wrapped? {
    let (get, set) = (get, set)
    // Bindings with different defaults aren't the same input of a view, so there is no origin.
    return Binding<Wrapped>(
      origin: nil, check: check, get: { get() ?? fallback }, set: { set($0) })
  }

  /// Returns a binding to the transformed value, whose writes are transformed back.
  ///
  /// ```swift
  /// Toggle("Short", isOn: $scrum.minutes.map({ $0 <= 15 }, back: { $0 ? 15 : 60 }))
  /// ```
  ///
  /// - Parameters:
  ///   - transform: Converts a value for reading.
  ///   - back: Converts a written value. If it returns nil, the write is ignored.
  /// - Returns: A binding to the converted value.
  public func map<Other>(
    _ transform: @escaping (Value) -> Other, back: @escaping (Other) -> Value?
  ) -> Binding<Other> {
    let (get, set) = (get, set)
    // Bindings with different closures aren't the same input of a view, so there is no origin.
    return Binding<Other>(
      origin: nil, check: check, get: { transform(get()) },
      set: { if let value = back($0) { set(value) } })
  }

  /// Returns a binding to whether a set contains a member; writing inserts or removes the member.
  ///
  /// - Returns: A binding that is true while the set contains the member.
  public func contains<Element: Hashable>(_ member: Element) -> Binding<Bool>
  where Value == Set<Element> {
    let (get, set) = (get, set)
    return Binding<Bool>(
      origin: origin?.member(member), check: check, get: { get().contains(member) },
      set: { isMember in
        var value = get()
        if isMember { value.insert(member) } else { value.remove(member) }
        set(value)
      })
  }

  /// Creates a binding to an optional's value, or nil if the optional is nil now.
  ///
  /// If the optional becomes nil later, the binding keeps reading the last value that it read and
  /// ignores writes.
  ///
  /// ```swift
  /// if let city = Binding($person.home)?.city { TextField("City", text: city, id: "city") }
  /// ```
  public init?(_ base: Binding<Value?>) {
    guard let present = base.get() else { return nil }
    let (get, set, last) = (base.get, base.set, LastSeen(present))
    self.init(
      origin: base.origin?.member(\Value?.self), check: base.check,
      get: { last.update(get()) },
      set: { new in
        guard get() != nil else { return }
        last.value = new
        set(new)
      })
  }
}
