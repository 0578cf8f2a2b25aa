// The invariants between the objects of a decoded snapshot, without which no store can be made of
// it.

extension SnapshotDecoding {
  /// Checks primary keys and the ownership of embedded objects.
  ///
  /// - Returns: The objects to remove, with the objects they embed: embedded objects whose owner
  ///   was left out, or whose owning property no longer exists.
  func check() throws -> Set<Int> {
    try checkKeys()
    return try checkOwnership()
  }

  private func checkKeys() throws {
    var taken: [ObjectIdentifier: Set<AnyHashable>] = [:]
    for object in locations.indices where locations[object] != .none {
      let row = row(object)
      guard let column = row.shape.primaryKey, let scope = row.shape.keyScope,
        let key = column.key(row.value(column))
      else { continue }
      let number = row.shape.columns.firstIndex { $0 === column }
      if key != key {
        throw failure(object, number, .malformed("\(key) is not equal to itself"))
      }
      if taken[scope, default: []].insert(key).inserted { continue }
      throw failure(object, number, .duplicateKey("\(key)"))
    }
  }

  /// Iterative, so that objects may be embedded at any depth.
  private func checkOwnership() throws -> Set<Int> {
    let isEmbedded = locations.map { $0 != .none && classes[Int($0.table)].shape.isEmbedded }
    guard isEmbedded.contains(true) else { return [] }
    var owner = [Int](repeating: -1, count: locations.count)
    var parts: [Int: [Int]] = [:]
    for links in pending {
      for target in links.targets where isEmbedded[target] {
        if owner[target] >= 0 {
          throw failure(links.object, links.column, .brokenOwnership("its target has an owner"))
        }
        owner[target] = links.object
        parts[links.object, default: []].append(target)
      }
    }
    var doomed: [Int] = []
    for object in locations.indices where isEmbedded[object] && owner[object] < 0 {
      guard released.contains(object) else {
        throw failure(object, nil, .brokenOwnership("it is embedded and has no owner"))
      }
      doomed.append(object)
    }
    var next = 0
    while next < doomed.count {
      doomed += parts[doomed[next]] ?? []
      next += 1
    }
    try checkNoRing(isEmbedded: isEmbedded, owners: owner)
    return Set(doomed)
  }

  private func checkNoRing(isEmbedded: [Bool], owners owner: [Int]) throws {
    // For each object, 0 if it wasn't visited, else the number of the walk that reached it first.
    var walks = [Int](repeating: 0, count: locations.count)
    for object in locations.indices where isEmbedded[object] && walks[object] == 0 {
      var current = object
      while isEmbedded[current], walks[current] == 0 {
        walks[current] = object + 1
        guard owner[current] >= 0 else { break }
        current = owner[current]
        if isEmbedded[current], walks[current] == object + 1 {
          throw failure(object, nil, .brokenOwnership("it is embedded in itself"))
        }
      }
    }
  }
}
