// The form of a property's value outside of the graph, and the conversion back. An encoded field is
// the value itself, an encoded link an `ObjectID?`, and an encoded list an `[ObjectID]`.

extension Property {
  /// Whether the property has an encoded value; an inverse, which is derived, has none.
  var isEncoded: Bool { role != .inverse }

  /// The type of the property's encoded values.
  var encodedType: (any FieldValue.Type)? {
    switch role {
    case .field, .primaryKey, .indexed:
      return fieldType?.encodedType
    case .link: return ObjectID?.self
    case .links: return [ObjectID].self
    case .inverse: return nil
    }
  }

  /// Returns the encoded form of a value of the property.
  ///
  /// - Complexity: O(*n*) for a list of *n* members, otherwise O(1).
  package func encodedValue(of value: Any) -> (any FieldValue)? {
    switch role {
    case .field, .primaryKey, .indexed: return fieldValue(value)
    case .link:
      let target: ObjectID? = (value as? Object)?.objectID
      return .some(target)
    case .links:
      var ids: [ObjectID] = []
      references(of: value).forEach { ids.append($0.objectID) }
      return ids
    case .inverse: return nil
    }
  }

  /// Casts the value of a field, whose static type was erased, back to a field value.
  private func fieldValue(_ value: Any) -> (any FieldValue)? {
    fieldType?.encodedValue(of: value)
  }

  /// Converts an encoded value back to a value of the property.
  ///
  /// A list member that isn't found, or has another class, is left out. A link whose target isn't
  /// found, or has another class, is `nil`.
  ///
  /// - Parameters:
  ///   - find: Returns the object with an id.
  ///   - missing: Called with the id of each object that is left out.
  /// - Returns: The value, or `nil` if the property can't hold it.
  func value(
    decoding value: any FieldValue, find: (ObjectID) -> Object?, missing: (ObjectID) -> Void
  ) -> Any? {
    switch role {
    case .field, .primaryKey, .indexed:
      return fieldValue(value)
    case .link:
      return (value as? ObjectID?).flatMap { targets(ids: $0.map { [$0] } ?? []) }
    case .links: return (value as? [ObjectID]).flatMap { targets(ids: $0) }
    case .inverse: return nil
    }
    func targets(ids: [ObjectID]) -> Any? {
      guard let type = linkingType else { return nil }
      return type.value(
        of: ids.compactMap { id in
          if let object = find(id), type.holds(object) { return object }
          missing(id)
          return nil
        })
    }
  }
}

extension FieldStorage {
  fileprivate static var encodedType: any FieldValue.Type { Value.self }

  fileprivate static func encodedValue(of value: Any) -> (any FieldValue)? { value as? Value }
}
