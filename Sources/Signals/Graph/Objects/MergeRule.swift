// How a field takes two changes of it that were made side by side: undo, change sets and drafts ask.

/// A field whose changes merge by a rule of its own, where another would be a conflict.
protocol MergingProperty: StoredFieldProperty {
  /// Makes the change from one value to another where a third one stands by now.
  ///
  /// - Returns: The value that has both changes; nil if there is no such value of the type.
  static func merging(from old: Value, to new: Value, into present: Value) -> Value?
}

/// What became of two changes of one property.
enum MergeOutcome {
  case merged(Any)
  /// There is a rule, and what it comes to is no value of the type.
  case outOfRange
  /// The property has no rule: both changes are a conflict.
  case noRule
}

extension Property {
  /// Makes the change from one value to another where a third one stands by now, if the property has a rule for that.
  func merging(from old: Any, to new: Any, into present: Any) -> MergeOutcome {
    func open<P: MergingProperty>(_ type: P.Type) -> MergeOutcome {
      guard let old = old as? P.Value, let new = new as? P.Value, let present = present as? P.Value
      else { return .noRule }
      return P.merging(from: old, to: new, into: present).map { .merged($0) } ?? .outOfRange
    }
    return (type as? any MergingProperty.Type).map { open($0) } ?? .noRule
  }

  /// Whether changes of the property merge by a rule of its own.
  var merges: Bool { type is any MergingProperty.Type }
}
