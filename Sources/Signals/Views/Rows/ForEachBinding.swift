// Rows of bindings: `ForEachBinding($order.lines) { $line in … }`.
//
// This isn't an initializer of `ForEach`, not even one with a label. To overload resolution a binding
// has any member, so the compiler would take a misspelled property in rows of results for a row of a
// binding, and ask for the label.

/// Rows made from bindings to the elements of a collection, each evaluated separately.
///
/// It is a ``ForEach`` for rows that edit their elements. If the collection's binding reports
/// validation errors, as a draft's binding does, the bindings of its rows do too. A binding to a
/// part of an object's row reports the errors of that part. A binding to a part of a plain value's
/// row reports the errors of the whole collection.
///
/// ```swift
/// @DraftObject var order: Order
///
/// ForEachBinding($order.lines) { $line in
///   TextField(line.name, value: $line.amount)
/// }
/// ```
///
/// A row's binding follows the value written to it: after `line = Line()`, `line.amount = 2`
/// changes the new line.
///
/// Rows of objects run again when their own dependencies change, and when the draft's errors for
/// the object do. Rows of values read the whole collection, so all requested rows run again when
/// one value changes. Use objects for long lists.
public struct ForEachBinding: ElementContent {
  private let rows: ForEachSource

  /// Creates a row for each object of a list, identified by its identity.
  ///
  /// An object written to the row's binding replaces the row's object in the list: the first
  /// occurrence if there are several. The write is dropped if the list no longer contains the row's
  /// object.
  public init<Data: MutableCollection & RandomAccessCollection>(
    _ data: @autoclosure @escaping () -> Binding<Data>,
    @ElementBuilder row: @escaping (Binding<Data.Element>) -> Element
  ) where Data.Element: Object, Data.Index: Hashable {
    rows = ForEachSource({ row(data().element($0)) }) {
      forEachData(of: data().get()) { ObjectIdentifier($0) }
    }
  }

  /// Creates a row for each value of a collection, identified by its `id`, from a binding to the
  /// value.
  ///
  /// A value written to the row's binding replaces the row's value in the collection. The write is
  /// dropped if the collection no longer contains the row's value.
  @_disfavoredOverload
  public init<Data: MutableCollection & RandomAccessCollection>(
    _ data: @autoclosure @escaping () -> Binding<Data>,
    @ElementBuilder row: @escaping (Binding<Data.Element>) -> Element
  ) where Data.Element: Identifiable, Data.Index: Hashable {
    self.init(data, id: { $0.id }, row: row)
  }

  /// Creates a row for each value of a collection, identified by one of its properties, from a
  /// binding to the value.
  ///
  /// A value written to the row's binding replaces the row's value in the collection, or is dropped
  /// if the collection no longer contains that. If the value gets another id by its row's binding,
  /// as a text does that is its own id and is typed into the row, its row stays the same, with its
  /// state and the focus. If it gets another id otherwise, its row is replaced by another one.
  ///
  /// - Parameters:
  ///   - data: A binding to the collection.
  ///   - id: The property that identifies a value.
  ///   - row: Returns the content of a row, given a binding to its value.
  public init<Data: MutableCollection & RandomAccessCollection, ID: Hashable>(
    _ data: @autoclosure @escaping () -> Binding<Data>, id: KeyPath<Data.Element, ID>,
    @ElementBuilder row: @escaping (Binding<Data.Element>) -> Element
  ) where Data.Index: Hashable {
    self.init(data, id: { $0[keyPath: id] }, row: row)
  }

  private init<Data: MutableCollection & RandomAccessCollection, ID: Hashable>(
    _ data: @escaping () -> Binding<Data>, id: @escaping (Data.Element) -> ID,
    row: @escaping (Binding<Data.Element>) -> Element
  ) where Data.Index: Hashable {
    let make = { (placed: PlacedElement<Data.Index, Data.Element>, scope: Scope) in
      let binding = data().element(placed, id: { RowKey(id: id($0)) }) { [weak scope] new in
        if let scope { scope.parent?.rows?.note(scope, wasGiven: AnyHashable(new)) }
      }
      return row(binding)
    }
    rows = ForEachSource(placing: make) {
      let values = data().get()
      let placed = values.indices.map { PlacedElement(position: $0, value: values[$0]) }
      return ValueRows(placed) { id($0.value) }
    }
  }

  /// The element that represents the rows in a body.
  public var element: Element { Element(.rows(rows)) }
}

/// A value and its position.
///
/// Ids may repeat, and each row has to write to its own value.
private struct PlacedElement<Position, Value> {
  let position: Position
  let value: Value
}

extension Binding where Value: MutableCollection & RandomAccessCollection, Value.Index: Hashable {
  /// Returns a binding to an object at whatever position it is.
  fileprivate func element(_ object: Value.Element) -> Binding<Value.Element>
  where Value.Element: Object {
    let (get, set, key) = (get, set, AnyHashable(ObjectIdentifier(object)))
    // The object that was written. It has taken the place of `object`, unless the write was undone.
    let written = LastSeen<Value.Element?>(nil)
    func place(in value: Value) -> Value.Index? {
      if let new = written.value, let place = value.firstIndex(where: { $0 === new }) {
        return place
      }
      return value.firstIndex { $0 === object }
    }
    return Binding<Value.Element>(
      origin: origin?.member(key),
      check: elementCheck(key) {
        let value = get()
        return place(in: value).map { value.distance(from: value.startIndex, to: $0) }
      },
      get: {
        guard let new = written.value else { return object }
        let value = get()
        return place(in: value).map { value[$0] } ?? new
      },
      set: { new in
        var value = untracked { get() }
        guard let place = place(in: value) else { return }
        value[place] = new
        written.value = new
        set(value)
      })
  }

  /// Returns a binding to a value at whatever position it is; if several have its id, to the one at
  /// the same position.
  ///
  /// `willRename` is called before a value with another id is written.
  fileprivate func element<ID: Hashable>(
    _ element: PlacedElement<Value.Index, Value.Element>, id: @escaping (Value.Element) -> ID,
    willRename: @escaping (ID) -> Void
  ) -> Binding<Value.Element> {
    let (get, set, key) = (get, set, id(element.value))
    let (last, position) = (LastSeen(element.value), element.position)
    func place(in value: Value) -> Value.Index? {
      // The written value may have another id. The previous id is back if the write was undone.
      let new = id(last.value)
      if position >= value.startIndex && position < value.endIndex {
        let present = id(value[position])
        if present == new || present == key { return position }
      }
      return value.firstIndex { id($0) == new }
        ?? (new == key ? nil : value.firstIndex { id($0) == key })
    }
    return Binding<Value.Element>(
      origin: origin?.member(position).member(key),
      check: elementCheck(AnyHashable(key)) {
        let value = get()
        return place(in: value).map { value.distance(from: value.startIndex, to: $0) }
      },
      get: {
        let value = get()
        return last.update(place(in: value).map { value[$0] })
      },
      set: { new in
        var value = untracked { get() }
        guard let place = place(in: value) else { return }
        let newID = id(new)
        if newID != id(value[place]) { willRename(newID) }
        value[place] = new
        last.value = new
        set(value)
      })
  }
}
