// Finding objects by ID.
//
// Store+Mutation.swift keeps `identities` and `trackedIDs` up to date with `noteIdentity`, whenever
// an object is inserted or removed.

extension Store {
  /// Returns the stored object with an ID.
  ///
  /// This finds the object named by a change set, an error or another store's ``ObjectID``. Objects
  /// made by ``apply(_:undoable:onConflict:)`` or by restoring a ``Snapshot`` keep the IDs of the
  /// originals.
  ///
  /// The read depends only on the presence and identity of the object.
  ///
  /// ```swift
  /// let token = store.commits.sink { commit in
  ///   for change in commit.changes { print(store.object(change.id) ?? "gone") }
  /// }
  /// ```
  ///
  /// - Parameter id: The id of the object.
  /// - Returns: The object, or nil if this store has none with the ID.
  /// - Complexity: O(1). The first call builds an index in O(objects), which is then kept up to
  ///   date.
  public func object(_ id: ObjectID) -> Object? {
    if Node.hasReader {
      let source =
        trackedIDs[id]
        ?? trackedIDs.add(id, named: { "the object \(id)" }) { [unowned self] in
          identities?[id].map(ObjectIdentifier.init)
        }
      source.track()
    }
    return storedObject(id)
  }

  /// The stored object with an ID; the read is not a dependency.
  func storedObject(_ id: ObjectID) -> Object? {
    if let identities { return identities[id] }
    var all: [ObjectID: Object] = [:]
    for table in tables.values {
      for case let object? in table.objects { all[object.objectID] = object }
    }
    identities = all
    return all[id]
  }

  /// Notes that an object was inserted, or, if `object` is nil, that the one with the ID was
  /// removed.
  func noteIdentity(of id: ObjectID, _ object: Object?) {
    guard identities != nil else { return }
    if !trackedIDs.isEmpty, let invalidation = trackedIDs[id] {
      let before = identities?[id].map(ObjectIdentifier.init)
      invalidation.mark(from: before)
    }
    identities?[id] = object
  }
}
