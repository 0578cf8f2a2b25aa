/// Bindings to the properties of a `@DraftObject`, and its operations: `$book.title`,
/// `$book.commit()`.
///
/// - A binding reports the errors of its property and of the objects embedded there, so that a
///   ``TextField`` shows them. It reports them once the property has been changed or a commit
///   refused.
/// - A derived binding, for a property of an embedded object, an element or an optional's value,
///   reports the errors of that part: `Binding($order.address)?.city`.
/// - A computed property has no errors. They are shown beside the stored properties that it is
///   computed from.
/// - Text in the ``TextField`` of a stored property that can't be parsed is an error of the draft,
///   too.
@dynamicMemberLookup
public struct DraftBindings<Value: Object> {
  /// The draft.
  public let draft: Draft<Value>

  /// A binding to a property of the draft.
  public subscript<Member>(
    dynamicMember path: ReferenceWritableKeyPath<Value, Member>
  ) -> Binding<Member> {
    let draft = draft
    let check = DraftCheck(draft.core, property: path) { draft.name(of: path) }
    return ObjectBindings(object: draft.object)[dynamicMember: path].checked(by: check)
  }

  /// Whether the draft has changes.
  ///
  /// Reads are tracked.
  public var isDirty: Bool { draft.isDirty }

  /// Returns whether a property is changed.
  ///
  /// Reads are tracked.
  ///
  /// - Parameter path: A key path to the property.
  /// - Returns: Whether the value of the property is changed.
  public func isDirty<Member: Equatable>(_ path: KeyPath<Value, Member>) -> Bool {
    draft.isDirty(path)
  }

  /// The changed properties.
  ///
  /// Reads are tracked.
  public var changes: [ObjectChange.Property] { draft.changes }

  /// The errors of the draft.
  ///
  /// Reads are tracked.
  public var errors: [FieldError] { draft.errors }

  /// Whether the draft has no errors.
  ///
  /// Reads are tracked.
  public var isValid: Bool { draft.isValid }

  /// The properties changed in the draft, and since then to another value in the store.
  ///
  /// Reads are tracked.
  public var conflicts: [DraftConflict] { draft.conflicts }

  /// Writes the changes to the store, as ``Draft/commit(resolving:)`` does.
  ///
  /// - Returns: The stored object.
  /// - Throws: The errors of ``Draft/commit(resolving:)``.
  @discardableResult
  public func commit(
    resolving resolve: (DraftConflict) throws -> ConflictPolicy = { _ in .fail }
  ) throws -> Value {
    try draft.commit(resolving: resolve)
  }

  /// Drops the changes.
  public func discard() { draft.discard() }
}
