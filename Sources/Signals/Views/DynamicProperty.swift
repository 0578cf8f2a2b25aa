// Property wrappers that live in a view.
//
// A view is a value, made again whenever its parent is evaluated; what it must keep lives in slots of its
// scope. Before each body the host copies the view and binds every wrapper in the copy to its slot, found
// by the wrapper's offset in the value. Closures capture the copy, and so keep writing to the right scope.

/// A property of a view that the host binds to what it keeps for the view.
///
/// ``State``, ``Environment`` and their siblings conform. A struct of yours that holds some of them
/// conforms without writing anything, and is bound through:
///
/// ```swift
/// struct Search: DynamicProperty {
///   @State var query = ""
///   @ObservedResults(Book.self) var books
/// }
/// ```
public protocol DynamicProperty {
  /// Binds the property to a slot before a body is evaluated; you don't call this.
  mutating func bind(to slot: Slot)
}

extension DynamicProperty {
  /// Binds the dynamic properties that this one holds.
  public mutating func bind(to slot: Slot) {
    slot.bindFields(of: &self)
  }
}

/// Where a scope keeps what one dynamic property of its view needs.
public struct Slot {
  let scope: Scope
  /// The byte offset of the property in the view.
  let offset: Int

  /// The property as messages call it: `Search.query`.
  var name: String? { scope.nameOfField(at: offset) }

  /// What the slot holds, made the first time.
  func value<Value: AnyObject>(_ make: () -> Value) -> Value {
    if let value = scope.slots[offset] as? Value { return value }
    let value = make()
    scope.slots[offset] = value
    return value
  }

  /// Binds the wrappers among the stored fields of a value.
  func bindFields<Whole>(of whole: inout Whole) {
    bind(scope.host.fields.table(of: Whole.self).wrappers, in: &whole)
  }

  func bind<Whole>(_ wrappers: [FieldTable.Wrapper], in whole: inout Whole) {
    guard !wrappers.isEmpty else { return }
    unsafe withUnsafeMutablePointer(to: &whole) { pointer in
      for wrapper in wrappers {
        let address = unsafe UnsafeMutableRawPointer(pointer) + wrapper.offset
        let slot = Slot(scope: scope, offset: offset + wrapper.offset)
        unsafe Slot.bind(wrapper.type, at: address, to: slot)
      }
    }
  }

  private static func bind<Property: DynamicProperty>(
    _ type: Property.Type, at address: UnsafeMutableRawPointer, to slot: Slot
  ) {
    unsafe address.assumingMemoryBound(to: Property.self).pointee.bind(to: slot)
  }
}
