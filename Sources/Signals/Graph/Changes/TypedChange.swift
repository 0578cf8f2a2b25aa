// Reading a change set by key path.
//
// A change set names properties by name, and crosses isolation domains; a key path says which property it is
// only when it is evaluated on an object, and objects stay in their domain. So what reads by key path
// holds what it learns from, the store or the object, and can't be sent; inside `commits.sink` and
// `beforeCommit` the store at hand is known to the thread. Where there is no object, one is made for that.
// What was learnt once holds in every domain.

/// What happened to one object of a known class: read its values by key path.
///
/// ```swift
/// for change in commit.changes(of: Book.self) { print(change.old(\.title), change.new(\.title)) }
/// #expect(commit[book]?.new(\.pages) == 300)
/// ```
@dynamicMemberLookup
public struct TypedChange<Root: Object>: CustomStringConvertible {
  /// The change, which can be sent.
  public let change: ObjectChange
  let source: PathSource

  /// What the change says of the object itself: `id`, `kind`, `properties`, `className`.
  public subscript<Value>(dynamicMember path: KeyPath<ObjectChange, Value>) -> Value {
    change[keyPath: path]
  }

  /// The change of a property by its name.
  public subscript(name: String) -> ObjectChange.Property? { change[name] }

  /// The value of a property before the commit: `change.old(\.title)`.
  ///
  /// Nil if it didn't change, if the object came, and if the path is not that of a wrapped property: an
  /// alias of one is none, nor is an override.
  ///
  /// The first use of a path in the process evaluates it once on an object of the class: the one given, or
  /// any of the store given or at hand, else a new one with the values of its `init()`. So don't
  /// give it a settable computed property that needs more than that: it would trap where it traps.
  /// O(changed properties).
  public func old<Value: FieldValue>(_ path: KeyPath<Root, Value>) -> Value? {
    property(at: path)?.old as? Value
  }

  /// The value of a property after the commit: `change.new(\.title)`.
  ///
  /// Nil if it didn't change, and if the object went; else what holds for `old` holds here.
  public func new<Value: FieldValue>(_ path: KeyPath<Root, Value>) -> Value? {
    property(at: path)?.new as? Value
  }

  /// The target of a link before the commit, if it changed.
  public func old<Target: Object>(_ path: KeyPath<Root, Target?>) -> ObjectID? {
    (property(at: path)?.old as? ObjectID?) ?? nil
  }

  /// The target of a link after the commit, if it changed.
  public func new<Target: Object>(_ path: KeyPath<Root, Target?>) -> ObjectID? {
    (property(at: path)?.new as? ObjectID?) ?? nil
  }

  /// The members of a list before the commit, if it changed.
  public func old<Target: Object>(
    _ path: KeyPath<Root, List<Target>>
  ) -> [ObjectID]? {
    property(at: path)?.old as? [ObjectID]
  }

  /// The members of a list after the commit, if it changed.
  public func new<Target: Object>(
    _ path: KeyPath<Root, List<Target>>
  ) -> [ObjectID]? {
    property(at: path)?.new as? [ObjectID]
  }

  /// How the members of a list changed, by position, if they did.
  ///
  /// O(n log n) between the first and the last difference, each time.
  public func edits<Value>(of path: KeyPath<Root, Value>) -> ListEdits? {
    property(at: path)?.listEdits
  }

  /// How messages show it.
  public var description: String { change.description }

  private func property<Value>(
    at path: KeyPath<Root, Value>
  ) -> ObjectChange.Property? {
    PropertyPaths.name(of: path, in: change.type, source).flatMap { change[$0] }
  }
}

extension ChangeSet {
  /// The changes of one class and its subclasses, to be read by key path.
  ///
  /// `store` is one from whose objects key paths are learnt; inside of `commits.sink` and `beforeCommit` it
  /// is the one that changed. Without any they are learnt from new objects. O(changes).
  public func changes<Root: Object>(
    of type: Root.Type, in store: Store? = nil
  ) -> [TypedChange<Root>] {
    changes.filter { $0.type.isSubclass(of: type) }.map {
      TypedChange(change: $0, source: store.map { .store($0) } ?? .atHand)
    }
  }

  /// The change of an object at hand, if it changed, to be read by key path.
  ///
  /// O(changes).
  public subscript<Root: Object>(object: Root) -> TypedChange<Root>? {
    self[object.objectID].map { TypedChange(change: $0, source: .object(object)) }
  }
}
