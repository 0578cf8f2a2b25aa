/// An object that a view creates and owns.
///
/// It is created once for the view's identity, when it is first read, and released with the view.
/// Effects created by its initializer live as long as the object.
///
/// ```swift
/// struct Meeting: View {
///   @StateObject var timer = MeetingTimer()
/// }
/// ```
@propertyWrapper
public struct StateObject<Value: AnyObject>: DynamicProperty, BoundProperty {
  private let make: () -> Value
  private let unbound = OwnedObject<Value>()
  private var bound: OwnedObject<Value>?

  /// Creates the wrapper.
  ///
  /// - Parameter wrappedValue: Creates the object; evaluated once, when the object is first read.
  public init(wrappedValue: @autoclosure @escaping () -> Value) { make = wrappedValue }

  /// Binds the wrapper to the object of its view; the host calls it before each body.
  mutating func bind(to slot: ViewSlot) { bound = slot.value { OwnedObject() } }

  /// The object.
  public var wrappedValue: Value { (bound ?? unbound).object(make) }

  /// Bindings to the properties of the object.
  public var projectedValue: ObjectBindings<Value> { ObjectBindings(object: wrappedValue) }
}

extension StateObject: ComparableInput {
  // The slot keeps the object. The parent's expression is never evaluated again.
  func isSameInput(as other: StateObject) -> Bool { true }
}

/// The object of a `@StateObject` once it is created, and the effects created with it.
private final class OwnedObject<Value: AnyObject> {
  private var object: Value?
  private var effects: [any Cancellable] = []

  func object(_ make: () -> Value) -> Value {
    if let object { return object }
    // The initializer's reads aren't dependencies of the body, and its effects don't belong to it.
    let made = Node.withoutReader { Owner.collect(into: &effects, make) }
    object = made
    return made
  }

  deinit { for effect in effects { effect.cancel() } }
}
