// How the rows of a class lie in memory.
//
// State: `known`, the shape of each class that this process ever snapshotted, behind a lock. A shape
// never changes and never goes, as the class itself does not.

internal import Synchronization

/// The columns of a class.
///
/// Everything in it is set once, before anybody else sees it, which is why it can be used on any thread.
/// `Schema` is not `Sendable` for its metatypes alone, and a metatype is a constant of the program.
final class SnapshotShape: @unchecked Sendable {
  let schema: Schema
  let columns: [SnapshotColumn]
  /// Those that need more than a copy of their bits.
  let managed: [SnapshotColumn]
  let links: [LinkColumn]
  let lists: [ListColumn]
  let primaryKey: SnapshotColumn?
  /// The class that declares the primary key, among whose objects and those of its subclasses it is
  /// unique.
  let keyScope: ObjectIdentifier?
  let isEmbedded: Bool
  /// The bytes of a leaf, from an address of that alignment.
  let size: Int
  let alignment: Int

  private static let known = Mutex<[ObjectIdentifier: SnapshotShape]>([:])

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
    columns = schema.carried.map { property in
      let column = Self.column(property, after: end)
      end = column.end
      return column
    }
    managed = columns.filter { !$0.isTrivial }
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
    func field<P: StoredFieldProperty>(_ type: P.Type) -> SnapshotColumn {
      FieldColumn<P>(property, after: end)
    }
    switch property.role {
    case .link: return LinkColumn(property, after: end)
    case .links: return ListColumn(property, after: end)
    case .primaryKey:
      if let type = property.type as? any IndexedProperty.Type { return key(type) }
    case .field, .indexed, .inverse: break
    }
    guard let type = property.type as? any StoredFieldProperty.Type else {
      trap("\(property.name) has no value that a snapshot could hold")
    }
    return field(type)
  }

  var type: Object.Type { schema.type }
  var name: String { schema.name }

  /// Names a place of this class as errors do.
  func column(named name: String) -> SnapshotColumn? {
    columns.first { $0.property.name == name }
  }
}

extension Property {
  /// What a link or list can lead to.
  var targetType: Object.Type { (type as? any LinkingProperty.Type)?.targetType ?? Object.self }
}
