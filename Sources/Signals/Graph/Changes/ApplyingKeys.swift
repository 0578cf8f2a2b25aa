// Primary keys that a change set changes: by way of deletions and additions they may change hands, in rings.

/// A primary key that is to change.
private struct NewKey {
  struct Place: Hashable {
    let index: ObjectIdentifier
    let key: AnyHashable?
  }

  let object: Object
  let change: ObjectChange
  let property: Property
  let index: PropertyIndex
  let key: any FieldValue

  var place: Place { Place(index: ObjectIdentifier(index), key: key as? AnyHashable) }

  /// The object that has the key now.
  var holder: Object? {
    func open<Key: FieldValue>(_ key: Key) -> Object? { index.objects(key)?.first }
    return open(key)
  }
}

extension ChangeApplication {
  /// Changes primary keys, all at once: each may become what another one was.
  mutating func changeKeys() {
    var (new, refused): ([NewKey], [NewKey]) = ([], [])
    var given: Set<NewKey.Place> = []
    for key in newKeys {
      if given.insert(key.place).inserted { new.append(key) } else { refused.append(key) }
    }
    var leaving = Set(new.map(\.object))
    while true {
      // Who keeps a key keeps others from it, and those again others.
      let stopped = new.filter { $0.holder.map { !leaving.contains($0) } ?? false }
      if stopped.isEmpty { break }
      refused += stopped
      leaving.subtract(stopped.map(\.object))
      new.removeAll { !leaving.contains($0.object) }
    }
    for key in new {
      guard let value = fieldValue(key.property, key.key) else { continue }
      store.rewrite(key.property, of: key.object, to: value, transaction)
    }
    for key in refused {
      guard let holder = key.holder else { continue }
      note(.keyTaken(by: holder.objectID), key.change, key.change[key.property.name])
    }
  }

  private var newKeys: [NewKey] {
    updates.flatMap { object, change, properties in
      properties.compactMap { property, key in
        guard property.role == .primaryKey, fieldValue(property, key) != nil,
          let index = store.extent(of: type(of: object)).index(at: property.offset)
        else { return nil }
        return NewKey(object: object, change: change, property: property, index: index, key: key)
      }
    }
  }
}
