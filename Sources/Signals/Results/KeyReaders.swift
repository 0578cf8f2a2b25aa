// Reads the sort keys of objects from the storage of their properties.
//
// A key path takes longer to read than a row takes to sort. If the keys are properties that the
// class of an object declares itself, their storage is read instead, and their offsets are learned
// once. An inherited property may be overridden, so it is read through its key path, and so is
// everything while a property is being mutated, because such a read may have to trap.
//
// State: `classes`, the classes of the rows so far, each with the keys to read.

private import CSignalsThread

/// A property that is a sort key, or has a text that is searched.
struct KeyField {
  private enum Kind {
    case int, double, string, bool, optionalInt, optionalDouble, optionalString
  }

  let offset: Int
  private let kind: Kind

  /// Fails if values of the property's type aren't kept as they are in keys.
  init?(_ property: Property) {
    guard let type = property.fieldType, let kind = KeyField.kind(of: type) else { return nil }
    offset = property.offset
    self.kind = kind
  }

  private static func kind<Storage: FieldStorage>(of _: Storage.Type) -> Kind? {
    switch Storage.Value.self {
    case is Int.Type: .int
    case is Double.Type: .double
    case is String.Type: .string
    case is Bool.Type: .bool
    case is Int?.Type: .optionalInt
    case is Double?.Type: .optionalDouble
    case is String?.Type: .optionalString
    default: nil
    }
  }

  /// Returns the key of an object of the class.
  @inline(__always)
  func key(of object: Object) -> SortKey {
    switch kind {
    case .int: .int(value(in: object))
    case .double: .double(value(in: object))
    case .string: .string(value(in: object))
    case .bool: .int(value(in: object) ? 1 : 0)
    case .optionalInt: (value(in: object) as Int?).map { .int($0) } ?? .missing
    case .optionalDouble: (value(in: object) as Double?).map { .double($0) } ?? .missing
    case .optionalString: (value(in: object) as String?).map { .string($0) } ?? .missing
    }
  }

  /// Whether the property is a text.
  var isText: Bool { kind == .string }

  /// Returns the text of an object of the class, if the property is one.
  func text(of object: Object) -> String { value(in: object) }

  /// The value of the property, with which the storage of every wrapper of a field begins.
  @inline(__always)
  private func value<Value: FieldValue>(in object: Object) -> Value {
    Field<Value>.storage(in: object, at: offset).pointee.stored
  }
}

/// Reads the keys of the rows of a query.
struct KeyReaders {
  private struct Class {
    let table: ObjectTable
    /// The properties that are the keys; nil if they are read through their key paths.
    let fields: [KeyField]?
  }

  private var classes: [Class] = []

  /// Returns the keys of a stored object, if they are read from its storage.
  ///
  /// - Parameters:
  ///   - object: The object. The first one of a class that is a row decides for its class.
  ///   - order: The order of the rows.
  ///   - learn: A closure that is called once with the offset of each property read.
  @inline(__always)
  mutating func key(
    of object: Object, in order: RowOrder, learn: (Int) -> Void
  ) -> SortKey? {
    if signals_is_changing_property() { return nil }
    for index in classes.indices where classes[index].table === object.table {
      return classes[index].fields.map { key(of: object, $0) }
    }
    return firstKey(of: object, in: order, learn: learn)
  }

  /// Whether the keys of the objects of a class are known to be read from their storage.
  func readsStorage(of table: ObjectTable) -> Bool {
    if signals_is_changing_property() { return false }
    return classes.contains { $0.table === table && $0.fields != nil }
  }

  @inline(never)
  private mutating func firstKey(
    of object: Object, in order: RowOrder, learn: (Int) -> Void
  ) -> SortKey? {
    guard let table = object.table else { return nil }
    let fields = KeyReaders.fields(of: object, in: table, order)
    classes.append(Class(table: table, fields: fields))
    guard let fields else { return nil }
    for field in fields { learn(field.offset) }
    return key(of: object, fields)
  }

  @inline(__always)
  private func key(of object: Object, _ fields: [KeyField]) -> SortKey {
    SortKey.joining(fields) { $0.key(of: object) }
  }

  private static func fields(
    of object: Object, in table: ObjectTable, _ order: RowOrder
  ) -> [KeyField]? {
    var fields: [KeyField] = []
    for descriptor in order.descriptors {
      guard let path = descriptor.path, !descriptor.callsUserCode,
        let property = PropertyResolver.current.property(of: path, in: type(of: object), object),
        table.declares(property), let field = KeyField(property)
      else { return nil }
      fields.append(field)
    }
    return fields
  }
}
