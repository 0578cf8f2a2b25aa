/// A draft that a view keeps, whose edits aren't visible elsewhere until they are committed.
///
/// - The wrapped value is the copy to edit. ``projectedValue`` has bindings to its properties, its
///   changes and errors, `commit()` and `discard()`.
/// - Given a stored object, it is a draft of that object. When the parent passes another object, a
///   new draft begins, and uncommitted edits are lost.
/// - Given a class or an unstored object, it is a draft of a new object, made once for the view's
///   identity. After `commit()` it is a draft of the added object.
/// - Given a key, it survives a kill of the process until it is committed or discarded. The typed
///   text, the errors of a refused commit and the values that the draft was made from are kept, as
///   described at ``Store/draft(of:restoredAs:)``. The draft then also outlives the view, so let
///   "Cancel" discard it. Without a key it ends with the view.
/// - The draft of a stored object commits to the object's store, that of a new one to the store in
///   the view's environment. Outside of a view, a new object's draft needs an explicit store.
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
/// A view that gets the object as a parameter sets the key in its initializer: `_book =
/// DraftObject(wrappedValue: book, restoredAs: "book-form")`.
@propertyWrapper
public struct DraftObject<Value: Object>: DynamicProperty, BoundProperty {
  private let source: Value?
  private let key: String?
  private let store: Store?
  private let unbound = DraftSlot<Value>()
  private var bound: DraftSlot<Value>?

  /// Drafts a stored object, or a new one with the values of an unstored object.
  ///
  /// - Parameters:
  ///   - wrappedValue: The object to draft.
  ///   - key: Keeps the draft through a kill of the process; nil for a draft that ends with the
  ///     view.
  ///   - store: The store of a new object; by default that of the view's environment.
  public init(wrappedValue: Value, restoredAs key: String? = nil, in store: Store? = nil) {
    source = wrappedValue
    self.key = key
    self.store = store
  }

  /// Drafts a new object of a class.
  ///
  /// - Parameters:
  ///   - type: The class of the new object.
  ///   - key: Keeps the draft through a kill of the process; nil for a draft that ends with the
  ///     view.
  ///   - store: The store of the new object; by default that of the view's environment.
  public init(_ type: Value.Type, restoredAs key: String? = nil, in store: Store? = nil) {
    source = nil
    self.key = key
    self.store = store
  }

  /// Binds the wrapper to the draft of its view; the host calls it before each body.
  mutating func bind(to slot: ViewSlot) {
    let kept = slot.value { DraftSlot<Value>() }
    (kept.source, kept.key) = (source, key)
    kept.store = store ?? slot.scope.bindEnvironmentReads().value(at: \.store)
    bound = kept
  }

  private var draft: Draft<Value> {
    if let bound { return bound.draft }
    (unbound.source, unbound.key, unbound.store) = (source, key, store)
    return unbound.draft
  }

  /// The copy to edit.
  public var wrappedValue: Value { draft.object }

  /// Bindings to the properties of the draft, and its operations.
  public var projectedValue: DraftBindings<Value> { DraftBindings(draft: draft) }
}

extension DraftObject: ComparableInput {
  func isSameInput(as other: DraftObject) -> Bool {
    if store !== other.store || key != other.key { return false }
    return source.flatMap(DraftSlot.stored) === other.source.flatMap(DraftSlot.stored)
  }
}

// State: `source`, `key` and `store`, the values of the wrapper at the last body; `made`, the
// draft; `base`, the stored object that it was made from, nil for a new one; `madeKey`, its key.
// Only the host's isolation touches them.

/// The draft of a `@DraftObject`, kept for a view.
private final class DraftSlot<Value: Object> {
  var source: Value?
  var key: String?
  var store: Store?
  private var made: Draft<Value>?
  private var base: Value?
  private var madeKey: String?

  /// The object, if it is or was in a store.
  static func stored(_ object: Value) -> Value? {
    untracked { object.store != nil || object.isDeleted } ? object : nil
  }

  var draft: Draft<Value> {
    let wanted = source.flatMap(Self.stored)
    // A new object that has been committed since is still the same draft.
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
