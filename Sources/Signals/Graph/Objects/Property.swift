// A wrapped property of a class, and the operations on it, whatever its type.
//
// Only the wrapper knows the type of the value. So each operation is a static method of
// `PropertyStorage`, which takes and returns values as `Any` and an address as an object and an
// offset. References.swift has those of links and lists.

private import CSignalsThread

/// A wrapped property of a class.
package struct Property {
  package let name: String
  /// The byte offset of the storage in every instance of the class and its subclasses.
  package let offset: Int
  package let type: any PropertyStorage.Type
  // Each dynamic cast is made once for a class, because it takes longer than its uses.
  /// The type, if the property is a field.
  package let fieldType: (any FieldStorage.Type)?
  /// The type, if the property is a link or a list.
  let linkingType: (any LinkingProperty.Type)?
  /// The type, if the property has a merge rule.
  let mergingType: (any MergingProperty.Type)?

  init(name: String, offset: Int, type: any PropertyStorage.Type) {
    (self.name, self.offset, self.type) = (name, offset, type)
    fieldType = type as? any FieldStorage.Type
    linkingType = type as? any LinkingProperty.Type
    mergingType = type as? any MergingProperty.Type
  }

  package var role: PropertyRole { type.role }
}

extension Property {
  /// Returns the current value of the property.
  package func value(in object: Object) -> Any {
    if signals_is_changing_property() { object.refuseIfChanging(at: offset, for: .readElsewhere) }
    return type.value(in: object, at: offset)
  }

  /// Returns whether the property still has an old value.
  func isSame(_ old: Any, in object: Object) -> Bool { type.isSame(old, in: object, at: offset) }

  /// Returns whether two values of the property are the same.
  func isSame(_ one: Any, _ other: Any) -> Bool { type.areSame(one, other) }

  /// Stores a value and marks its readers, but updates no log, index or back-link.
  ///
  /// The object is unstored, or its back-links have not been added yet.
  func put(_ value: Any, into object: Object) { type.put(value, into: object, at: offset) }

  /// Whether releasing a value may run user code.
  ///
  /// The targets of links are stored or in the log, so releasing a link never does.
  var mayOwn: Bool {
    role != .link && role != .links && role != .inverse && type.mayValueRunCode
  }
}

extension PropertyStorage {
  static var hasSize: Bool { MemoryLayout<Self>.size > 0 }

  fileprivate static var mayValueRunCode: Bool { mayRunCode(Value.self) }

  /// Returns the property's storage in an object.
  ///
  /// Safe, because an offset comes from the runtime's record of the property, or from the address of
  /// the wrapper, and is kept together with its type.
  @inlinable
  @inline(__always)
  static func storage(in object: Object, at offset: Int) -> UncheckedPointer<Self> {
    unsafe UncheckedPointer(at: offset, of: object)
  }

  /// Returns the wrapper of the property in an object.
  static func wrapper(in object: Object, at offset: Int) -> Self {
    storage(in: object, at: offset).pointee
  }

  fileprivate static func value(in object: Object, at offset: Int) -> Any {
    storage(in: object, at: offset).pointee.stored
  }

  /// Returns the value as tools that inspect the graph show it.
  static func text(in object: Object, at offset: Int) -> String {
    Inspection.text(of: storage(in: object, at: offset).pointee.stored)
  }

  fileprivate static func isSame(_ old: Any, in object: Object, at offset: Int) -> Bool {
    guard let old = old as? Value else { return false }
    return isSame(old, as: storage(in: object, at: offset).pointee.stored)
  }

  fileprivate static func areSame(_ one: Any, _ other: Any) -> Bool {
    guard let one = one as? Value, let other = other as? Value else { return false }
    return isSame(one, as: other)
  }

  fileprivate static func put(_ value: Any, into object: Object, at offset: Int) {
    guard let value = value as? Value else { return }
    if signals_is_changing_property() { object.refuseIfChanging(at: offset, for: .written) }
    let storage = storage(in: object, at: offset)
    let old = storage.pointee.stored
    if isSame(old, as: value) { return }
    object.markReaders(of: offset, old: ValueBefore<Self>(old))
    storage.pointee.stored = value
    withExtendedLifetime(old) {}
  }
}

extension UncheckedPointer where Pointee: PropertyStorage {
  /// The place of the value, with which the storage of every wrapper begins.
  @inlinable var storedValue: UncheckedPointer<Pointee.Value> {
    @inline(__always) get { unsafe field(as: Pointee.Value.self) }
  }
}
