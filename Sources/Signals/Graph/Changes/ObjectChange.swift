/// What happened to one object in a commit.
public struct ObjectChange: Sendable {
  /// Whether the object came, went, or stayed.
  public enum Kind: String, Sendable, Codable {
    /// It came.
    case inserted
    /// It went.
    case deleted
    /// It stayed, and properties of it changed.
    case modified
  }

  /// A property, with its value before and after.
  public struct Property: Sendable {
    /// The name of the property.
    public let name: String
    /// The value before: nil for an inserted object; a link as `ObjectID?`, a list as `[ObjectID]`.
    public let old: (any FieldValue)?
    /// The value after: nil for a deleted object.
    public let new: (any FieldValue)?

    /// How the old members of a list became the new ones; nil if it is no list.
    ///
    /// Nothing of it is kept: each call compares both, which is O(n log n) for n members between the
    /// first and the last difference.
    public var listEdits: ListEdits? {
      guard old is [ObjectID]? && new is [ObjectID]?, old != nil || new != nil else { return nil }
      return ListEdits(from: old as? [ObjectID] ?? [], to: new as? [ObjectID] ?? [])
    }
  }

  /// The object.
  public let id: ObjectID
  /// Whether it came, went or stayed.
  public let kind: Kind
  /// The changed properties; all of them for an object that came or went.
  public let properties: [Property]
  let type: Object.Type

  /// The name of the object's class.
  public var className: String { String(describing: type) }

  /// The change of a property by its name.
  public subscript(name: String) -> Property? { properties.first { $0.name == name } }
}

extension ObjectChange: Equatable {
  /// Two changes are equal if the same happened to the same object, in whatever order of properties.
  public static func == (lhs: ObjectChange, rhs: ObjectChange) -> Bool {
    lhs.id == rhs.id && lhs.kind == rhs.kind && lhs.type == rhs.type
      && lhs.properties.count == rhs.properties.count
      && lhs.properties.allSatisfy { property in rhs[property.name] == property }
  }
}

extension ObjectChange.Property: Equatable {
  /// Two are equal if names and values are; not-a-number is the same as itself here.
  public static func == (lhs: Self, rhs: Self) -> Bool {
    lhs.name == rhs.name && isSame(lhs.old, rhs.old) && isSame(lhs.new, rhs.new)
  }

  /// Whether two carried values are the same.
  static func isSame(_ lhs: (any FieldValue)?, _ rhs: (any FieldValue)?) -> Bool {
    guard let lhs, let rhs else { return lhs == nil && rhs == nil }
    func open<Value: FieldValue>(_ lhs: Value) -> Bool {
      guard let rhs = rhs as? Value else { return false }
      return Sameness.areSame(lhs, rhs)
    }
    return open(lhs)
  }
}

extension ChangeSet: Equatable {
  /// Two are equal if they have one origin and change the same objects in the same way.
  ///
  /// O(changes).
  public static func == (lhs: ChangeSet, rhs: ChangeSet) -> Bool {
    guard lhs.origin == rhs.origin, lhs.changes.count == rhs.changes.count else { return false }
    let byID = Dictionary(lhs.changes.map { ($0.id, $0) }) { first, _ in first }
    return rhs.changes.allSatisfy { byID[$0.id] == $0 }
  }
}
