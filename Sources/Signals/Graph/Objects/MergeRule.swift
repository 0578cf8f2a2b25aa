// How two concurrent changes of one field merge. Undo, change sets and drafts use this.

/// A field with a merge rule: concurrent changes of it don't conflict.
protocol MergingProperty: StoredFieldProperty {
  /// Applies the change from `old` to `new` to the current value.
  ///
  /// - Returns: The value with both changes, or `nil` if the type has no such value.
  static func merging(from old: Value, to new: Value, into present: Value) -> Value?
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
    (type as? any MergingProperty.Type)?.outcome(from: old, to: new, into: present) ?? .noRule
  }

  /// Whether the property has a merge rule.
  var merges: Bool { type is any MergingProperty.Type }
}

extension MergingProperty {
  fileprivate static func outcome(from old: Any, to new: Any, into present: Any) -> MergeOutcome {
    guard let old = old as? Value, let new = new as? Value, let present = present as? Value else {
      return .noRule
    }
    return merging(from: old, to: new, into: present).map { .merged($0) } ?? .outOfRange
  }
}
