// Whether a child view's inputs are the same as last time, so that its body need not run.

extension FieldTable {
  /// Compares two values of the type field by field.
  ///
  /// Equatable fields are compared with `==`, references by identity, and wrappers by what they
  /// refer to. Any other field counts as different, closures in particular.
  func isSame<Whole>(_ lhs: Whole, _ rhs: Whole) -> Bool {
    UncheckedPointer.reading(lhs) { left in
      UncheckedPointer.reading(rhs) { right in
        inputs.allSatisfy { $0.isSame(left.untyped(), right.untyped()) }
      }
    }
  }

  /// Returns the inputs in which two values of the type differ.
  func differences<Whole>(_ lhs: Whole, _ rhs: Whole) -> [Input] {
    UncheckedPointer.reading(lhs) { left in
      UncheckedPointer.reading(rhs) { right in
        inputs.filter { !$0.isSame(left.untyped(), right.untyped()) }
      }
    }
  }
}

extension FieldTable.Input {
  /// Compares the field in two values, which are of the type that has it.
  @inline(__always)
  fileprivate func isSame(_ left: UntypedPointer, _ right: UntypedPointer) -> Bool {
    comparison.answer(left.untyped(at: offset), right.untyped(at: offset))
  }
}

extension FieldTables {
  /// Compares two values of any type: with `==` if it is equatable, by identity for references,
  /// else field by field.
  func isSame<Whole>(_ lhs: Whole, _ rhs: Whole) -> Bool {
    if !(Whole.self is AnyClass), let left = lhs as? any Equatable {
      return InputComparison.isEqual(left, rhs)
    }
    return table(of: Whole.self).isSame(lhs, rhs)
  }
}

/// A wrapper that can be compared with another one of its type as an input.
protocol ComparableInput {
  func isSameInput(as other: Self) -> Bool
}

/// Compares two values of one type in memory; chosen once for each field of a type.
struct InputComparison {
  fileprivate let answer: (UntypedPointer, UntypedPointer) -> Bool

  /// Returns how values of a type are compared.
  static func of(
    _ type: any Any.Type, mayLoadExistentials: Bool, in tables: FieldTables
  ) -> InputComparison {
    if type is AnyClass || (type as? any OptionalInput.Type)?.wrapsClass == true { return identity }
    if let type = type as? any ComparableInput.Type { return wrapper(type) }
    if let type = type as? any Equatable.Type { return equality(type) }
    if let type = type as? any DynamicProperty.Type { return fields(type, tables) }
    return mayLoadExistentials ? dynamic(type) : different
  }

  private static var different: InputComparison { InputComparison { _, _ in false } }

  // A reference is one word, and only that word is compared. The object it refers to isn't touched,
  // so this works for weak and unowned references too. A weak reference keeps its word as long as
  // its object lives.
  private static var identity: InputComparison {
    InputComparison { unsafe $0.field(as: UInt.self).pointee == $1.field(as: UInt.self).pointee }
  }

  private static func wrapper<Field: ComparableInput>(_ type: Field.Type) -> InputComparison {
    InputComparison {
      unsafe $0.field(as: type).pointee.isSameInput(as: $1.field(as: type).pointee)
    }
  }

  private static func equality<Field: Equatable>(_ type: Field.Type) -> InputComparison {
    InputComparison {
      unsafe $0.field(as: type).pointee == $1.field(as: type).pointee
    }
  }

  /// A user-defined wrapper is compared field by field.
  private static func fields<Field: DynamicProperty>(
    _ type: Field.Type, _ tables: FieldTables
  ) -> InputComparison {
    InputComparison { [unowned tables] in
      unsafe tables.table(of: type).isSame(
        $0.field(as: type).pointee, $1.field(as: type).pointee)
    }
  }

  /// An existential's value may be a reference or equatable even if its static type isn't, so this
  /// decides for each value.
  private static func dynamic(_ type: any Any.Type) -> InputComparison {
    func make<Field>(_ type: Field.Type) -> InputComparison {
      InputComparison { left, right in
        let left: Any = unsafe left.field(as: type).pointee
        let right: Any = unsafe right.field(as: type).pointee
        if Swift.type(of: left) is AnyClass, Swift.type(of: right) is AnyClass {
          return left as AnyObject === right as AnyObject
        }
        return (left as? any Equatable).map { isEqual($0, right) } ?? false
      }
    }
    return _openExistential(type, do: make)
  }

  fileprivate static func isEqual<Value: Equatable>(_ left: Value, _ right: Any) -> Bool {
    (right as? Value).map { left == $0 } ?? false
  }
}

/// An optional of any type.
private protocol OptionalInput {
  static var wrapsClass: Bool { get }
}

extension Optional: OptionalInput {
  fileprivate static var wrapsClass: Bool { Wrapped.self is AnyClass }
}
