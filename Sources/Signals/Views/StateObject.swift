/// An object that a view makes and owns: made once for its identity, when it is first read, and released
/// with it.
///
/// The effects that its initializer makes live as long as it does.
///
/// ```swift
/// struct Meeting: View {
///   @StateObject var timer = MeetingTimer()
/// }
/// ```
@propertyWrapper
public struct StateObject<Value: AnyObject>: DynamicProperty {
  private let make: () -> Value
  private let unbound = OwnedObject<Value>()
  private var bound: OwnedObject<Value>?

  /// Creates the wrapper; `wrappedValue` is evaluated once, when the object is first read.
  public init(wrappedValue: @autoclosure @escaping () -> Value) { make = wrappedValue }

  /// Binds the wrapper to the object kept for a view; the host calls it before each body.
  public mutating func bind(to slot: Slot) { bound = slot.value { OwnedObject() } }

  /// The object.
  public var wrappedValue: Value { (bound ?? unbound).object(make) }

  /// Bindings to the properties of the object.
  public var projectedValue: ObjectBindings<Value> { ObjectBindings(object: wrappedValue) }
}

extension StateObject: ComparableInput {
  // The slot keeps the object; what a parent passes again is never evaluated.
  func isSameInput(as other: StateObject) -> Bool { true }
}

/// What a `@StateObject` keeps: the object once it was made, and the effects made with it.
private final class OwnedObject<Value: AnyObject> {
  private var object: Value?
  private var effects: [any Cancellable] = []

  func object(_ make: () -> Value) -> Value {
    if let object { return object }
    // What the initializer reads is nobody's dependency, and what it makes is not the body's.
    let made = Node.withoutReader { Owner.collect(into: &effects, make) }
    object = made
    return made
  }

  deinit { for effect in effects { effect.cancel() } }
}
