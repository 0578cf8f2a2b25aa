// Equality under which NaN equals NaN.
//
// A value that contains NaN isn't equal to itself. That it isn't equal to another value then
// doesn't tell whether writing one over the other changes anything: if it counted as a change, a
// draft of an object with such a field would always conflict, and an effect that writes the field
// would never end. So the parts of two such values are compared.

@usableFromInline
package enum ValueEquality {
  /// Returns whether writing one value over the other changes nothing.
  ///
  /// - Complexity: One comparison if the values are equal, two if they differ; the second one
  ///   compares a value with itself.
  @inlinable
  @inline(__always)
  package static func areEqual<Value: Equatable>(_ one: Value, _ other: Value) -> Bool {
    if one == other { return true }
    return one == one ? false : haveEqualParts(one, other)
  }

  /// Returns whether two values are both NaN, are equal, or consist of such values.
  ///
  /// Two class instances, and values without parts, are equal only by `==`.
  @usableFromInline
  @inline(never)
  static func haveEqualParts(_ one: Any, _ other: Any) -> Bool {
    guard type(of: one) == type(of: other) else { return false }
    if isNaN(one), isNaN(other) { return true }
    if let one = one as? any Equatable, isEqual(one, to: other) { return true }
    let (mirror, otherMirror) = (Mirror(reflecting: one), Mirror(reflecting: other))
    let (parts, otherParts) = (mirror.children, otherMirror.children)
    guard mirror.displayStyle != .class, !parts.isEmpty, parts.count == otherParts.count else {
      return false
    }
    return zip(parts, otherParts).allSatisfy { part, other in
      part.label == other.label && haveEqualParts(part.value, other.value)
    }
  }

  private static func isNaN(_ value: Any) -> Bool {
    (value as? any FloatingPoint)?.isNaN ?? false
  }

  private static func isEqual<Value: Equatable>(_ one: Value, to other: Any) -> Bool {
    other as? Value == one
  }
}
