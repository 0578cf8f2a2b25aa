// Names, types and offsets of the properties of a class, read from the runtime's field records.
//
// `_forEachField` asks the type alone, so nothing of the user's runs. This is the only file that knows
// of it.

@_spi(Reflection) private import Swift

/// A wrapped property of a class.
struct Property {
  let name: String
  /// The byte offset of the storage in every instance of the class and its subclasses.
  let offset: Int
  let type: any StoredProperty.Type

  var role: PropertyRole { type.role }
}

/// The wrapped properties of a class, inherited ones first.
struct Schema {
  let type: Object.Type
  let name: String
  let properties: [Property]
  /// Those that refer to objects.
  let linking: [Property]
  /// Those of them that may refer to embedded objects.
  let embedding: [Property]
  let primaryKey: Property?

  init(of type: Object.Type) {
    var properties: [Property] = []
    // The one option there is, "the type is a class", has no name that strict concurrency allows.
    _ = unsafe _forEachField(of: type, options: _EachFieldOptions(rawValue: 1)) {
      label, offset, fieldType, _ in
      // A value without a size has no address of its own, and never changes.
      if let wrapper = fieldType as? any StoredProperty.Type, wrapper.hasSize {
        let name = unsafe String(cString: label)
        properties.append(
          Property(
            name: name.hasPrefix("_") ? String(name.dropFirst()) : name, offset: offset,
            type: wrapper))
      }
      return true
    }
    self.type = type
    self.name = String(describing: type)
    self.properties = properties
    primaryKey = properties.first { $0.role == .primaryKey }
    linking = properties.filter { $0.role == .link || $0.role == .links }
    embedding = linking.filter { property in
      guard let target = (property.type as? any LinkingProperty.Type)?.targetType else {
        return true
      }
      return target.isSubclass(of: EmbeddedObject.self) || target == Object.self
    }
  }

  func property(at offset: Int) -> Property? { properties.first { $0.offset == offset } }
}

extension StoredProperty {
  static var hasSize: Bool { MemoryLayout<Self>.size > 0 }
}

extension Object {
  /// Whether this class is another one, or inherits from it.
  ///
  /// O(depth).
  static func isSubclass(of type: Object.Type) -> Bool {
    var candidate: AnyClass? = self
    while let present = candidate {
      if present == type { return true }
      candidate = _getSuperclass(present)
    }
    return false
  }
}
