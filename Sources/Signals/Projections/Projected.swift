/// A property of a ``Projection`` that shows the value at a key path of the root.
///
/// - The path may lead through links, lists, optional chains and computed properties, and end at
///   any value, such as a count or an object.
/// - A link can be shown as a projection of its target, and a list as a ``ProjectedList``, by
///   declaring the property with that type.
/// - The property is read-only; use ``ProjectedWritable`` for a writable one.
/// - A read costs one evaluation of the key path.
///
/// ```swift
/// final class LibraryCard: Projection<Library> {
///   @Projected(\Library.available.count) var availableCount: Int
///   @Projected(\Library.members.first?.name) var firstMember: String?
///   @Projected(\Library.members) var members: ProjectedList<MemberRow>
///   @Projected(\Library.owner) var owner: MemberRow?
/// }
/// ```
@propertyWrapper
public struct Projected<Root, Value>: ProjectedStorage {
  @usableFromInline let path: KeyPath<Root, Value>?
  @usableFromInline let make: ((Root) -> Value)?

  /// Shows the value at a key path.
  ///
  /// - Parameter path: The key path of the value.
  @inlinable
  public init(_ path: KeyPath<Root, Value>) {
    self.path = path
    make = nil
  }

  init(make: @escaping (Root) -> Value) {
    path = nil
    self.make = make
  }

  /// Shows the members of a list as projections.
  ///
  /// - Parameter path: The key path of the list.
  public init<Row: ProjectionProtocol>(_ path: KeyPath<Root, List<Row.Root>>)
  where Row.Root: Object, Value == ProjectedList<Row> {
    self.init(make: { ProjectedList($0[keyPath: path]) })
  }

  /// Shows the target of a link as its shared projection.
  ///
  /// - Parameter path: The key path of the link.
  public init<Row: ProjectionProtocol>(_ path: KeyPath<Root, Row.Root?>)
  where Row.Root: Object, Value == Row? {
    self.init(make: { $0[keyPath: path].map { Row.shared(for: $0) } })
  }

  /// Shows the object or value at a key path as its shared projection.
  ///
  /// - Parameter path: The key path of the object or value.
  public init(_ path: KeyPath<Root, Value.Root>) where Value: ProjectionProtocol {
    self.init(make: { Value.shared(for: $0[keyPath: path]) })
  }

  @inlinable
  func read(_ root: Root) -> Value {
    if let path { return root[keyPath: path] }
    guard let make else { Node.refuseMissingPath() }
    return make(root)
  }

  /// Unavailable, because only properties of ``Projection`` subclasses can be wrapped.
  @available(*, unavailable, message: "@Projected is for properties of Projection subclasses")
  public var wrappedValue: Value { fatalError("unavailable") }

  /// Reads the property; the compiler calls this for `row.author`.
  ///
  /// - Parameters:
  ///   - owner: The object that has the property.
  ///   - wrapped: The key path of the property.
  ///   - storage: The key path of the property's wrapper.
  @inlinable
  public static subscript<Owner: Projection<Root>>(
    _enclosingInstance owner: Owner,
    wrapped wrapped: KeyPath<Owner, Value>,
    storage storage: ReferenceWritableKeyPath<Owner, Self>
  ) -> Value {
    if owner.isFrozen,
      let value: Value = owner.frozenValue(
        at: UncheckedPointer(to: storage, of: owner).offset(in: owner))
    {
      return value
    }
    return owner[keyPath: storage].read(owner.root)
  }
}

extension Node {
  /// Stops the program because a wrapper has neither a key path nor a closure, which can't happen.
  @usableFromInline
  @inline(never)
  static func refuseMissingPath() -> Never { trap("a projected property has nothing to read") }
}
