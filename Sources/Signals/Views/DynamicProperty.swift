// Property wrappers that live in a view.
//
// A view is a value, made again whenever its parent is evaluated; what it must keep lives in slots of its
// scope. Before each body the host copies the view and binds every wrapper in the copy to its slot, found
// by the wrapper's offset in the value. Closures capture the copy, and so keep writing to the right scope.

@_spi(Reflection) private import Swift

/// A property of a view that the host binds to what it keeps for the view.
///
/// ``State``, ``Environment`` and their siblings conform. A struct of yours that holds some of them
/// conforms without writing anything, and is bound through.
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

  /// What the slot holds, made the first time.
  func value<Value: AnyObject>(_ make: () -> Value) -> Value {
    if let value = scope.slots[offset] as? Value { return value }
    let value = make()
    scope.slots[offset] = value
    return value
  }

  func bindFields<Whole>(of whole: inout Whole) {
    let fields = scope.host.fields.table(of: Whole.self)
    guard !fields.isEmpty else { return }
    unsafe withUnsafeMutablePointer(to: &whole) { pointer in
      for field in fields {
        guard let type = field.dynamic else { continue }
        let address = unsafe UnsafeMutableRawPointer(pointer) + field.offset
        unsafe Slot.bind(type, at: address, to: Slot(scope: scope, offset: offset + field.offset))
      }
    }
  }

  private static func bind<Property: DynamicProperty>(
    _ type: Property.Type, at address: UnsafeMutableRawPointer, to slot: Slot
  ) {
    unsafe address.assumingMemoryBound(to: Property.self).pointee.bind(to: slot)
  }
}

/// The stored fields of the view types that a host has met, read once for each.
final class FieldTables {
  struct Field {
    let offset: Int
    let type: any Any.Type
    let dynamic: (any DynamicProperty.Type)?
  }

  private var tables: [ObjectIdentifier: [Field]] = [:]

  func table<Whole>(of type: Whole.Type) -> [Field] {
    if let table = tables[ObjectIdentifier(type)] { return table }
    var fields: [Field] = []
    // A class is a reference: what it holds is its own.
    if !(type is AnyClass) {
      _ = unsafe _forEachField(of: type, options: []) { _, offset, fieldType, _ in
        fields.append(
          Field(offset: offset, type: fieldType, dynamic: fieldType as? any DynamicProperty.Type))
        return true
      }
    }
    tables[ObjectIdentifier(type)] = fields
    return fields
  }
}
