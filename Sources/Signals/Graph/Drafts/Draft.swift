/// Edits a detached copy of an object, and commits all of its changes in one transaction or none.
///
/// - ``object`` is an unstored instance of the same class, with copies of the objects that the
///   original embeds. Its links lead to the stored objects. Bindings, wrappers and effects work
///   with it as with any other object.
/// - The changes are known at any time and observable: ``isDirty``, ``isDirty(_:)``, ``changes``.
///   So are the validation errors, if the class is ``Validating``: ``errors``, ``isValid``.
/// - ``commit(resolving:)`` writes only the changes, after a three-way comparison with the current
///   state of the object. ``discard()`` drops them.
/// - A draft doesn't follow the stored object. Changes that others commit appear in it after a
///   commit or discard.
///
/// Don't add ``object`` to a store. The draft retains its store and the original object. When the
/// draft is deallocated, links by which the copy refers back to itself are cleared.
///
/// ```swift
/// let draft = store.draft(of: book)
/// draft.title = "Neuromancer"
/// draft.isDirty(\.title)  // true
/// try draft.commit()
/// ```
@dynamicMemberLookup
public final class Draft<Element: Object> {
  /// The copy that is edited.
  public let object: Element
  let core: DraftCore

  init(_ core: DraftCore) {
    self.core = core
    object = List<Element>.typed(core.root)
  }

  /// The stored object of the draft; nil for a new object that isn't committed yet.
  public var original: Element? { core.original.map { List<Element>.typed($0) } }

  /// Whether the draft has changes; reads are tracked.
  ///
  /// - Complexity: O(properties of the object and of the objects it embeds).
  public var isDirty: Bool { core.isDirty }

  /// Returns whether the value at a key path is changed; reads are tracked.
  ///
  /// The path may lead into embedded objects and may be computed. A link to an embedded object is
  /// changed if the link or anything in the object is. A link to another object is changed only if
  /// it leads to a different object.
  ///
  /// - Parameter path: The key path of the value.
  /// - Returns: Whether the value is changed.
  public func isDirty<Value: Equatable>(_ path: KeyPath<Element, Value>) -> Bool {
    let base = List<Element>.typed(core.trackedBaseline)
    return core.differs(object[keyPath: path], from: base[keyPath: path])
  }

  /// The changed properties with their old and new values; reads are tracked.
  ///
  /// A property of an embedded object is named by its path: `address.city`, `lines[2].amount`. A
  /// link is an `ObjectID?` and a list is an `[ObjectID]`, with the ids of the stored objects where
  /// they exist.
  public var changes: [ObjectChange.Property] { core.changes }

  /// The properties changed both in the draft and in the store, so that a commit has to choose;
  /// reads are tracked, also those of the stored object.
  ///
  /// A form can show the conflicts beside its fields, and ask the user before it commits with the
  /// answers:
  ///
  /// ```swift
  /// for conflict in draft.conflicts { Text("\(conflict.property) became \(conflict.theirs ?? "nil")") }
  /// ```
  public var conflicts: [DraftConflict] { core.conflicts }

  /// Drops the changes, so that the draft shows the object's current values.
  public func discard() { core.discard() }

  /// Writes the changes, and nothing else, in one transaction.
  ///
  /// A property that was also changed in the store since the draft was loaded is a conflict, for
  /// which `resolve` is called: `.mine` writes the draft's value, `.theirs` keeps the current
  /// value, `.fail`, the default, makes the commit throw. These aren't conflicts:
  ///
  /// - Both sides set the same value.
  /// - Both sides edited a list. All edits are kept. A new member that both added is added once. Only a member that the draft has
  ///   moved and that others have removed is a conflict.
  /// - A ``Counter`` changes by the difference that the draft made.
  /// - The target of a link was deleted in the store. The target chosen in the draft is kept.
  ///
  /// If an embedded object was changed in the draft and is gone from the store, the property that
  /// owned it is a conflict.
  ///
  /// After the commit the draft starts again from the object's current values. If the commit
  /// throws, or an enclosing transaction is rolled back later, the draft returns to its previous
  /// state, and keeps the edits made in between.
  ///
  /// - Parameter resolve: Decides about each conflict.
  /// - Returns: The stored object.
  /// - Throws: ``InvalidDraftError`` if there are ``errors``, which is checked first, or if the
  ///   object would be invalid together with changes made outside the draft.
  ///   ``StoreError/draftOfDeleted(_:)``, ``StoreError/draftConflict(_:mine:theirs:)``,
  ///   ``StoreError/primaryKeyIsFixed(_:key:)``, the errors of `resolve`, and the errors that
  ///   refuse a write or the `add` of a new object. An ``EndlessChainError`` is thrown as by
  ///   ``Store/write(label:origin:undoable:_:)``; the draft is committed then.
  @discardableResult
  public func commit(
    resolving resolve: (DraftConflict) throws -> ConflictPolicy = { _ in .fail }
  ) throws -> Element {
    List<Element>.typed(try core.commit(resolve))
  }

  /// Reads a property of ``object``.
  ///
  /// - Parameter path: The key path of the property.
  public subscript<Value>(dynamicMember path: KeyPath<Element, Value>) -> Value {
    object[keyPath: path]
  }

  /// Reads or writes a property of ``object``.
  ///
  /// - Parameter path: The key path of the property.
  public subscript<Value>(dynamicMember path: ReferenceWritableKeyPath<Element, Value>) -> Value {
    get { object[keyPath: path] }
    set { object[keyPath: path] = newValue }
  }
}

extension Store {
  /// Creates a draft of a stored object.
  ///
  /// Committing the draft throws ``StoreError/notInStore(_:)`` if the object isn't in this store.
  ///
  /// - Parameter object: The object to edit.
  /// - Returns: The draft.
  /// - Complexity: O(properties of the object and of the objects it embeds).
  public func draft<Element: Object>(of object: Element) -> Draft<Element> {
    Draft(DraftCore(self, of: object))
  }

  /// Creates a draft of a new object, which is added when the draft is committed.
  ///
  /// The draft starts with the defaults of the class; `changes` and `isDirty` compare with those.
  ///
  /// - Parameter type: The class of the new object.
  /// - Returns: The draft.
  public func draft<Element: Object>(_ type: Element.Type) -> Draft<Element> {
    draft(new: type.init())
  }

  /// Creates a draft that edits an unstored object, of which a copy is added when the draft is
  /// committed.
  ///
  /// `changes` and `isDirty` compare with the values that the object has now. Traps if the object
  /// is stored; use ``draft(of:)`` for a stored object. Don't add the object to a store yourself:
  /// committing or discarding the draft would then trap.
  ///
  /// - Parameter object: The unstored object to edit.
  /// - Returns: The draft.
  public func draft<Element: Object>(new object: Element) -> Draft<Element> {
    if object.table != nil {
      trap("\(StoreError.Subject(object)) is stored, and no new object: use draft(of:)")
    }
    return Draft(DraftCore(self, new: object))
  }
}

/// A property that was changed both in a draft and in the store.
public struct DraftConflict: Sendable {
  /// The id of the stored object: the draft's original, or one that it embeds.
  public let id: ObjectID
  /// The property, as a path from the draft's object: `address.city`.
  public let property: String
  /// The value when the draft was loaded; a link is an `ObjectID?`, a list is an `[ObjectID]`.
  public let base: (any FieldValue)?
  /// The value in the draft.
  public let mine: (any FieldValue)?
  /// The current value in the store.
  public let theirs: (any FieldValue)?
}
