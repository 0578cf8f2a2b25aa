// Reading a change set by key path.
//
// A change set identifies properties by name and crosses isolation domains. A key path identifies a
// property only when it is evaluated on an object, and objects stay in their domain. So a typed
// change holds the store or object on which key paths are evaluated, and can't be sent. Inside
// `commits.sink` and `beforeCommit` the thread knows the store. If there is no object, a new one is
// made for the evaluation. A resolved key path is known in every domain.

/// The change of one object of a known class, whose values are read by key path.
///
/// ```swift
/// for change in commit.changes(of: Book.self) { print(change.old(\.title), change.new(\.title)) }
/// #expect(commit[book]?.new(\.pages) == 300)
/// ```
@dynamicMemberLookup
public struct TypedChange<Root: Object>: CustomStringConvertible {
  /// The untyped change, which is `Sendable`.
  public let change: ObjectChange
  let source: PathSource

  /// A member of the untyped change: `id`, `kind`, `properties` or `className`.
  ///
  /// - Parameter path: The key path of the member.
  public subscript<Value>(dynamicMember path: KeyPath<ObjectChange, Value>) -> Value {
    change[keyPath: path]
  }

  /// The changed object; nil if it isn't in the store.
  ///
  /// The store is that of the given object, the given store, or the store that is delivering the
  /// change. Elsewhere there is none, and the object is nil. The given object itself is returned
  /// even after it was deleted. The lookup creates no dependency.
  ///
  /// - Complexity: O(1). The first lookup by ID in a store builds an index in O(objects).
  public var object: Root? {
    switch source {
    case .object(let object): object as? Root
    case .store(let store): store.storedObject(change.id) as? Root
    case .current:
      GraphThreadState.current.currentStore?.store.storedObject(change.id) as? Root
    }
  }

  /// The change of the property with the given name, if it changed.
  ///
  /// - Parameter name: The name of the property.
  public subscript(name: String) -> ObjectChange.Property? { change[name] }

  /// Returns the value of a property before the commit: `change.old(\.title)`.
  ///
  /// The first use of a path in the process evaluates it once on an object of the class. That is
  /// the given object, or any object of the given store or of the store that is delivering the
  /// change. If there is none, it is a new object with the values of its `init()`. Don't pass a
  /// settable computed property that traps on such an object: it would trap here.
  ///
  /// - Parameter path: The key path of the property.
  /// - Returns: The old value. Nil if the property didn't change, if the object was inserted, or if
  ///   the path doesn't lead to a wrapped property. A computed alias of a wrapped property, or an
  ///   override, doesn't count as one.
  /// - Complexity: O(changed properties).
  public func old<Value: FieldValue>(_ path: KeyPath<Root, Value>) -> Value? {
    property(at: path)?.old as? Value
  }

  /// Returns the value of a property after the commit: `change.new(\.title)`.
  ///
  /// The path is evaluated as by `old`.
  ///
  /// - Parameter path: The key path of the property.
  /// - Returns: The new value. Nil if the property didn't change, if the object was deleted, or if
  ///   the path doesn't lead to a wrapped property.
  public func new<Value: FieldValue>(_ path: KeyPath<Root, Value>) -> Value? {
    property(at: path)?.new as? Value
  }

  /// Returns the id of a link's target before the commit, if the link changed.
  ///
  /// - Parameter path: The key path of the link.
  /// - Returns: The id. Nil if the link was empty or didn't change.
  public func old<Target: Object>(_ path: KeyPath<Root, Target?>) -> ObjectID? {
    (property(at: path)?.old as? ObjectID?) ?? nil
  }

  /// Returns the id of a link's target after the commit, if the link changed.
  ///
  /// - Parameter path: The key path of the link.
  /// - Returns: The id. Nil if the link is empty or didn't change.
  public func new<Target: Object>(_ path: KeyPath<Root, Target?>) -> ObjectID? {
    (property(at: path)?.new as? ObjectID?) ?? nil
  }

  /// Returns the ids of a list's members before the commit, if the list changed.
  ///
  /// - Parameter path: The key path of the list.
  /// - Returns: The ids, or `nil` if the list didn't change.
  public func old<Target: Object>(
    _ path: KeyPath<Root, List<Target>>
  ) -> [ObjectID]? {
    property(at: path)?.old as? [ObjectID]
  }

  /// Returns the ids of a list's members after the commit, if the list changed.
  ///
  /// - Parameter path: The key path of the list.
  /// - Returns: The ids, or `nil` if the list didn't change.
  public func new<Target: Object>(
    _ path: KeyPath<Root, List<Target>>
  ) -> [ObjectID]? {
    property(at: path)?.new as? [ObjectID]
  }

  /// Returns the edits of a list by position, if it changed.
  ///
  /// The result isn't cached.
  ///
  /// - Parameter path: The key path of the list.
  /// - Returns: The edits, or `nil` if the list didn't change.
  /// - Complexity: O(n log n) for n members between the first and the last difference.
  public func edits<Value>(of path: KeyPath<Root, Value>) -> CollectionChange<ObjectID>? {
    property(at: path)?.listEdits
  }

  /// The change as messages show it.
  public var description: String { change.description }

  private func property<Value>(
    at path: KeyPath<Root, Value>
  ) -> ObjectChange.Property? {
    guard path is ReferenceWritableKeyPath<Root, Value> else { return nil }
    // A new object suffices for a path that only reads a wrapped property.
    return PropertyResolver.current.property(
      of: path, in: change.type, source.object(Root.self) ?? change.type.init()
    ).flatMap { change[$0.name] }
  }
}

extension ChangeSet {
  /// Returns the changes of the objects of one class and its subclasses, to be read by key path.
  ///
  /// - Parameters:
  ///   - type: The class of the objects.
  ///   - store: A store on whose objects key paths are evaluated. Inside `commits.sink` and
  ///     `beforeCommit` the default is the store that changed. Elsewhere the default is to evaluate
  ///     them on new objects.
  /// - Returns: The changes, in the order of the change set.
  /// - Complexity: O(changes).
  public func changes<Root: Object>(
    of type: Root.Type, in store: Store? = nil
  ) -> [TypedChange<Root>] {
    changes.filter { $0.type.isSubclass(of: type) }.map {
      TypedChange(change: $0, source: store.map { .store($0) } ?? .current)
    }
  }

  /// The change of an object, if it changed, to be read by key path.
  ///
  /// - Parameter object: The object.
  /// - Complexity: O(changes).
  public subscript<Root: Object>(object: Root) -> TypedChange<Root>? {
    self[object.objectID].map { TypedChange(change: $0, source: .object(object)) }
  }
}
