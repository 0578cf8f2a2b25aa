/// An object that a view gets as an input, with bindings to its properties.
///
/// A body that reads a property of the object depends on that property only. The wrapper also works
/// outside of a view.
///
/// ```swift
/// struct BookEditor: View {
///   @ObservedObject var book: Book
///
///   var body: Element {
///     TextField("Title", text: $book.title, id: "title")
///   }
/// }
/// ```
@propertyWrapper
public struct ObservedObject<Value: AnyObject>: DynamicProperty, BoundProperty {
  /// The object.
  public var wrappedValue: Value

  /// Creates the wrapper around an object.
  public init(wrappedValue: Value) { self.wrappedValue = wrappedValue }

  /// Does nothing, because the wrapper has no state besides the object.
  mutating func bind(to slot: ViewSlot) {}

  /// Bindings to the properties of the object.
  public var projectedValue: ObjectBindings<Value> { ObjectBindings(object: wrappedValue) }
}

extension ObservedObject: ComparableInput {
  func isSameInput(as other: ObservedObject) -> Bool { wrappedValue === other.wrappedValue }
}

/// Bindings to the properties of an object: `$book.title`.
@dynamicMemberLookup
public struct ObjectBindings<Value: AnyObject> {
  let object: Value

  /// A binding to a property.
  public subscript<Member>(
    dynamicMember path: ReferenceWritableKeyPath<Value, Member>
  ) -> Binding<Member> {
    let object = object
    return Binding(
      origin: BindingOrigin(object).member(path), get: { object[keyPath: path] },
      set: {
        object[keyPath: path] = $0
        MissingFieldWarning.check(path, on: object, for: "a binding to")
      })
  }
}
