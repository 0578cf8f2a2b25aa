// The memory layout of the rows of a class.
//
// State: `known`, the shape of each class that this process has ever snapshotted, behind a lock. A
// shape never changes and is never released, like the class itself.

/// The columns of a class.
///
/// Unchecked, and safe on any thread: everything in it is set once, before it is shared. `Schema`
/// isn't `Sendable` only because of its metatypes, and a metatype is a constant of the program.
final class SnapshotShape: @unchecked Sendable {  // Set once, before it is shared.
  let schema: Schema
  let columns: [SnapshotColumn]
  /// The columns without reference counting, for hot code; allocated once and never freed.
  let operations: UncheckedPointer<ColumnCopyOperation>
  let operationCount: Int
  let links: [LinkColumn]
  let lists: [ListColumn]
  let primaryKey: SnapshotColumn?
  /// The class that declares the primary key, which is unique among the objects of that class and
  /// its subclasses.
  let keyScope: ObjectIdentifier?
  let isEmbedded: Bool
  /// The size of a leaf in bytes, at an address of the given alignment.
  let size: Int
  let alignment: Int

  private static let known = Locked<[ObjectIdentifier: SnapshotShape]>([:])

  static func of(_ type: Object.Type) -> SnapshotShape {
    if let shape = known.withLock({ $0[ObjectIdentifier(type)] }) { return shape }
    let made = SnapshotShape(type)
    return known.withLock { known in
      if let other = known[ObjectIdentifier(type)] { return other }
      known[ObjectIdentifier(type)] = made
      return made
    }
  }

  private init(_ type: Object.Type) {
    schema = Schema(of: type)
    var end = SnapshotNode.columnsStart
    columns = schema.encodedProperties.map { property in
      let column = Self.column(property, after: end)
      end = column.end
      return column
    }
    operations = .allocate(columns.count)
    operationCount = columns.count
    for index in columns.indices {
      operations.advanced(by: index).initialize(to: ColumnCopyOperation(columns[index]))
    }
    links = columns.compactMap { $0 as? LinkColumn }
    lists = columns.compactMap { $0 as? ListColumn }
    primaryKey = columns.first { $0.property.role == .primaryKey }
    keyScope = schema.primaryKey.map { key in
      var scope: Object.Type = type
      while let superclass = _getSuperclass(scope) as? Object.Type,
        Schema(of: superclass).property(at: key.offset) != nil
      {
        scope = superclass
      }
      return ObjectIdentifier(scope)
    }
    isEmbedded = type.isSubclass(of: EmbeddedObject.self)
    size = end
    alignment = columns.reduce(8) { max($0, $1.alignment) }
  }

  private static func column(_ property: Property, after end: Int) -> SnapshotColumn {
    func key<P: IndexedProperty>(_ type: P.Type) -> SnapshotColumn {
      KeyColumn<P>(property, after: end)
    }
    func field<P: FieldStorage>(_ type: P.Type) -> SnapshotColumn {
      FieldColumn<P>(property, after: end)
    }
    switch property.role {
    case .link: return LinkColumn(property, after: end)
    case .links: return ListColumn(property, after: end)
    case .primaryKey:
      if let type = property.type as? any IndexedProperty.Type { return key(type) }
    case .field, .indexed, .inverse: break
    }
    guard let type = property.fieldType else {
      trap("\(property.name) has no value that a snapshot could hold")
    }
    return field(type)
  }

  var type: Object.Type { schema.type }
  var name: String { schema.name }
}

extension Property {
  /// The class of the objects that a link or list can refer to.
  package var targetType: Object.Type {
    linkingType?.targetType ?? Object.self
  }
}

/// The operation that copies one column; the kinds are ordered by cost.
struct ColumnCopyOperation {
  enum Kind {
    /// The bits are copied.
    case word, bits
    case link
    /// The column copies the value.
    case managed, list
  }

  let kind: Kind
  /// Retained by the shape that has the step.
  let column: Unretained<SnapshotColumn>
  /// The byte offset of the first value in a leaf.
  let start: Int
  let stride: Int
  let size: Int
  /// The byte offset of the value in an object.
  let offset: Int

  fileprivate init(_ column: SnapshotColumn) {
    self.column = Unretained(column)
    start = column.start
    stride = column.stride
    size = column.size
    offset = column.property.offset
    switch column.property.kind {
    case .link: kind = .link
    case .list: kind = .list
    case .value: kind = !column.isTrivial ? .managed : column.size == 8 ? .word : .bits
    }
  }

  /// The place of a value in a leaf whose rows begin at an address.
  @inline(__always)
  func value(at slot: Int, of start: UntypedPointer) -> UntypedPointer {
    start.untyped(at: self.start + slot * stride)
  }

  /// The storage of the property in an object.
  @inline(__always)
  func storage(in object: Object) -> UntypedPointer {
    unsafe UntypedPointer(at: offset, of: object)
  }

  var isManaged: Bool { kind == .managed || kind == .list }

  /// Copies a trivial value or a link.
  ///
  /// - Returns: False if the value is of another kind, and wasn't copied.
  @inline(__always)
  func takeBits(from object: Object, to value: UntypedPointer) -> Bool {
    let storage = storage(in: object)
    switch kind {
    case .word: unsafe value.copyBytes(from: storage, 8)
    case .bits: unsafe value.copyBytes(from: storage, size)
    case .link:
      // The storage of a link begins with an optional reference, which is read without counting.
      let target = unsafe storage.field(as: Unretained<Object>?.self).pointee
      value.location.initialize(to: target?.withInstance { SnapshotLocation(of: $0) } ?? .none)
    case .managed, .list: return false
    }
    return true
  }
}

extension Schema {
  /// Returns the wrapped properties of a class, which are found once in a process.
  package static func shared(of type: Object.Type) -> Schema { SnapshotShape.of(type).schema }
}
