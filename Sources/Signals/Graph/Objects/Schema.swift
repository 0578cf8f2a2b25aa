// The wrapped properties of a class.

/// The wrapped properties of a class, inherited ones first.
package struct Schema {
  package let type: Object.Type
  package let name: String
  package let properties: [Property]
  /// The properties that refer to objects.
  package let linking: [Property]
  /// The linking properties that may refer to embedded objects.
  package let embedding: [Property]
  package let primaryKey: Property?

  package init(of type: Object.Type) {
    var properties: [Property] = []
    for field in FieldRecord.all(of: type) {
      // A value of size zero has no unique address, and never changes.
      if let wrapper = field.type as? any PropertyStorage.Type, wrapper.hasSize {
        properties.append(Property(name: field.propertyName, offset: field.offset, type: wrapper))
      }
    }
    self.type = type
    self.name = String(describing: type)
    self.properties = properties
    primaryKey = properties.first { $0.role == .primaryKey }
    linking = properties.filter { $0.role == .link || $0.role == .links }
    embedding = linking.filter { property in
      guard let target = property.linkingType?.targetType else {
        return true
      }
      return target.isSubclass(of: EmbeddedObject.self) || target == Object.self
    }
  }

  package func property(at offset: Int) -> Property? { properties.first { $0.offset == offset } }
}

extension Object {
  /// Returns whether this class is `type`, or inherits from it.
  ///
  /// - Complexity: O(*d*), where *d* is the depth of the class hierarchy.
  package static func isSubclass(of type: Object.Type) -> Bool {
    var candidate: AnyClass? = self
    while let present = candidate {
      if present == type { return true }
      candidate = _getSuperclass(present)
    }
    return false
  }
}
