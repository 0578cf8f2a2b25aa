/// Edits a detached copy of an object, and commits what was changed, or nothing.
///
/// - ``object`` is a plain unstored instance of the same class, with copies of all that the object embeds;
///   links lead to the stored objects. Bindings, wrappers and effects work on it as on any other.
/// - What is changed is known at any time, and observable: ``isDirty``, ``isDirty(_:)``, ``changes``; so is
///   what is wrong, if the class is ``Validating``: ``errors``, ``isValid``.
/// - ``commit(resolving:)`` writes only that, in one transaction, after a three-way comparison with what
///   became of the object meanwhile. ``discard()`` drops it.
/// - A draft follows nothing by itself: what others commit shows in it after a commit or discard.
///
/// Don't add ``object`` to a store. The draft keeps its store and the object that it was made of; when it
/// goes, links by which the copy leads back to itself are cleared.
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

  /// The stored object that the draft is of; nil for a new one until it was committed.
  public var original: Element? { core.original.map { List<Element>.typed($0) } }

  /// Whether anything is changed; a read is a dependency.
  ///
  /// O(properties of the object and of what it embeds).
  public var isDirty: Bool { core.isDirty }

  /// Whether the value at a key path is changed; a read is a dependency.
  ///
  /// The path may lead into what the object embeds, and be computed. An embedded object is changed if
  /// anything in it is; another object only if the link leads to another.
  public func isDirty<Value: Equatable>(_ path: KeyPath<Element, Value>) -> Bool {
    let base = List<Element>.typed(core.trackedBaseline)
    return core.differs(object[keyPath: path], base[keyPath: path])
  }

  /// The changed properties, with their values before and now; a read is a dependency.
  ///
  /// Those of embedded objects are named by their path: `address.city`, `lines[2].amount`. A link is an
  /// `ObjectID?`, a list an `[ObjectID]`, of the stored objects where there are any.
  public var changes: [ObjectChange.Property] { core.changes }

  /// What was changed in the draft, and otherwise meanwhile, so that a commit has to decide; a read is a
  /// dependency, also on the stored object.
  ///
  /// A form can show it beside the fields, and ask before it commits with what was answered:
  ///
  /// ```swift
  /// for conflict in draft.conflicts { Text("\(conflict.property) became \(conflict.theirs ?? "nil")") }
  /// ```
  public var conflicts: [DraftConflict] { core.conflicts }

  /// Drops what was changed: the draft shows the object as it is now.
  public func discard() { core.discard() }

  /// Writes what was changed, and nothing else, as one transaction; the answer is the stored object.
  ///
  /// A property that was also changed otherwise since the draft was made is a conflict, unless to the
  /// same value: `resolve` decides, and by default the commit throws: with `.mine` the draft's value is written, with `.theirs` the
  /// present one stays. Two edits of a list in different
  /// places, or at one place that each inserts at, are no conflict: both are kept; what both removed is removed once,
  /// and a new member that both added is added once. What was changed in an embedded object that is gone meanwhile is
  /// a conflict of the property that owned it. A ``Counter`` is given the difference that the draft made.
  ///
  /// Then the draft starts again from the object as it is; if the commit throws, or a transaction around
  /// it later, the draft is as it was, with what was edited in between.
  ///
  /// A link whose object was deleted meanwhile is no conflict: what was chosen here in its place counts.
  ///
  /// Throws ``InvalidDraftError`` if there are ``errors``, before anything else is looked at, and if the object would not be
  /// valid with what others have written; ``StoreError/draftOfDeleted(_:)``, ``StoreError/draftConflict(_:mine:theirs:)``,
  /// ``StoreError/primaryKeyIsFixed(_:key:)``, what `resolve` throws, and what refuses a write or an
  /// `add` of what is new.
  @discardableResult
  public func commit(
    resolving resolve: (DraftConflict) throws -> ConflictPolicy = { _ in .fail }
  ) throws -> Element {
    List<Element>.typed(try core.commit(resolve))
  }

  /// A property of the copy.
  public subscript<Value>(dynamicMember path: KeyPath<Element, Value>) -> Value {
    object[keyPath: path]
  }

  /// A property of the copy.
  public subscript<Value>(dynamicMember path: ReferenceWritableKeyPath<Element, Value>) -> Value {
    get { object[keyPath: path] }
    set { object[keyPath: path] = newValue }
  }
}

extension Store {
  /// A draft of a stored object; see ``Draft``.
  ///
  /// O(properties of the object and of what it embeds). Committing the draft of an object that is not
  /// in this store throws ``StoreError/notInStore(_:)``.
  public func draft<Element: Object>(of object: Element) -> Draft<Element> {
    Draft(DraftCore(self, of: object))
  }

  /// A draft of a new object, which is added when the draft is committed; see ``Draft``.
  ///
  /// It starts with the defaults of the class; `changes` and `isDirty` compare with those.
  public func draft<Element: Object>(_ type: Element.Type) -> Draft<Element> {
    draft(new: type.init())
  }

  /// A draft of a new object with the values of an unstored one, which is the copy that is edited; a copy of that is
  /// added when the draft is committed; see ``Draft``.
  ///
  /// `changes` and `isDirty` compare with the values that it has now. The object must not be stored: use
  /// ``draft(of:)`` for one that is, and don't add it to a store yourself. Both are traps.
  public func draft<Element: Object>(new object: Element) -> Draft<Element> {
    if unsafe object.extent != nil {
      trap("\(StoreError.Subject(object)) is stored, and no new object: use draft(of:)")
    }
    return Draft(DraftCore(self, new: object))
  }
}

/// A property that was changed in a draft, and otherwise meanwhile.
public struct DraftConflict: Sendable {
  /// The stored object: the draft's, or one that it embeds.
  public let id: ObjectID
  /// The property, by its path from the draft's object: `address.city`.
  public let property: String
  /// The value when the draft was made.
  public let base: (any FieldValue)?
  /// The value in the draft; links and lists are `ObjectID`s.
  public let mine: (any FieldValue)?
  /// The present value in the store.
  public let theirs: (any FieldValue)?
}
