/// What one commit changed, as a value: objects that came, went or were modified, with old and new values.
///
/// - It is `Sendable` and `Codable`: links are ``ObjectID``s, lists of them for lists.
/// - What was written back to its old value is not in it.
/// - Change sets that follow each other merge into one, and each has an inverse.
/// - ``Store/apply(_:undoable:onConflict:)`` makes the changes in another store.
///
/// Two change sets are equal if they change the same objects in the same way, in whatever order.
///
/// ```swift
/// let token = store.commits.sink { commit in
///   for change in commit.changes(of: Book.self) where change.kind == .modified {
///     print(change.old(\.title) ?? "-", "became", change.new(\.title) ?? "-")
///   }
/// }
/// ```
public struct ChangeSet: Sendable {
  /// The changed objects, in the order of their first change.
  public let changes: [ObjectChange]
  /// What the writer called itself.
  public let origin: Origin?

  init(_ changes: [ObjectChange], origin: Origin?) {
    self.changes = changes
    self.origin = origin
  }

  /// Creates a change set without changes.
  public init() { self.init([], origin: nil) }

  /// Whether nothing changed.
  public var isEmpty: Bool { changes.isEmpty }

  /// The objects that came, in the order of their first change.
  ///
  /// O(changes), like its siblings.
  public var inserted: [ObjectChange] { changes.filter { $0.kind == .inserted } }

  /// The objects that went.
  public var deleted: [ObjectChange] { changes.filter { $0.kind == .deleted } }

  /// The objects that were modified.
  public var modified: [ObjectChange] { changes.filter { $0.kind == .modified } }

  /// The change of one object, if it changed.
  ///
  /// O(changes).
  public subscript(id: ObjectID) -> ObjectChange? { changes.first { $0.id == id } }
}

extension ChangeSet {
  /// Reads the change off a log that is not closed yet; the objects are as they are after it.
  init(_ records: ContiguousArray<TransactionLog.Record>, origin: Origin?, _ store: Store) {
    var mayRepeat = false
    let changes = records.indices.compactMap { index -> ObjectChange? in
      guard records[index].previous < 0 else { return nil }
      let object = records[index].object
      let schema = store.extent(of: Swift.type(of: object)).schema
      guard let change = ObjectHistory(object, in: records).change(schema) else { return nil }
      if change.kind != .modified, store.mayBeTwice(object) { mayRepeat = true }
      return change
    }
    self.init(mayRepeat ? Self.oneForEachID(changes) : changes, origin: origin)
  }

  /// Where one instance went and another of the same id came, the object was modified, if it differs; and what links
  /// to it now as before was not.
  private static func oneForEachID(_ changes: [ObjectChange]) -> [ObjectChange] {
    var changes: [ObjectChange?] = changes
    var places: [ObjectID: Int] = [:]
    for (place, change) in changes.enumerated() {
      guard let change, let known = places.updateValue(place, forKey: change.id),
        let other = changes[known]
      else { continue }
      changes[known] = nil
      changes[place] =
        change.kind == .deleted ? change.merging(other) : other.merging(change)
    }
    return changes.compactMap { $0?.net }
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
      guard property.isCarried else { return nil }
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
