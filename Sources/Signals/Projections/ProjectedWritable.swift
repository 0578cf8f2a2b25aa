/// A property of a ``Projection`` that reads and writes the value at a writable key path of the
/// root.
///
/// - Only writable key paths are accepted, such as `\Book.title` and `\Book.size.width`.
///   `\Book.author?.name` and `\Book.pages.count` are compile-time errors.
/// - A write is a write to the underlying property: part of the current transaction, or its own
///   commit.
/// - `$row.title` of an ``ObservedObject``, and ``ProjectionProtocol/bindings``, are bindings to
///   it.
/// - After a root is deleted, written values stay in the projection.
///
/// It is a separate wrapper because one wrapper can't be read-only for some key paths and writable
/// for others.
///
/// ```swift
/// final class BookRow: Projection<Book> {
///   @ProjectedWritable(\Book.title) var title: String
/// }
/// ```
@propertyWrapper
public struct ProjectedWritable<Root, Value>: ProjectedStorage {
  @usableFromInline let path: ReferenceWritableKeyPath<Root, Value>

  /// Shows and writes the value at a key path.
  ///
  /// - Parameter path: The key path of the value.
  @inlinable
  public init(_ path: ReferenceWritableKeyPath<Root, Value>) { self.path = path }

  /// Unavailable, because the key path can't be written; use ``Projected``.
  ///
  /// - Parameter path: The key path of the value.
  @available(*, unavailable, message: "this key path can't be written: show it with @Projected")
  @_disfavoredOverload
  public init(_ path: KeyPath<Root, Value>) { fatalError("unavailable") }

  @inlinable
  func read(_ root: Root) -> Value { root[keyPath: path] }

  /// Unavailable, because only properties of ``Projection`` subclasses can be wrapped.
  @available(
    *, unavailable, message: "@ProjectedWritable is for properties of Projection subclasses"
  )
  public var wrappedValue: Value {
    get { fatalError("unavailable") }
    set { fatalError("unavailable") }
  }

  /// Reads and writes the property; the compiler calls this for `row.title`.
  ///
  /// - Parameters:
  ///   - owner: The object that has the property.
  ///   - wrapped: The key path of the property.
  ///   - storage: The key path of the property's wrapper.
  @inlinable
  public static subscript<Owner: Projection<Root>>(
    _enclosingInstance owner: Owner,
    wrapped wrapped: ReferenceWritableKeyPath<Owner, Value>,
    storage storage: ReferenceWritableKeyPath<Owner, Self>
  ) -> Value {
    get {
      if owner.isFrozen,
        let value: Value = owner.frozenValue(
          at: UncheckedPointer(to: storage, of: owner).offset(in: owner))
      {
        return value
      }
      return owner[keyPath: storage].read(owner.root)
    }
    set {
      if owner.isFrozen {
        return owner.setFrozen(
          newValue, at: UncheckedPointer(to: storage, of: owner).offset(in: owner))
      }
      owner.root[keyPath: owner[keyPath: storage].path] = newValue
    }
  }
}
