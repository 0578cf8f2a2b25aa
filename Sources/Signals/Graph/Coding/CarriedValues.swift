// The form of a property's value outside of the graph, and the conversion back. A carried field is
// the value itself, a carried link an `ObjectID?`, and a carried list an `[ObjectID]`.

extension Property {
  /// Whether the property has a carried value; an inverse, which is derived, has none.
  var isCarried: Bool { role != .inverse }

  /// The type of the property's carried values.
  var carrier: (any FieldValue.Type)? {
    switch role {
    case .field, .primaryKey, .indexed:
      func open<P: StoredFieldProperty>(_ type: P.Type) -> any FieldValue.Type { P.Value.self }
      return (type as? any StoredFieldProperty.Type).map { open($0) }
    case .link: return ObjectID?.self
    case .links: return [ObjectID].self
    case .inverse: return nil
    }
  }

  /// Returns the carried form of a value of the property.
  ///
  /// - Complexity: O(*n*) for a list of *n* members, otherwise O(1).
  func carried(_ value: Any) -> (any FieldValue)? {
    switch role {
    case .field, .primaryKey, .indexed: return fieldValue(value)
    case .link:
      let target: ObjectID? = (value as? Object)?.objectID
      return .some(target)
    case .links:
      func open<P: StoredProperty>(_ type: P.Type) -> [ObjectID] {
        guard let list = value as? P.Value else { return [] }
        var ids: [ObjectID] = []
        unsafe withUnsafePointer(to: list) { unsafe References(role, $0) }.forEach {
          ids.append($0.objectID)
        }
        return ids
      }
      return open(self.type)
    case .inverse: return nil
    }
  }

  /// Casts the value of a field, whose static type was erased, back to a field value.
  private func fieldValue(_ value: Any) -> (any FieldValue)? {
    func open<P: StoredFieldProperty>(_ type: P.Type) -> (any FieldValue)? { value as? P.Value }
    return (self.type as? any StoredFieldProperty.Type).flatMap { open($0) }
  }

  /// Converts a carried value back to a value of the property.
  ///
  /// A list member that isn't found, or has another class, is left out. A link whose target isn't
  /// found, or has another class, is `nil`.
  ///
  /// - Parameters:
  ///   - find: Returns the object with an id.
  ///   - missing: Called with the id of each object that is left out.
  /// - Returns: The value, or `nil` if the property can't hold it.
  func value(
    carrying value: any FieldValue, find: (ObjectID) -> Object?, missing: (ObjectID) -> Void
  ) -> Any? {
    switch role {
    case .field, .primaryKey, .indexed:
      return fieldValue(value)
    case .link:
      guard let target = value as? ObjectID?, let type = type as? any LinkProperty.Type else {
        return nil
      }
      if let target, let object = find(target), let value = type.value(of: object) { return value }
      if let target { missing(target) }
      return type.none
    case .links:
      guard let ids = value as? [ObjectID], let type = type as? any LinksProperty.Type else {
        return nil
      }
      return type.value(
        of: ids.compactMap { id in
          if let object = find(id), type.holds(object) { return object }
          missing(id)
          return nil
        })
    case .inverse: return nil
    }
  }
}

/// A ``Link`` with its target type erased.
private protocol LinkProperty: StoredProperty {
  static var none: Any { get }
  static func value(of object: Object) -> Any?
}

extension Link: LinkProperty {
  fileprivate static var none: Any { Target?.none as Any }
  fileprivate static func value(of object: Object) -> Any? { object as? Target }
}

/// A ``Links`` with its target type erased.
private protocol LinksProperty: StoredProperty {
  static func holds(_ object: Object) -> Bool
  static func value(of objects: [Object]) -> Any
}

extension Links: LinksProperty {
  fileprivate static func holds(_ object: Object) -> Bool { object is Target }
  fileprivate static func value(of objects: [Object]) -> Any {
    List<Target>(tree: Tree(objects))
  }
}
