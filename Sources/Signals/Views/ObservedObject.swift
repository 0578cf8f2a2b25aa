/// An object that a view is given, and bindings to its properties.
///
/// Reading a property of the object in a body is a dependency on that property alone. The wrapper works
/// outside of a view as well.
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
public struct ObservedObject<Value: AnyObject>: DynamicProperty {
  /// The object.
  public var wrappedValue: Value

  /// Creates the wrapper around an object.
  public init(wrappedValue: Value) { self.wrappedValue = wrappedValue }

  public mutating func bind(to slot: Slot) {}

  /// Bindings to the properties of the object.
  public var projectedValue: ObjectBindings<Value> { ObjectBindings(object: wrappedValue) }
}

extension ObservedObject: ComparableInput {
  func isSameInput(as other: Any) -> Bool {
    (other as? ObservedObject).map { wrappedValue === $0.wrappedValue } ?? false
  }
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
    return Binding(get: { object[keyPath: path] }, set: { object[keyPath: path] = $0 })
  }
}

/// An object that a view makes and owns: made once for its identity, when it is first read, and released
/// with it.
///
/// ```swift
/// struct Meeting: View {
///   @StateObject var timer = MeetingTimer()
/// }
/// ```
@propertyWrapper
public struct StateObject<Value: AnyObject>: DynamicProperty {
  private let make: () -> Value
  private let unbound = Made()
  private var bound: Made?

  private final class Made { var object: Value? }

  /// Creates the wrapper; `wrappedValue` is evaluated once, when the object is first read.
  public init(wrappedValue: @autoclosure @escaping () -> Value) { make = wrappedValue }

  public mutating func bind(to slot: Slot) { bound = slot.value { Made() } }

  /// The object.
  public var wrappedValue: Value {
    let made = bound ?? unbound
    if let object = made.object { return object }
    // What the initialiser reads is nobody's dependency.
    let object = untracked(make)
    made.object = object
    return object
  }

  /// Bindings to the properties of the object.
  public var projectedValue: ObjectBindings<Value> { ObjectBindings(object: wrappedValue) }
}

extension StateObject: ComparableInput {
  func isSameInput(as other: Any) -> Bool { true }
}
