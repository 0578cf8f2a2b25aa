// What the wrappers have in common: how a property is read, written, logged and restored.

public import CSignalsThread

/// A value that a field can hold and a change set can carry.
public typealias FieldValue = Codable & Equatable & Sendable

/// The storage of a wrapped property.
///
/// You don't conform to this; ``Field`` and its siblings do.
///
/// The requirements are the engine's: they work on the storage inside the object, and know nothing of
/// transactions.
public protocol StoredProperty {
  /// What the property holds.
  associatedtype Value

  /// What the storage holds now.
  var stored: Value { get set }

  /// Whether writing `new` over `old` changes nothing.
  static func isSame(_ old: Value, _ new: Value) -> Bool

  /// What the property means to the graph.
  static var role: PropertyRole { get }
}

extension StoredProperty {
  /// Stores a value and returns the old one, which is to be released when the storage is whole: what ends
  /// with it is user code that may write the same property.
  @inlinable
  @inline(__always)
  mutating func exchange(_ new: consuming Value) -> Value {
    swap(&stored, &new)
    return new
  }
}

/// The storage of a property that holds a value rather than references.
public protocol StoredFieldProperty: StoredProperty where Value: FieldValue {}

/// What a property means to the graph.
public enum PropertyRole: Sendable {
  /// A value.
  case field
  /// The value that names the object in its class.
  case primaryKey
  /// A value with an index.
  case indexed
  /// A reference to one object.
  case link
  /// A list of references.
  case links
  /// The references that others hold.
  case inverse
}

extension Object {
  /// Whether nobody could see, refuse or undo the write of a field.
  @inlinable
  final var isUnattended: Bool {
    @inline(__always) get {
      guard unsafe watched == nil else { return false }
      guard let membership = unsafe membership else { return true }
      return unsafe membership._withUnsafeGuaranteedRef { $0.attention == .none }
    }
  }

  /// Writes a wrapped property: plainly while unstored, else in the transaction under way or its own.
  ///
  /// Specialized for each type of property, and not inlined: it is large, and setters are many.
  @inlinable @inline(never)
  final func replace<Property: StoredProperty>(
    _ storage: UnsafeMutablePointer<Property>, with new: Property.Value
  ) {
    let offset = unsafe Object.offset(of: UnsafeMutableRawPointer(storage), in: self)
    if signals_is_changing_property() { refuseIfChanging(offset, .written) }
    // Released when the storage is whole: its `deinit` may write.
    let old = unsafe storage.pointee.stored
    defer { withExtendedLifetime(old) {} }
    // Their equality is user code, and no part of the evaluation that writes.
    let reader = unsafe Node.beginUnread()
    let isSame = MemoryLayout<Property>.size == 0 || Property.isSame(old, new)
    unsafe Node.endUnread(reader)
    if isSame { return }
    Node.checkMayWrite(describeProperty(at: offset))
    guard let membership = unsafe membership else {
      if Property.role == .link || Property.role == .links { unsafe holdsLinks = true }
      unsafe storage.pointee.stored = new
      markReaders(of: offset, old: ValueBefore<Property>(old))
      return
    }
    // Not retained: `endFieldWrite` keeps the store while user code may run, and is the last to use the extent.
    unsafe membership._withUnsafeGuaranteedRef { extent in
      guard Property.role == .field else {
        return unsafe extent.store.replace(self, storage, offset, new)
      }
      switch unsafe watched == nil ? extent.attention : .full {
      case .none: unsafe storage.pointee.stored = new
      case .undo:
        unsafe storage.pointee.stored = new
        extent.keepForUndo(self, offset, old)
      case .full:
        let followUp = extent.beginFieldWrite(self, offset, old)
        if unsafe watched != nil { markReaders(of: offset, old: ValueBefore<Property>(old)) }
        unsafe storage.pointee.stored = new
        if followUp != .nothing { extent.endFieldWrite(self, offset, followUp) }
      }
    }
  }

  /// How a message names a property: `Book.title of #12`.
  @usableFromInline
  final func describeProperty(at offset: Int) -> String {
    let schema = Schema(of: type(of: self))
    let name = schema.properties.first { $0.offset == offset }?.name
    let pseudo = offset == Object.ownerOffset ? "owner" : "isDeleted"
    return "\(schema.name).\(name ?? pseudo) of \(objectID)"
  }
}
