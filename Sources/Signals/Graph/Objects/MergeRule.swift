// How two concurrent changes of one field merge. Undo, change sets and drafts use this.

/// The rule by which concurrent changes of a property merge.
package enum MergeRule: Sendable {
  /// The changes conflict.
  case lastWriter
  /// The differences that the changes make are added.
  case adding
  /// The larger value is kept.
  case maximum
}

/// A field with a merge rule other than ``MergeRule/lastWriter``: concurrent changes of it don't
/// conflict.
package protocol MergingProperty: FieldStorage {
  /// The rule of the property.
  static var rule: MergeRule { get }

  /// Applies the change from `old` to `new` to the current value.
  ///
  /// - Returns: The value with both changes, or `nil` if the type has no such value.
  static func merging(from old: Value, to new: Value, into present: Value) -> Value?
}

/// A field whose concurrent changes add up.
package protocol AddingProperty: MergingProperty where Value: AdditiveArithmetic {}

extension AddingProperty {
  package static var rule: MergeRule { .adding }
}

/// A field whose concurrent changes keep the larger value.
package protocol MaximumProperty: MergingProperty where Value: Comparable {}

extension MaximumProperty {
  package static var rule: MergeRule { .maximum }

  package static func merging(from old: Value, to new: Value, into present: Value) -> Value? {
    max(present, new)
  }
}

/// The result of merging two changes of one property.
enum MergeOutcome {
  case merged(Any)
  /// The property has a rule, but the merged value is out of its type's range.
  case outOfRange
  /// The property has no rule, so the two changes conflict.
  case noRule
}

extension Property {
  /// Applies the change from `old` to `new` to the current value, if the property has a merge rule.
  func merging(from old: Any, to new: Any, into present: Any) -> MergeOutcome {
    mergingType?.outcome(from: old, to: new, into: present) ?? .noRule
  }

  /// The rule by which concurrent changes of the property merge.
  package var mergeRule: MergeRule { mergingType?.rule ?? .lastWriter }
}

extension MergingProperty {
  fileprivate static func outcome(from old: Any, to new: Any, into present: Any) -> MergeOutcome {
    guard let old = old as? Value, let new = new as? Value, let present = present as? Value else {
      return .noRule
    }
    return merging(from: old, to: new, into: present).map { .merged($0) } ?? .outOfRange
  }
}
