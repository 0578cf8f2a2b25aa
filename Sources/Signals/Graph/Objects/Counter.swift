public import CSignalsThread

/// A field that is a sum: what is changed side by side adds up.
///
/// It behaves as a ``Field``, but that two changes of it that were made from one value are no conflict. The *difference*
/// of each counts:
///
/// - An undo or redo beside other writers adds the inverse of what the step added.
/// - ``Store/apply(_:undoable:onConflict:)`` adds what the change set added, so that a change set that is applied twice
///   adds twice; and so does a draft that is committed after somebody else has written.
///
/// A sum that is no value of the type is a conflict with the reason ``ChangeConflict/Reason-swift.enum/outOfRange``. It is
/// checked for fixed-width integers, and for floating-point numbers, which it must leave finite; another type must be able
/// to represent the sums that come up.
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
public struct Counter<Value: FieldValue & AdditiveArithmetic>: StoredFieldProperty {
  /// What the storage holds now.
  public var stored: Value

  /// Creates a sum with its default.
  @inlinable public init(wrappedValue: Value) { stored = wrappedValue }

  /// Whether writing one value over the other changes nothing.
  @inlinable public static func isSame(_ old: Value, _ new: Value) -> Bool {
    Sameness.areSame(old, new)
  }

  /// What the property means to the graph.
  @inlinable public static var role: PropertyRole { .field }

  /// Only properties of ``Object`` subclasses can be wrapped.
  @available(*, unavailable, message: "@Counter is for properties of Object subclasses")
  public var wrappedValue: Value {
    get { fatalError("unavailable") }
    set { fatalError("unavailable") }
  }

  /// Reads and writes the property; Swift calls this for `book.title`.
  @inlinable
  public static subscript<Owner: Object>(
    _enclosingInstance owner: Owner,
    wrapped wrapped: ReferenceWritableKeyPath<Owner, Value>,
    storage storage: ReferenceWritableKeyPath<Owner, Self>
  ) -> Value {
    @inline(__always) get {
      if unsafe _fastPath(signals_reader() == nil) { return owner[keyPath: storage].stored }
      return unsafe owner.trackedRead(
        Self.self,
        at: Object.offset(
          of: withUnsafeMutablePointer(to: &owner[keyPath: storage]) { unsafe $0 }, in: owner)
      ) { wrapped }
    }
    @inline(__always) set {
      // Here and not in `replace`: to hand the storage on, the compiler retains the object.
      if owner.isUnattended {
        if signals_is_changing_property() {
          unsafe owner.refuseIfChanging(
            withUnsafeMutablePointer(to: &owner[keyPath: storage]) { unsafe $0 })
        }
        _ = owner[keyPath: storage].exchange(newValue)
      } else {
        unsafe owner.replace(
          withUnsafeMutablePointer(to: &owner[keyPath: storage]) { unsafe $0 }, with: newValue)
      }
    }
    @inline(__always) _modify {
      let mutation = unsafe PropertyMutation(
        owner, withUnsafeMutablePointer(to: &owner[keyPath: storage]) { unsafe $0 })
      defer { unsafe mutation.end(owner) }
      yield unsafe &mutation.value.pointee
    }
  }
}

extension Counter: MergingProperty {
  static func merging(from old: Value, to new: Value, into present: Value) -> Value? {
    if let present = present as? any FixedWidthInteger {
      func open<Number: FixedWidthInteger>(_ present: Number) -> Value? {
        guard let old = old as? Number, let new = new as? Number else { return nil }
        let (sum, isOver) = present.addingReportingOverflow(new)
        let (result, isUnder) = sum.subtractingReportingOverflow(old)
        // One wraps around upwards and the other down, or neither does.
        return isOver == isUnder ? result as? Value : nil
      }
      return open(present)
    }
    let result = present + (new - old)
    guard let number = result as? any FloatingPoint else { return result }
    return number.isFinite ? result : nil
  }
}
