// Rows of bindings: `ForEachBinding($order.lines) { $line in … }`.
//
// It is no initializer of `ForEach`: a binding has any member, as far as overload resolution knows, so
// that a misspelt property in the rows of results would be reported as one of a binding.

/// Rows made from bindings to the elements of a collection, each evaluated by itself.
///
/// It is ``ForEach`` for rows that edit their elements. A binding that leads on from the row of an object knows what is
/// wrong there, if the collection's does, as that of a draft; from the row of a plain value it knows what is wrong with
/// the whole collection.
///
/// ```swift
/// @DraftObject var order: Order
///
/// ForEachBinding($order.lines) { $line in
///   TextField(line.name, value: $line.amount)
/// }
/// ```
///
/// A row's binding goes on to what was written to it: `line = Line()` and then `line.amount = 2` is of the new line.
///
/// Rows of objects run for what they read of their own, and for what the draft says of it. Rows of values read the
/// collection, so that all that were asked for run again when one changes: hold objects where there are many.
public struct ForEachBinding: ElementContent {
  private let rows: RowSource

  /// Makes a row for each object of a list, told apart by identity.
  ///
  /// An object that is written to the row's binding takes the place of the row's in the list, the first if there
  /// are several, and is dropped if there is none any more.
  public init<Data: MutableCollection & RandomAccessCollection>(
    _ data: @autoclosure @escaping () -> Binding<Data>,
    @ElementBuilder row: @escaping (Binding<Data.Element>) -> Element
  ) where Data.Element: Object, Data.Index: Hashable {
    rows = RowSource({ row(data().element($0)) }) {
      rowData(of: data().get()) { ObjectIdentifier($0) }
    }
  }

  /// Makes a row for each value of a collection, told apart by its `id`, from a binding to it.
  ///
  /// What is written to the row's binding takes the value's place in the collection, and is dropped if it has gone.
  @_disfavoredOverload
  public init<Data: MutableCollection & RandomAccessCollection>(
    _ data: @autoclosure @escaping () -> Binding<Data>,
    @ElementBuilder row: @escaping (Binding<Data.Element>) -> Element
  ) where Data.Element: Identifiable, Data.Index: Hashable {
    self.init(data, id: { $0.id }, row: row)
  }

  /// Makes a row for each value of a collection, told apart by a property of it, from a binding to it.
  ///
  /// It is as for values with an `id` of their own. A row whose value gets another id is another row.
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
    rows = RowSource({ row(data().element($0, id: id)) }) {
      let values = data().get()
      let placed = values.indices.map { PlacedElement(position: $0, value: values[$0]) }
      return ValueRows(placed) { id($0.value) }
    }
  }

  /// The rows, as they stand in a body.
  public var element: Element { Element(.rows(rows)) }
}

/// A value and where it stood, since ids may repeat and the row of each is to write to its own.
private struct PlacedElement<Position, Value> {
  let position: Position
  let value: Value
}

extension Binding where Value: MutableCollection & RandomAccessCollection, Value.Index: Hashable {
  /// A binding to an object, wherever it stands.
  fileprivate func element(_ object: Value.Element) -> Binding<Value.Element>
  where Value.Element: Object {
    let (get, set, key) = (get, set, AnyHashable(ObjectIdentifier(object)))
    // What was written: it is there instead, unless that was undone.
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

  /// A binding to a value, wherever it stands; of several with one id the one at the same position.
  fileprivate func element<ID: Hashable>(
    _ element: PlacedElement<Value.Index, Value.Element>, id: @escaping (Value.Element) -> ID
  ) -> Binding<Value.Element> {
    let (get, set, key) = (get, set, id(element.value))
    let (last, position) = (LastSeen(element.value), element.position)
    func place(in value: Value) -> Value.Index? {
      // What was written may have another id; that of before is there again if the write was undone.
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
        value[place] = new
        last.value = new
        set(value)
      })
  }
}
