// Whether a child view's inputs are the same as last time, so that its body need not run.

extension FieldTables {
  /// Compares two values of a view field by field: `==` where equatable, identity for references, and
  /// what a wrapper stands for; anything else counts as different.
  func isSame<Whole>(_ lhs: Whole, _ rhs: Whole) -> Bool {
    let fields = table(of: Whole.self)
    return unsafe withUnsafePointer(to: lhs) { left in
      unsafe withUnsafePointer(to: rhs) { right in
        fields.allSatisfy { field in
          unsafe FieldTables.isSame(
            field.type, UnsafeRawPointer(left) + field.offset,
            UnsafeRawPointer(right) + field.offset)
        }
      }
    }
  }

  private static func isSame(
    _ type: any Any.Type, _ left: UnsafeRawPointer, _ right: UnsafeRawPointer
  ) -> Bool {
    func compare<Field>(_ type: Field.Type) -> Bool {
      let left = unsafe left.assumingMemoryBound(to: Field.self).pointee
      let right = unsafe right.assumingMemoryBound(to: Field.self).pointee
      if let left = left as? any ComparableInput { return left.isSameInput(as: right) }
      if type is AnyClass { return (left as AnyObject) === (right as AnyObject) }
      if let left = left as? any Equatable { return isEqual(left, right) }
      return false
    }
    return _openExistential(type, do: compare)
  }

  private static func isEqual<Value: Equatable>(_ left: Value, _ right: Any) -> Bool {
    (right as? Value).map { left == $0 } ?? false
  }
}

/// A wrapper that knows whether another stands for the same.
protocol ComparableInput {
  func isSameInput(as other: Any) -> Bool
}
