// Finding objects by their ids.
//
// State: `Store.identities`, every stored object by id, from the first time that anybody asks on, and
// `trackedIDs`, the ids that were looked up under tracking. Applying.swift keeps them up to date, by
// `noteIdentity`, whenever an object comes or goes.

extension Store {
  /// The stored object with an id; nil if there is none here.
  ///
  /// What a change set, an error or another store's ``ObjectID`` names is found by this, also where an
  /// object stands for one of another store: ``apply(_:undoable:onConflict:)`` and a restored
  /// ``Snapshot`` keep ids.
  ///
  /// The read is a dependency on whether the object is here, and which instance, and on nothing else of
  /// it. The first call builds an index, O(objects), which is then kept up to date; O(1) from then on.
  ///
  /// ```swift
  /// let token = store.commits.sink { commit in
  ///   for change in commit.changes { print(store.object(change.id) ?? "gone") }
  /// }
  /// ```
  public func object(_ id: ObjectID) -> Object? {
    if unsafe Node.reader != nil { trackedIDs.track(id) { "the object \(id)" } }
    return storedObject(id)
  }

  /// The same, and no dependency.
  func storedObject(_ id: ObjectID) -> Object? {
    if let identities { return identities[id] }
    var all: [ObjectID: Object] = [:]
    for extent in extents.values {
      for case let object? in extent.objects { all[object.objectID] = object }
    }
    identities = all
    return all[id]
  }

  /// Notes that an object comes, or that one of that id goes.
  func noteIdentity(_ id: ObjectID, _ object: Object?) {
    guard identities != nil else { return }
    if !trackedIDs.isEmpty, let trigger = trackedIDs[id] {
      let before = identities?[id].map(ObjectIdentifier.init)
      trigger.mark { [unowned self] in identities?[id].map(ObjectIdentifier.init) == before }
    }
    identities?[id] = object
  }
}
