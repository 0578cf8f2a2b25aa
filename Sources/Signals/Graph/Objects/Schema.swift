// Names, types and offsets of the properties of a class, read from the runtime's field records.
//
// `_forEachField` inspects only the type, so no user code runs. Views/Hosting/FieldTables.swift and
// Projections/ProjectedProperties.swift also call it, for the wrappers in views and projections.

@_spi(Reflection) private import Swift

/// The wrapped properties of a class, inherited ones first.
struct Schema {
  let type: Object.Type
  let name: String
  let properties: [Property]
  /// The properties that refer to objects.
  let linking: [Property]
  /// The linking properties that may refer to embedded objects.
  let embedding: [Property]
  let primaryKey: Property?

  init(of type: Object.Type) {
    var properties: [Property] = []
    // The option "the type is a class", as a raw value: strict concurrency rejects its name.
    _ = unsafe _forEachField(of: type, options: _EachFieldOptions(rawValue: 1)) {
      label, offset, fieldType, _ in
      // A value of size zero has no unique address, and never changes.
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

extension Object {
  /// Returns whether this class is `type`, or inherits from it.
  ///
  /// - Complexity: O(*d*), where *d* is the depth of the class hierarchy.
  static func isSubclass(of type: Object.Type) -> Bool {
    var candidate: AnyClass? = self
    while let present = candidate {
      if present == type { return true }
      candidate = _getSuperclass(present)
    }
    return false
  }
}
