/// The change of one object in a commit: its kind, and the old and new values of its properties.
public struct ObjectChange: Sendable {
  /// Whether the object was inserted, deleted or modified.
  public enum Kind: String, Sendable, Codable {
    /// The object was added to the store.
    case inserted
    /// The object was deleted from the store.
    case deleted
    /// Properties of the object changed.
    case modified
  }

  /// A changed property with its old and new value.
  public struct Property: Sendable {
    /// The name of the property.
    public let name: String
    /// The old value, nil for an inserted object; a link is an `ObjectID?`, a list is an
    /// `[ObjectID]`.
    public let old: (any FieldValue)?
    /// The new value, nil for a deleted object.
    public let new: (any FieldValue)?

    package init(name: String, old: (any FieldValue)?, new: (any FieldValue)?) {
      (self.name, self.old, self.new) = (name, old, new)
    }

    /// The edits that turn the old members of a list into the new ones; nil if the property isn't a
    /// list.
    ///
    /// The result isn't cached: each call compares both lists.
    ///
    /// - Complexity: O(n log n) for n members between the first and the last difference.
    public var listEdits: CollectionChange<ObjectID>? {
      guard old is [ObjectID]? && new is [ObjectID]?, old != nil || new != nil else { return nil }
      return CollectionChange(from: old as? [ObjectID] ?? [], to: new as? [ObjectID] ?? [])
    }
  }

  /// The id of the object.
  public let id: ObjectID
  /// Whether the object was inserted, deleted or modified.
  public let kind: Kind
  /// The changed properties; all of them for an inserted or deleted object.
  public let properties: [Property]
  package let type: Object.Type
  /// Whether an object was deleted because of another one: the target of a `.cascade` link with the
  /// object that had the link, or an ``EmbeddedObject`` with its owner or because it was unlinked.
  ///
  /// False for an object that the app deleted itself, for inserted and modified ones, and in the
  /// difference of two snapshots, which don't know. It says why an object was deleted, so it doesn't
  /// count when changes are compared.
  public let isDerived: Bool

  package init(
    id: ObjectID, kind: Kind, properties: [Property], type: Object.Type, isDerived: Bool = false
  ) {
    self.id = id
    self.kind = kind
    self.properties = properties
    self.type = type
    self.isDerived = isDerived && kind == .deleted
  }

  /// The name of the object's class.
  public var className: String { String(describing: type) }

  /// The change of the property with the given name, if it changed.
  ///
  /// - Parameter name: The name of the property.
  public subscript(name: String) -> Property? { properties.first { $0.name == name } }
}

extension ObjectChange: Equatable {
  /// Two changes are equal if the same happened to the same object, for whatever reason, in any
  /// order of properties.
  ///
  /// - Parameters:
  ///   - lhs: A value to compare.
  ///   - rhs: Another value to compare.
  /// - Returns: Whether the two are equal.
  public static func == (lhs: ObjectChange, rhs: ObjectChange) -> Bool {
    lhs.id == rhs.id && lhs.kind == rhs.kind && lhs.type == rhs.type
      && lhs.properties.count == rhs.properties.count
      && lhs.properties.allSatisfy { property in rhs[property.name] == property }
  }
}

extension ObjectChange.Property: Equatable {
  /// Two are equal if their names and values are; NaN counts as equal to NaN.
  ///
  /// - Parameters:
  ///   - lhs: A value to compare.
  ///   - rhs: Another value to compare.
  /// - Returns: Whether the two are equal.
  public static func == (lhs: Self, rhs: Self) -> Bool {
    lhs.name == rhs.name && isSame(lhs.old, rhs.old) && isSame(lhs.new, rhs.new)
  }

  /// Whether two values, with links as ids, are equal; NaN counts as equal to NaN.
  package static func isSame(_ lhs: (any FieldValue)?, _ rhs: (any FieldValue)?) -> Bool {
    guard let lhs, let rhs else { return lhs == nil && rhs == nil }
    func open<Value: FieldValue>(_ lhs: Value) -> Bool {
      guard let rhs = rhs as? Value else { return false }
      return ValueEquality.areEqual(lhs, rhs)
    }
    return open(lhs)
  }
}

extension ChangeSet: Equatable {
  /// Two change sets are equal if they have the same origin and change the same objects in the same
  /// way, in any order.
  ///
  /// - Parameters:
  ///   - lhs: A value to compare.
  ///   - rhs: Another value to compare.
  /// - Returns: Whether the two are equal.
  /// - Complexity: O(changes).
  public static func == (lhs: ChangeSet, rhs: ChangeSet) -> Bool {
    guard lhs.origin == rhs.origin, lhs.changes.count == rhs.changes.count else { return false }
    let byID = Dictionary(lhs.changes.map { ($0.id, $0) }) { first, _ in first }
    return rhs.changes.allSatisfy { byID[$0.id] == $0 }
  }
}
