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

  /// Returns the comparison of a type that isn't `Equatable`: a `Result` is compared, if its success
  /// can be, and all other values are different.
  @usableFromInline
  static func ofOutcomes<Value>(_ type: Value.Type) -> (Value, Value) -> Bool {
    guard let outcome = type as? any ComparableOutcome.Type else { return { _, _ in false } }
    return { outcome.areEqual($0, $1) }
  }

  /// Returns whether two errors can't be told apart.
  ///
  /// Errors are equal if they are of one type and equal by `==`, or are one class instance. Errors
  /// of a type that isn't `Equatable` are different.
  ///
  /// The parameters are cast again: in generic code, an error may be an `any Error` in another one.
  static func areEqualErrors(_ one: Any, _ other: Any) -> Bool {
    guard let one = one as? any Error, let other = other as? any Error,
      type(of: one) == type(of: other)
    else { return false }
    if let one = one as? any Equatable { return haveEqualValues(one, other) }
    return one.identity.map { $0 == other.identity } ?? false
  }

  private static func haveEqualValues<Value: Equatable>(_ one: Value, _ other: Any) -> Bool {
    (other as? Value).map { areEqual(one, $0) } ?? false
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

/// An outcome of a throwing computation, or an optional one, that may not be `Equatable`.
private protocol ComparableOutcome {
  static func areEqual(_ one: Any, _ other: Any) -> Bool
}

extension Result: ComparableOutcome where Success: Equatable {
  fileprivate static func areEqual(_ one: Any, _ other: Any) -> Bool {
    switch (one as? Result, other as? Result) {
    case (.success(let one), .success(let other)): ValueEquality.areEqual(one, other)
    case (.failure(let one), .failure(let other)): ValueEquality.areEqualErrors(one, other)
    default: false
    }
  }
}

extension Optional: ComparableOutcome where Wrapped: ComparableOutcome {
  fileprivate static func areEqual(_ one: Any, _ other: Any) -> Bool {
    switch (one as? Wrapped, other as? Wrapped) {
    case (let one?, let other?): Wrapped.areEqual(one, other)
    case (nil, nil): true
    default: false
    }
  }
}

extension Error {
  /// The identity of a class instance; nil for other errors.
  fileprivate var identity: ObjectIdentifier? {
    type(of: self) is AnyClass ? ObjectIdentifier(self as AnyObject) : nil
  }
}
