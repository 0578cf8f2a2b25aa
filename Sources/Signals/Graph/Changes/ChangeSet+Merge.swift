// Merging change sets that follow each other, and inverting one.

extension ChangeSet {
  /// Merges this change set with the one that follows it.
  ///
  /// - An object that was inserted and then deleted is left out. One that was inserted and then
  ///   modified is inserted with its last values.
  /// - A property that was modified twice has the first old value and the last new value. It is
  ///   left out if they are equal.
  /// - The origin is kept if both change sets have the same one.
  ///
  /// `next` is expected to describe what happened after this change set. Where the two contradict
  /// each other, `next` takes precedence.
  ///
  /// - Parameter next: The change set that follows this one.
  /// - Returns: The change set of both.
  /// - Complexity: O(changes of both).
  public func merging(_ next: ChangeSet) -> ChangeSet { ChangeSet.sum(of: [self, next]) }

  /// Merges change sets that follow each other, in O(changes of all).
  package static func sum(of sets: [ChangeSet]) -> ChangeSet {
    guard sets.count > 1 else { return sets.first ?? ChangeSet() }
    var merged: [ObjectChange?] = []
    var places: [ObjectID: Int] = [:]
    var (count, origin) = (0, Origin?.none)
    for set in sets where !set.isEmpty {
      origin = count == 0 || origin == set.origin ? set.origin : nil
      for change in set.changes {
        if let place = places[change.id] {
          let former = merged[place]
          merged[place] = former.map { $0.merging(change) } ?? change
          count += (merged[place] == nil ? 0 : 1) - (former == nil ? 0 : 1)
        } else {
          places[change.id] = merged.count
          merged.append(change)
          count += 1
        }
      }
    }
    return ChangeSet(merged.compactMap { $0 }, origin: merged.isEmpty ? sets.last?.origin : origin)
  }

  /// Returns the change set that reverses this one, with old and new values exchanged.
  ///
  /// - Returns: The reversed change set, with the same origin.
  /// - Complexity: O(changes).
  public func inverted() -> ChangeSet {
    ChangeSet(changes.reversed().map { $0.inverted() }, origin: origin)
  }
}

extension ObjectChange {
  func merging(_ next: ObjectChange) -> ObjectChange? {
    // An id identifies one object of one class. A change set that says otherwise wasn't made by a
    // store.
    guard type == next.type else { return next }
    let kind: Kind
    switch (self.kind, next.kind) {
    case (.inserted, .deleted): return nil
    case (.inserted, _): kind = .inserted
    case (_, .deleted): kind = .deleted
    case (.deleted, _), (.modified, _): kind = .modified
    }
    var merged = properties
    var places: [String: Int] = [:]
    for (place, property) in properties.enumerated() { places[property.name] = place }
    for property in next.properties {
      if let place = places[property.name] {
        let old = merged[place].old
        merged[place] = Property(
          name: property.name, old: kind == .inserted ? nil : old ?? property.old,
          new: property.new)
      } else {
        merged.append(property)
      }
    }
    merged = merged.map { property in
      Property(
        name: property.name, old: kind == .inserted ? nil : property.old,
        new: kind == .deleted ? nil : property.new)
    }
    return ObjectChange(
      id: id, kind: kind, properties: merged, type: type, isDerived: next.isDerived
    ).net
  }

  /// The change without the modified properties whose old and new values are equal; nil if that
  /// leaves no property.
  var net: ObjectChange? {
    if kind != .modified { return self }
    let differing = properties.filter { !Property.isSame($0.old, $0.new) }
    if differing.isEmpty { return nil }
    return ObjectChange(id: id, kind: kind, properties: differing, type: type)
  }

  func inverted() -> ObjectChange {
    let inverse: Kind =
      switch kind {
      case .inserted: .deleted
      case .deleted: .inserted
      case .modified: .modified
      }
    return ObjectChange(
      id: id, kind: inverse,
      properties: properties.map { Property(name: $0.name, old: $0.new, new: $0.old) }, type: type)
  }
}
