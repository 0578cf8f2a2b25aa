// What a property's value looks like outside of the graph: a field as it is, a link as `ObjectID?`, a list
// as `[ObjectID]`; and the way back.

extension Property {
  /// Whether it has a value of its own; an inverse has none.
  var isCarried: Bool { role != .inverse }

  /// The type that carries the property's values.
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

  /// A value of the property as it is carried.
  ///
  /// O(n) for a list of n members, else O(1).
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

  /// What a field holds is a field value; only the compiler does not know any more.
  private func fieldValue(_ value: Any) -> (any FieldValue)? {
    func open<P: StoredFieldProperty>(_ type: P.Type) -> (any FieldValue)? { value as? P.Value }
    return (self.type as? any StoredFieldProperty.Type).flatMap { open($0) }
  }

  /// The value that the property holds for one that was carried, with objects found by their ids; nil if
  /// it can't hold that.
  ///
  /// A member that is not found, or of another class, is left out and told to `missing`; so is the
  /// target of a link, which then leads nowhere.
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

/// A link, whatever the type of its target.
private protocol LinkProperty: StoredProperty {
  static var none: Any { get }
  static func value(of object: Object) -> Any?
}

extension Link: LinkProperty {
  fileprivate static var none: Any { Target?.none as Any }
  fileprivate static func value(of object: Object) -> Any? { object as? Target }
}

/// A list, whatever the type of its members.
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
