// Change sets as a group, nearly: one after the other is one, and each has an inverse.

extension ChangeSet {
  /// This change set and one that follows it, as one.
  ///
  /// - What came and then went is not in it; what came and was modified came as it is in the end.
  /// - A property that was modified twice has the first old value and the last new one; if they are
  ///   equal it is not in it.
  ///
  /// `next` should say what happened after this one; where it contradicts, it is believed. The origin is
  /// kept if both have the same. O(changes of both).
  public func merging(_ next: ChangeSet) -> ChangeSet {
    var merged: [ObjectChange?] = changes
    var places: [ObjectID: Int] = [:]
    for (place, change) in changes.enumerated() { places[change.id] = place }
    for change in next.changes {
      if let place = places[change.id] {
        merged[place] = merged[place].map { $0.merging(change) } ?? change
      } else {
        places[change.id] = merged.count
        merged.append(change)
      }
    }
    let origin = isEmpty || origin == next.origin ? next.origin : next.isEmpty ? origin : nil
    return ChangeSet(merged.compactMap { $0 }, origin: origin)
  }

  /// Change sets that follow each other, as one: in O(n log n) for n changes in all.
  package static func sum(of sets: [ChangeSet]) -> ChangeSet {
    // Neighbors first, so that none is gone through again for each that follows it.
    var sets = sets
    while sets.count > 1 {
      sets = stride(from: 0, to: sets.count, by: 2).map { place in
        place + 1 < sets.count ? sets[place].merging(sets[place + 1]) : sets[place]
      }
    }
    return sets.first ?? ChangeSet()
  }

  /// The change that takes this one back: old and new values in each other's place.
  ///
  /// O(changes).
  public func inverted() -> ChangeSet {
    ChangeSet(changes.reversed().map { $0.inverted() }, origin: origin)
  }
}

extension ObjectChange {
  func merging(_ next: ObjectChange) -> ObjectChange? {
    // One id names one object, of one class; what says otherwise was not made by a store.
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
    return ObjectChange(id: id, kind: kind, properties: merged, type: type).net
  }

  /// The same without the properties of a modified object that are what they were; nil if there is no other.
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
