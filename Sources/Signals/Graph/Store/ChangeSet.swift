/// The changes of one commit, as a value: the objects inserted, deleted or modified, with old and
/// new values.
///
/// - A change set is `Sendable` and `Codable`: a link is represented by an ``ObjectID``, a list by
///   an array of them.
/// - A property that was written back to its old value is not included.
/// - Consecutive change sets can be merged into one, and each has an inverse.
/// - ``Store/apply(_:undoable:onConflict:)`` makes the changes in another store.
///
/// Two change sets are equal if they have the same origin and change the same objects in the same
/// way, in any order.
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
  /// The origin given to the `write`.
  ///
  /// An undo or redo without one has ``Origin/undo`` or ``Origin/redo``.
  public let origin: Origin?

  package init(_ changes: [ObjectChange], origin: Origin?) {
    self.changes = changes
    self.origin = origin
  }

  /// Creates a change set without changes.
  public init() { self.init([], origin: nil) }

  /// Whether there are no changes.
  public var isEmpty: Bool { changes.isEmpty }

  /// The changes of inserted objects, in the order of each object's first change.
  ///
  /// - Complexity: O(changes).
  public var inserted: [ObjectChange] { changes.filter { $0.kind == .inserted } }

  /// The changes of deleted objects, in the order of each object's first change.
  ///
  /// - Complexity: O(changes).
  public var deleted: [ObjectChange] { changes.filter { $0.kind == .deleted } }

  /// The changes of modified objects, in the order of each object's first change.
  ///
  /// - Complexity: O(changes).
  public var modified: [ObjectChange] { changes.filter { $0.kind == .modified } }

  /// The change of one object, or nil if it didn't change.
  ///
  /// - Parameter id: The id of the object.
  /// - Complexity: O(changes).
  public subscript(id: ObjectID) -> ObjectChange? { changes.first { $0.id == id } }
}

extension ChangeSet {
  /// Creates the change set of a journal that isn't closed yet, since the entry at `start`.
  ///
  /// The objects have the values from after the changes.
  ///
  /// - Parameter isChosen: Returns whether a change is included, from the id of the object, the kind, and
  ///   the object unless it was deleted.
  init(
    _ journal: Journal, from start: Int = 0, origin: Origin?, in store: Store,
    where isChosen: ((ObjectID, ObjectChange.Kind, Object?) -> Bool)? = nil
  ) {
    let entries = journal.entries
    var mayRepeat = false
    var changes = (start..<entries.count).compactMap { index -> ObjectChange? in
      guard entries[index].previous < start else { return nil }
      let object = entries[index].object
      let history = ObjectHistory(object, in: entries, from: start)
      guard let kind = history.kind else { return nil }
      if kind != .modified, journal.hasDeletions, store.mayBeTwice(object) { mayRepeat = true }
      // Otherwise one of two instances with the same id may be chosen.
      if !journal.hasDeletions, let isChosen, !isChosen(object.objectID, kind, object) {
        return nil
      }
      return history.change(kind, of: store.table(of: Swift.type(of: object)).schema)
    }
    if mayRepeat { changes = Self.oneForEachID(changes) }
    if journal.hasDeletions, let isChosen {
      changes = changes.filter { change in
        let object = change.kind == .deleted ? nil : store.storedObject(change.id)
        return isChosen(change.id, change.kind, object)
      }
    }
    self.init(changes, origin: origin)
  }

  /// Merges the changes of different instances with the same ID.
  ///
  /// If one instance was deleted and another inserted, the object counts as modified, provided that
  /// a property differs. An object whose links have the same IDs as before doesn't count as
  /// modified.
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
  /// The kind of the net change, or nil without one; a modification may be that of equal values.
  fileprivate var kind: ObjectChange.Kind? {
    switch (wasStored, isStored) {
    case (false, true): .inserted
    case (true, false): .deleted
    case (true, true): .modified
    case (false, false): nil
    }
  }

  /// The change of the object, or nil if it has no net change.
  fileprivate func change(_ kind: ObjectChange.Kind, of schema: Schema) -> ObjectChange? {
    let properties = schema.properties.compactMap { property -> ObjectChange.Property? in
      guard property.isEncoded else { return nil }
      let old = oldValue(at: property.offset)
      if kind == .modified, old.map({ property.isSame($0, in: object) }) ?? true { return nil }
      let present = property.value(in: object)
      return ObjectChange.Property(
        name: property.name,
        old: kind == .inserted ? nil : property.encodedValue(of: old ?? present),
        new: kind == .deleted ? nil : property.encodedValue(of: present))
    }
    if kind == .modified, properties.isEmpty { return nil }
    return ObjectChange(
      id: object.objectID, kind: kind, properties: properties, type: schema.type,
      isDerived: isDerived)
  }
}
