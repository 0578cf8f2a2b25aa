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
      }, type: type, isDerived: isDerived)
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

extension ChangeSet {
  /// The same changes with other object ids.
  package func renamed(_ name: (ObjectID) -> ObjectID) -> ChangeSet {
    ChangeSet(changes.map { $0.renamed(name) }, origin: origin)
  }

  /// The changes without properties of inserted and deleted objects that an older version of the
  /// app didn't have.
  package func withoutProperties(unknownTo old: ChangeSet) -> ChangeSet {
    let known = Dictionary(old.changes.map { ($0.id, $0) }) { first, _ in first }
    let changes = changes.map { change in
      guard change.kind != .modified, let old = known[change.id], old.kind == change.kind,
        old.type == change.type, old.properties.count < change.properties.count
      else { return change }
      return ObjectChange(
        id: change.id, kind: change.kind,
        properties: change.properties.filter { old[$0.name] != nil }, type: change.type,
        isDerived: change.isDerived)
    }
    return ChangeSet(changes, origin: origin)
  }
}
