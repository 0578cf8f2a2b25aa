/// A property of a ``Projection`` that shows what a writable key path of the root leads to, and writes there.
///
/// - Only key paths that can be written are accepted: `\Book.title`, `\Book.size.width`, and not
///   `\Book.author?.name` or `\Book.pages.count`. That is an error of the compiler.
/// - A write is one of the property it leads to: part of the transaction under way, or one of its own.
/// - `$row.title` of an ``ObservedObject``, and ``RootedProjection/bindings``, are bindings to it.
/// - After a root was deleted, what is written stays in the projection.
///
/// It is a wrapper of its own, because one wrapper can't be read-only for some key paths and writable for others.
///
/// ```swift
/// final class BookRow: Projection<Book> {
///   @ProjectedWritable(\Book.title) var title: String
/// }
/// ```
@propertyWrapper
public struct ProjectedWritable<Root, Value>: ProjectedStorage {
  @usableFromInline let path: ReferenceWritableKeyPath<Root, Value>

  /// Shows and writes what a key path leads to.
  @inlinable
  public init(_ path: ReferenceWritableKeyPath<Root, Value>) { self.path = path }

  /// A key path that can't be written is for ``Projected``.
  @available(*, unavailable, message: "this key path can't be written: show it with @Projected")
  @_disfavoredOverload
  public init(_ path: KeyPath<Root, Value>) { fatalError("unavailable") }

  @inlinable
  func read(_ root: Root) -> Value { root[keyPath: path] }

  /// Only properties of ``Projection`` subclasses can be wrapped.
  @available(
    *, unavailable, message: "@ProjectedWritable is for properties of Projection subclasses"
  )
  public var wrappedValue: Value {
    get { fatalError("unavailable") }
    set { fatalError("unavailable") }
  }

  /// Reads and writes the property; Swift calls this for `row.title`.
  @inlinable
  public static subscript<Owner: Projection<Root>>(
    _enclosingInstance owner: Owner,
    wrapped wrapped: ReferenceWritableKeyPath<Owner, Value>,
    storage storage: ReferenceWritableKeyPath<Owner, Self>
  ) -> Value {
    get {
      if owner.isFrozen,
        let value: Value = unsafe owner.frozenValue(
          at: owner.offset(of: withUnsafeMutablePointer(to: &owner[keyPath: storage]) { unsafe $0 })
        )
      {
        return value
      }
      return owner[keyPath: storage].read(owner.root)
    }
    set {
      if owner.isFrozen {
        return unsafe owner.setFrozen(
          newValue,
          at: owner.offset(of: withUnsafeMutablePointer(to: &owner[keyPath: storage]) { unsafe $0 })
        )
      }
      owner.root[keyPath: owner[keyPath: storage].path] = newValue
    }
  }
}
