// The conditions that must hold after each step, for tests. During a transaction, objects are in
// its journal, and embedded ones may have no owner.

extension Store {
  /// Whether a transaction is open.
  package var isWriting: Bool { transaction != nil }

  /// Describes each invariant that is broken.
  ///
  /// - Complexity: O(size of the store).
  package func brokenInvariants() -> [String] {
    var broken: [String] = []
    var links: [Object: [Object: Int]] = [:]
    var indexed: [ObjectIdentifier: Int] = [:]
    for table in tables.values {
      broken += table.brokenInvariants()
      for case let object? in table.objects {
        for property in table.schema.linking {
          if case .list(let tree) = property.references(in: object) {
            tree.checkInvariants { $0 === $1 }
            if !property.isSettledList(in: object) {
              broken.append("\(object.describeProperty(at: property.offset)) notes an edit")
            }
          }
        }
        object.forEachTarget(in: table.schema) { target, property in
          links[target, default: [:]][object, default: 0] += 1
          if target.table?.store !== self {
            broken.append("\(object.describeProperty(at: property.offset)) leads out of the store")
          }
        }
      }
      for (_, index) in table.indexes {
        indexed[ObjectIdentifier(index), default: 0] += table.count
      }
    }
    for table in tables.values {
      for (offset, index) in table.indexes where index.count != indexed[ObjectIdentifier(index)] {
        broken.append("the index of \(table.schema.name) at \(offset) has \(index.count) objects")
      }
      for case let object? in table.objects {
        var incoming: [Object: Int] = [:]
        for entry in object.backlinks?.entries ?? [] {
          incoming[entry.source, default: 0] += entry.multiplicity
        }
        if incoming != links[object] ?? [:] {
          broken.append("the back-links of \(object.objectID)")
        }
        let owners = incoming.values.reduce(0, +)
        let isOwned = owners == 1 || owners == 0 && transaction != nil
        if object.isEmbedded, !isOwned || isInRing(object) {
          broken.append("the ownership of \(object.objectID)")
        }
      }
    }
    if fullWriteReasons != countedReasons {
      broken.append("the reasons for full writes, \(fullWriteReasons) of \(countedReasons)")
    }
    broken += transaction?.journal.brokenListEdits ?? []
    broken += history.brokenInvariants
    for history in histories { broken += history.instance.brokenInvariants }
    if let identities {
      let stored = tables.values.flatMap { $0.objects.compactMap { $0 } }
      if identities.count != stored.count {
        broken.append("the index of ids has \(identities.count)")
      }
      for object in stored where identities[object.objectID] !== object {
        broken.append("the id of \(object.objectID)")
      }
    }
    return broken
  }
}

extension Store {
  /// All stored objects, in no particular order.
  package var storedObjects: [Object] { tables.values.flatMap { $0.objects.compactMap { $0 } } }

  /// The number of stored objects.
  package var objectCount: Int { tables.values.reduce(0) { $0 + $1.count } }

  /// The number of reasons that ``fullWriteReasons`` counts.
  private var countedReasons: Int {
    let flags = [transaction != nil || isSealing, snapshots != nil, faults != nil]
    return queryCount + commitObservers.active + commitRules.count + histories.count
      + history.joinReasons + flags.count { $0 }
  }

  private func isInRing(_ object: Object) -> Bool {
    var seen: Set<Object> = []
    var current = object
    while current.isEmbedded, let owner = current.ownership?.source {
      if !seen.insert(owner).inserted { return true }
      current = owner
    }
    return false
  }

  /// Returns the number of primary keys of a class that are tracked for current or former readers.
  package func trackedKeys(of type: Object.Type) -> Int {
    table(of: type).primaryKey?.index.trackedKeys ?? 0
  }
}

extension ObjectTable {
  fileprivate func brokenInvariants() -> [String] {
    var broken: [String] = []
    var present = 0
    for (slot, object) in objects.enumerated() {
      guard let object else { continue }
      present += 1
      if object.table !== self || Int(object.slot) != slot || object.isGone {
        broken.append("the place of \(object.objectID)")
      }
      if store.transaction == nil, object.lastEntry != -1 {
        broken.append("the journal of \(object.objectID)")
      }
      for (offset, index) in indexes where !index.holds(object, at: offset) {
        broken.append("the index has no \(object.describeProperty(at: offset))")
      }
    }
    if present != count { broken.append("the count of \(schema.name)") }
    return broken
  }
}
