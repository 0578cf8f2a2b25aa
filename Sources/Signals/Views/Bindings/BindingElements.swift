// Bindings to the elements of values: `$book.tags[2]`, `$book.settings["theme"]`, `Binding($book.home)?.city`.

/// What a binding to an element saw last, for when the element is gone.
final class LastSeen<Value> {
  var value: Value

  init(_ value: Value) { self.value = value }

  /// The present value, or the last one there was.
  func update(_ present: Value?) -> Value {
    if let present { value = present }
    return value
  }
}

extension Binding where Value: Collection {
  /// The check of an element: the objects of a list are told apart, what is in a plain value is not.
  func elementCheck(
    _ key: AnyHashable, position: @escaping () -> Any?
  ) -> (any BindingCheck)? {
    Value.Element.self is Object.Type
      ? check?.element(key, position: position) : check?.part(key)
  }
}

extension Binding where Value: MutableCollection & RandomAccessCollection, Value.Index: Hashable {
  /// A binding to the element at a position, which must be one now.
  ///
  /// If the collection gets shorter than that, the binding keeps reading the last element it saw, and
  /// what is written to it is dropped. It names a position and not an element.
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
  /// A binding to the value for a key, which is nil if there is none; writing nil removes the key.
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

  /// A binding to the value for a key, or to a default as long as there is none.
  public subscript<Key: Hashable, Element>(
    key: Key, default fallback: Element
  ) -> Binding<Element> where Value == [Key: Element] {
    self[key].unwrapped(or: fallback)
  }

  /// A binding to the value of an optional, or to a default as long as there is none.
  public func unwrapped<Wrapped>(or fallback: Wrapped) -> Binding<Wrapped> where Value == Wrapped? {
    let (get, set) = (get, set)
    // Two bindings with different defaults are not the same input of a view.
    return Binding<Wrapped>(
      origin: nil, check: check, get: { get() ?? fallback }, set: { set($0) })
  }

  /// A binding to another view of the value, and back; what `back` has no value for is dropped.
  ///
  /// ```swift
  /// Toggle("Short", isOn: $scrum.minutes.map({ $0 <= 15 }, back: { $0 ? 15 : 60 }))
  /// ```
  public func map<Other>(
    _ transform: @escaping (Value) -> Other, back: @escaping (Other) -> Value?
  ) -> Binding<Other> {
    let (get, set) = (get, set)
    // Two bindings with different closures are not the same input of a view.
    return Binding<Other>(
      origin: nil, check: check, get: { transform(get()) },
      set: { if let value = back($0) { set(value) } })
  }

  /// A binding to whether a set has a member.
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

  /// A binding to the value of an optional; nil if there is none now.
  ///
  /// When it becomes nil later, the binding keeps reading the last value it saw, and what is written to
  /// it is dropped.
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
