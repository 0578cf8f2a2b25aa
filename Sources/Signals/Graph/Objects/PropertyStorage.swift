// The common parts of the wrappers: how a property is read, written, logged and restored.

public import CSignalsThread

/// A value that a field can hold and a change set can carry.
public typealias FieldValue = Codable & Equatable & Sendable

/// The storage of a wrapped property.
///
/// Don't conform to this protocol; ``Field`` and the other property wrappers do.
///
/// The requirements are for the engine. They work on the storage inside the object, and are
/// independent of transactions.
public protocol PropertyStorage {
  /// The type of the property's value.
  associatedtype Value

  /// The value in the storage; reading it here registers no dependency.
  var stored: Value { get set }

  /// Returns whether writing `new` over `old` changes nothing.
  ///
  /// - Parameters:
  ///   - old: The value before.
  ///   - new: The value to write.
  /// - Returns: Whether the two count as the same value.
  static func isSame(_ old: Value, as new: Value) -> Bool

  /// The property's role in the graph.
  static var role: PropertyRole { get }
}

extension PropertyStorage {
  /// Stores a value and returns the old one.
  ///
  /// The caller releases the old value after the storage is written, because the release may run
  /// user code that writes the same property.
  @inlinable
  @inline(__always)
  mutating func exchange(_ new: consuming Value) -> Value {
    swap(&stored, &new)
    return new
  }
}

/// The storage of a property that holds a value rather than references.
public protocol FieldStorage: PropertyStorage where Value: FieldValue {}

extension FieldStorage {
  /// Returns whether writing `new` over `old` changes nothing.
  ///
  /// NaN counts as equal to NaN, also inside a value.
  ///
  /// - Parameters:
  ///   - old: The value before.
  ///   - new: The value to write.
  /// - Returns: Whether the two count as the same value.
  @inlinable public static func isSame(_ old: Value, as new: Value) -> Bool {
    ValueEquality.areEqual(old, new)
  }
}

/// The role of a property in the graph.
public enum PropertyRole: Sendable {
  /// A value without an index.
  case field
  /// The value that identifies the object within its class.
  case primaryKey
  /// A value with an index.
  case indexed
  /// A reference to one object.
  case link
  /// A list of references.
  case links
  /// The objects that refer to this one, derived from their links.
  case inverse
}

extension Object {
  /// Writes a wrapped property.
  ///
  /// On an unstored object, the value is just stored. On a stored object, the write is part of the
  /// open transaction, or a separate one if none is open.
  ///
  /// Specialized for each type of property, but not inlined, because it is large and there are many
  /// setters.
  @inlinable @inline(never)
  final func replace<Property: PropertyStorage>(
    _ storage: UncheckedPointer<Property>, with new: Property.Value
  ) {
    let offset = storage.offset(in: self)
    if signals_is_changing_property() { refuseIfChanging(at: offset, for: .written) }
    // Released after the storage is written, because its `deinit` may write the property.
    let old = storage.pointee.stored
    defer { withExtendedLifetime(old) {} }
    // `==` is user code. Its reads aren't dependencies of the evaluation that writes.
    let reader = Node.beginUnread()
    let isSame = MemoryLayout<Property>.size == 0 || Property.isSame(old, as: new)
    Node.endUnread(reader)
    if isSame { return }
    Node.checkMayWrite(describeProperty(at: offset))
    guard let membership else {
      if Property.role == .link || Property.role == .links { holdsLinks = true }
      storage.pointee.stored = new
      markReaders(of: offset, old: ValueBefore<Property>(old))
      return
    }
    // Not retained: the store is, while user code may run, and nothing uses the table after that.
    membership.withInstance { table in
      guard Property.role == .field else {
        return table.store.replace(self, storage, offset, new)
      }
      switch changeContext(of: .field) {
      case .none: storage.pointee.stored = new
      case .quiet:
        storage.pointee.stored = new
        table.withStore { $0.keepQuietly(self, at: offset, old: old) }
      case .full:
        let isOwn = table.withStore { $0.record(self, in: table, at: offset, old: old) }
        if propertyNodes != nil { markReaders(of: offset, old: ValueBefore<Property>(old)) }
        storage.pointee.stored = new
        if isOwn {
          let store = table.store
          withExtendedLifetime(store) { store.commitFieldWrite() }
        }
      }
    }
  }

  /// Returns the name of a property for messages, as errors have it: `Book(isbn: "0441").title`.
  @usableFromInline
  final func describeProperty(at offset: Int) -> String {
    let schema = Schema(of: type(of: self))
    let name = schema.properties.first { $0.offset == offset }?.name
    let pseudo = offset == Object.ownerOffset ? "owner" : "isDeleted"
    return StoreError.Subject(self, property: name ?? pseudo, exceptAt: offset).description
  }
}
