/// A draft that a view keeps: what is edited shows nowhere else until it is committed.
///
/// - The wrapped value is the copy that is edited; ``projectedValue`` has bindings to its properties,
///   what is changed and what is wrong, `commit()` and `discard()`.
/// - Given a stored object, it is a draft of that; when the parent passes another one, the draft begins anew, and
///   edits that were not committed are gone.
/// - Given a class, or an unstored object, it is a draft of a new object, made once for the view's
///   identity; after `commit()` it goes on as a draft of what was added.
/// - Given a key, it outlives a kill until it is committed or discarded: with what was typed, what a commit was refused
///   for, and what it was made from, as ``Store/draft(of:restoredAs:)`` says. It outlives the view then too: let
///   "Cancel" discard it. Without a key it ends with the view.
/// - A stored object's draft commits to the object's store, a new one's to the store around the view.
///   Outside of a view a new one needs a store of its own.
///
/// ```swift
/// struct BookForm: View {
///   @DraftObject var book: Book
///
///   var body: Element {
///     TextField("Title", text: $book.title)
///     Button("Save") { try $book.commit() }.disabled(!$book.isDirty)
///     Button("Cancel") { $book.discard() }
///   }
/// }
///
/// struct NewBookForm: View {
///   @DraftObject(Book.self, restoredAs: "new-book") var book
///
///   var body: Element { TextField("Title", text: $book.title) }
/// }
/// ```
///
/// A view that is given the object it drafts names the key in its initializer:
/// `_book = DraftObject(wrappedValue: book, restoredAs: "book-form")`.
@propertyWrapper
public struct DraftObject<Value: Object>: DynamicProperty {
  private let source: Value?
  private let key: String?
  private let store: Store?
  private let unbound = KeptDraft<Value>()
  private var bound: KeptDraft<Value>?

  /// Drafts a stored object, or a new one with the values of an unstored object; with a key it outlives a kill.
  public init(wrappedValue: Value, restoredAs key: String? = nil, in store: Store? = nil) {
    source = wrappedValue
    self.key = key
    self.store = store
  }

  /// Drafts a new object of a class; `store` is the one around the view unless it is given.
  ///
  /// With a key the draft outlives a kill.
  public init(_ type: Value.Type, restoredAs key: String? = nil, in store: Store? = nil) {
    source = nil
    self.key = key
    self.store = store
  }

  /// Binds the wrapper to the draft kept for a view; the host calls it before each body.
  public mutating func bind(to slot: Slot) {
    let kept = slot.value { KeptDraft<Value>() }
    (kept.source, kept.key) = (source, key)
    kept.store = store ?? slot.scope.bindSurroundings().value(at: \.store)
    bound = kept
  }

  private var draft: Draft<Value> {
    if let bound { return bound.draft }
    (unbound.source, unbound.key, unbound.store) = (source, key, store)
    return unbound.draft
  }

  /// The copy that is edited.
  public var wrappedValue: Value { draft.object }

  /// Bindings to the properties of the draft, and what is done with it.
  public var projectedValue: DraftBindings<Value> { DraftBindings(draft: draft) }
}

extension DraftObject: ComparableInput {
  func isSameInput(as other: DraftObject) -> Bool {
    if store !== other.store || key != other.key { return false }
    return source.flatMap(KeptDraft.stored) === other.source.flatMap(KeptDraft.stored)
  }
}

// State: `source`, `key` and `store`, as the last body's wrapper has them; `made`, the draft, `base`, the stored object
// that it was made of, nil for a new one, and `madeKey`, under which key.

/// What a `@DraftObject` keeps for a view.
private final class KeptDraft<Value: Object> {
  var source: Value?
  var key: String?
  var store: Store?
  private var made: Draft<Value>?
  private var base: Value?
  private var madeKey: String?

  /// The object, if a store has or had it.
  static func stored(_ object: Value) -> Value? {
    untracked { object.store != nil || object.isDeleted } ? object : nil
  }

  var draft: Draft<Value> {
    let wanted = source.flatMap(Self.stored)
    // What a new object became when it was committed is still the same draft.
    let isSame = made.map { wanted === base || (base == nil && wanted === $0.original) } ?? false
    if let made, isSame, key == madeKey { return made }
    let draft = Node.withoutReader { make(wanted) }
    (made, base, madeKey) = (draft, wanted, key)
    return draft
  }

  private func make(_ wanted: Value?) -> Draft<Value> {
    if let wanted, let home = untracked({ wanted.store }) ?? store {
      return key.map { home.draft(of: wanted, restoredAs: $0) } ?? home.draft(of: wanted)
    }
    guard let store else { trap("@DraftObject of \(Value.self) has no store: give it one") }
    guard let key else { return source.map { store.draft(new: $0) } ?? store.draft(Value.self) }
    return source.map { store.draft(new: $0, restoredAs: key) }
      ?? store.draft(Value.self, restoredAs: key)
  }
}
