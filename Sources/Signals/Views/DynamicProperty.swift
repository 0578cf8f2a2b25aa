// Property wrappers of views.
//
// A view is a value that is created again whenever its parent is evaluated. Values that it must
// keep live in slots of its scope. Before each body the host copies the view and binds every
// wrapper in the copy to its slot, which is found by the wrapper's offset in the value. Closures
// capture the copy and so write to the right scope.

/// A property of a view that the host binds to a value kept for the view.
///
/// ``State``, ``Environment`` and the other wrappers conform. A struct that contains some of them
/// conforms too, and its properties are bound:
///
/// ```swift
/// struct Search: DynamicProperty {
///   @State var query = ""
///   @ObservedResults(Book.self) var books
/// }
/// ```
public protocol DynamicProperty {}

/// A wrapper of the library, which is bound itself.
protocol BoundProperty: DynamicProperty {
  /// Binds the property to a slot before a body is evaluated.
  mutating func bind(to slot: ViewSlot)
}

/// The place where a scope keeps the value of one dynamic property of its view.
struct ViewSlot {
  let scope: Scope
  /// The byte offset of the property in the view.
  let offset: Int

  /// The name of the property in messages: `Search.query`.
  var name: String? { scope.nameOfField(at: offset) }

  /// The value in the slot, made at the first call.
  func value<Value: AnyObject>(_ make: () -> Value) -> Value {
    if let value = scope.slots[offset] as? Value { return value }
    let value = make()
    scope.slots[offset] = value
    return value
  }

  /// Binds the wrappers among the stored properties of a value.
  func bindFields<Whole>(of whole: inout Whole) {
    bind(scope.host.fields.table(of: Whole.self).wrappers, in: &whole)
  }

  func bind<Whole>(_ wrappers: [FieldTable.Wrapper], in whole: inout Whole) {
    guard !wrappers.isEmpty else { return }
    UncheckedPointer.with(&whole) { pointer in
      for wrapper in wrappers {
        let address = pointer.untyped(at: wrapper.offset)
        let slot = ViewSlot(scope: scope, offset: offset + wrapper.offset)
        if let bound = wrapper.bound {
          ViewSlot.bind(bound, at: address, to: slot)
        } else {
          ViewSlot.bindFields(of: wrapper.type, at: address, to: slot)
        }
      }
    }
  }

  private static func bind<Property: BoundProperty>(
    _ type: Property.Type, at address: UntypedPointer, to slot: ViewSlot
  ) {
    unsafe address.field(as: Property.self).pointee.bind(to: slot)
  }

  private static func bindFields<Property: DynamicProperty>(
    of type: Property.Type, at address: UntypedPointer, to slot: ViewSlot
  ) {
    unsafe slot.bindFields(of: &address.field(as: Property.self).pointee)
  }
}
