/// What is done with the draft of a `@DraftObject`: `$book.title` is a binding, `$book.commit()` writes.
///
/// A binding knows what is wrong with its property and with what is embedded there, so that a ``TextField`` shows it
/// beside itself: from when the property was changed, or a commit refused. One that leads on, to a property of what is
/// embedded, to an element or to what an optional holds, knows what is wrong there: `Binding($order.address)?.city`.
/// A computed property has no errors of its own: what is wrong stands beside the stored properties that it is made of.
/// What is typed into a ``TextField`` of a stored property and is no value is wrong with the draft, too.
@dynamicMemberLookup
public struct DraftBindings<Value: Object> {
  /// The draft itself.
  public let draft: Draft<Value>

  /// A binding to a property of the draft.
  public subscript<Member>(
    dynamicMember path: ReferenceWritableKeyPath<Value, Member>
  ) -> Binding<Member> {
    let draft = draft
    let check = DraftCheck(draft.core, path) { draft.name(of: path) }
    return ObjectBindings(object: draft.object)[dynamicMember: path].checked(by: check)
  }

  /// Whether anything is changed; a read is a dependency.
  public var isDirty: Bool { draft.isDirty }

  /// Whether a property is changed; a read is a dependency.
  public func isDirty<Member: Equatable>(_ path: KeyPath<Value, Member>) -> Bool {
    draft.isDirty(path)
  }

  /// The changed properties; a read is a dependency.
  public var changes: [ObjectChange.Property] { draft.changes }

  /// What is wrong; a read is a dependency.
  public var errors: [FieldError] { draft.errors }

  /// Whether nothing is wrong; a read is a dependency.
  public var isValid: Bool { draft.isValid }

  /// What was changed in the draft, and otherwise meanwhile; a read is a dependency.
  public var conflicts: [DraftConflict] { draft.conflicts }

  /// Writes what was changed, as ``Draft/commit(resolving:)`` does; the answer is the stored object.
  @discardableResult
  public func commit(
    resolving resolve: (DraftConflict) throws -> ConflictPolicy = { _ in .fail }
  ) throws -> Value {
    try draft.commit(resolving: resolve)
  }

  /// Drops what was changed.
  public func discard() { draft.discard() }
}
