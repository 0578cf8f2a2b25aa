/// What one commit changed, as a value: objects that came, went or were modified, with old and new values.
///
/// It is `Sendable`: links are ``ObjectID``s. What was written back to its old value is not in it.
///
/// ```swift
/// let token = store.commits.sink { commit in
///   for change in commit.changes(of: Book.self) where change.kind == .modified {
///     print(change.old(\.title) ?? "-", "became", change.new(\.title) ?? "-")
///   }
/// }
/// ```
public struct ChangeSet: Sendable, CustomStringConvertible {
  /// The changed objects, in the order of their first change.
  public let changes: [ObjectChange]
  /// What the writer called itself.
  public let origin: Origin?

  /// Whether nothing changed.
  public var isEmpty: Bool { changes.isEmpty }

  /// The changes of one class and its subclasses.
  ///
  /// O(changes).
  public func changes(of type: Object.Type) -> [ObjectChange] {
    changes.filter { $0.type.isSubclass(of: type) }
  }

  /// The change of one object, if it changed.
  ///
  /// O(changes).
  public subscript(id: ObjectID) -> ObjectChange? { changes.first { $0.id == id } }

  /// A line an object and a line a property.
  public var description: String { changes.map(\.description).joined(separator: "\n") }
}

/// What happened to one object in a commit.
public struct ObjectChange: Sendable, CustomStringConvertible {
  /// Whether the object came, went, or stayed.
  public enum Kind: Sendable { case inserted, deleted, modified }

  /// A property, with its value before and after.
  public struct Property: Sendable {
    /// The name of the property.
    public let name: String
    /// The value before: nil for an inserted object; a link as `ObjectID?`, a list as `[ObjectID]`.
    public let old: (any FieldValue)?
    /// The value after: nil for a deleted object.
    public let new: (any FieldValue)?
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

  /// The value of a property before the commit, if it changed: `change.old(\.title)`.
  public func old<Root: Object, Value>(_ path: KeyPath<Root, Value>) -> Value? {
    property(at: path)?.old as? Value
  }

  /// The value of a property after the commit, if it changed: `change.new(\.title)`.
  public func new<Root: Object, Value>(_ path: KeyPath<Root, Value>) -> Value? {
    property(at: path)?.new as? Value
  }

  /// The target of a link before the commit, if it changed.
  public func old<Root: Object, Target: Object>(_ path: KeyPath<Root, Target?>) -> ObjectID? {
    (property(at: path)?.old as? ObjectID?) ?? nil
  }

  /// The target of a link after the commit, if it changed.
  public func new<Root: Object, Target: Object>(_ path: KeyPath<Root, Target?>) -> ObjectID? {
    (property(at: path)?.new as? ObjectID?) ?? nil
  }

  /// The members of a list before the commit, if it changed.
  public func old<Root: Object, Target: Object>(_ path: KeyPath<Root, List<Target>>) -> [ObjectID]?
  {
    property(at: path)?.old as? [ObjectID]
  }

  /// The members of a list after the commit, if it changed.
  public func new<Root: Object, Target: Object>(_ path: KeyPath<Root, List<Target>>) -> [ObjectID]?
  {
    property(at: path)?.new as? [ObjectID]
  }

  private func property<Root: Object, Value>(at path: KeyPath<Root, Value>) -> Property? {
    guard type.isSubclass(of: Root.self) else { return nil }
    return Schema(of: type).property(read: path).flatMap { self[$0.name] }
  }

  /// How messages show it.
  public var description: String {
    let sign =
      switch kind {
      case .inserted: "+"
      case .deleted: "-"
      case .modified: "~"
      }
    let lines = properties.map { property in
      let sides = [property.old, property.new].compactMap { $0.map { ChangeSet.show($0) } }
      return "    \(property.name): \(sides.joined(separator: " -> "))"
    }
    return (["\(sign) \(className) \(id)"] + lines).joined(separator: "\n")
  }
}

extension ChangeSet {
  static func show(_ value: any FieldValue) -> String {
    switch value {
    case let text as String: text.debugDescription
    case let id as ObjectID?: id.map(\.description) ?? "nil"
    case let ids as [ObjectID]: "[\(ids.map(\.description).joined(separator: ", "))]"
    default: "\(value)"
    }
  }

  /// Reads the change off a log that is not closed yet; the objects are as they are after it.
  init(_ records: ContiguousArray<TransactionLog.Record>, origin: Origin?, _ store: Store) {
    changes = records.indices.compactMap { index in
      guard records[index].previous < 0 else { return nil }
      let object = records[index].object
      let schema = store.extent(of: Swift.type(of: object)).schema
      return ObjectHistory(object, in: records).change(schema)
    }
    self.origin = origin
  }
}

extension ObjectHistory {
  /// What happened to the object, or nil if nothing did in the end.
  fileprivate func change(_ schema: Schema) -> ObjectChange? {
    let kind: ObjectChange.Kind
    switch (wasStored, isStored) {
    case (false, true): kind = .inserted
    case (true, false): kind = .deleted
    case (true, true): kind = .modified
    case (false, false): return nil
    }
    let properties = schema.properties.compactMap { property -> ObjectChange.Property? in
      guard property.role != .inverse else { return nil }
      let old = oldValue(at: property.offset)
      if kind == .modified, old.map({ property.isSame($0, in: object) }) ?? true { return nil }
      let present = property.value(in: object)
      return ObjectChange.Property(
        name: property.name, old: kind == .inserted ? nil : property.carried(old ?? present),
        new: kind == .deleted ? nil : property.carried(present))
    }
    if kind == .modified, properties.isEmpty { return nil }
    return ObjectChange(
      id: object.objectID, kind: kind, properties: properties, type: schema.type)
  }
}
