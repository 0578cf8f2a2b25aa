/// A numeric field whose concurrent changes add up.
///
/// It behaves like a ``Field``, except that two changes made from the same value don't conflict.
/// Instead, the *difference* of each change is added:
///
/// - If later commits have written the field, an undo or redo adds the inverse of the difference
///   that the step made.
/// - ``Store/apply(_:undoable:onConflict:)`` adds the difference in the change set. A change set
///   that is applied twice adds twice.
/// - A draft that is committed after another write of the field adds its own difference.
///
/// A sum that the type can't represent is a conflict with the reason
/// ``ChangeConflict/Reason-swift.enum/outOfRange``. Fixed-width integers are checked for overflow,
/// and floating-point sums must be finite. Any other type must be able to represent all sums that
/// occur.
///
/// ```swift
/// final class Dish: Object {
///   @Counter var stock = 0
/// }
///
/// dish.stock = 2
/// dish.stock -= 2                                        // a sale
/// try store.write(undoable: false) { dish.stock += 5 }   // a delivery
/// try store.undo()                                       // of the sale: 7
/// ```
@propertyWrapper
@frozen
public struct Counter<Value: FieldValue & AdditiveArithmetic>: FieldStorage {
  /// The value in the storage; reading it here registers no dependency.
  public var stored: Value

  /// Creates a counter with a default value.
  ///
  /// - Parameter wrappedValue: The default value.
  @inlinable public init(wrappedValue: Value) { stored = wrappedValue }

  /// The property's role in the graph, ``PropertyRole/field``.
  @inlinable public static var role: PropertyRole { .field }

  /// Unavailable, because only properties of ``Object`` subclasses can be wrapped.
  @available(*, unavailable, message: "@Counter is for properties of Object subclasses")
  public var wrappedValue: Value {
    get { fatalError("unavailable") }
    set { fatalError("unavailable") }
  }

  /// Reads or writes the property; Swift calls this subscript for `dish.stock`.
  ///
  /// - Parameters:
  ///   - owner: The object that has the property.
  ///   - wrapped: The key path of the property.
  ///   - storage: The key path of the property's wrapper.
  @inlinable
  public static subscript<Owner: Object>(
    _enclosingInstance owner: Owner,
    wrapped wrapped: ReferenceWritableKeyPath<Owner, Value>,
    storage storage: ReferenceWritableKeyPath<Owner, Self>
  ) -> Value {
    @inline(__always) get { Object.read(owner, storage, wrapped) }
    @inline(__always) set { Object.write(newValue, to: owner, storage) }
    @inline(__always) _modify {
      let mutation = Object.mutation(of: owner, storage)
      defer { mutation.end(owner) }
      yield &mutation.value.pointee
    }
  }
}

extension Counter: AddingProperty {
  package static func merging(from old: Value, to new: Value, into present: Value) -> Value? {
    if let present = present as? any FixedWidthInteger {
      func open<Number: FixedWidthInteger>(_ present: Number) -> Value? {
        guard let old = old as? Number, let new = new as? Number else { return nil }
        let (sum, isOver) = present.addingReportingOverflow(new)
        let (result, isUnder) = sum.subtractingReportingOverflow(old)
        // In range if neither overflows, or if the overflows cancel each other.
        return isOver == isUnder ? result as? Value : nil
      }
      return open(present)
    }
    let result = present + (new - old)
    guard let number = result as? any FloatingPoint else { return result }
    return number.isFinite ? result : nil
  }
}
