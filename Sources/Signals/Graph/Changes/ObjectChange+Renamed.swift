// Changes with other object ids, as a replay of a log needs them: its objects have new ids.

/// A value that contains object ids.
protocol NamingObjects {
  /// Returns the value with other object ids.
  func renamed(_ name: (ObjectID) -> ObjectID) -> any FieldValue
}

extension ObjectChange {
  /// Returns the same change with other object ids.
  func renamed(_ name: (ObjectID) -> ObjectID) -> ObjectChange {
    ObjectChange(
      id: name(id), kind: kind,
      properties: properties.map { property in
        Property(
          name: property.name, old: property.old.map { Self.renamed($0, by: name) },
          new: property.new.map { Self.renamed($0, by: name) })
      }, type: type)
  }

  private static func renamed(
    _ value: any FieldValue, by name: (ObjectID) -> ObjectID
  ) -> any FieldValue {
    // Links are optional. A field may hold an id that isn't a link.
    if Swift.type(of: value) == Optional<ObjectID>.self, let id = value as? ObjectID {
      return Optional(name(id))
    }
    if let ids = value as? [ObjectID] { return ids.map(name) }
    if let value = value as? any NamingObjects { return value.renamed(name) }
    return value
  }
}
