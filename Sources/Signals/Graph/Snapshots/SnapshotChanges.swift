// Comparing two snapshots.
//
// Subtrees that both share are skipped. A row in a shared subtree is equal, and so are the targets
// of its links: an object that leaves the store is first removed from every link, which changes the
// row that has the link.

extension Snapshot {
  /// Returns the changes between this snapshot and another one as one change set.
  ///
  /// Applied to a store made from this snapshot, it makes the store equal to one made from the
  /// other. The change set includes the links that were removed by deletions.
  ///
  /// - Parameter other: The snapshot after the changes.
  /// - Returns: The change set, without an origin.
  /// - Complexity: O(k log n) for snapshots of one store with k changed objects, else O(objects).
  public func changes(to other: Snapshot) -> ChangeSet {
    var comparison = SnapshotComparison(from: core, to: other.core)
    comparison.run { _ in true }
    return ChangeSet(comparison.changes, origin: nil)
  }
}

extension Snapshot: Equatable {
  /// Two snapshots are equal if they have the same objects, by id and class, with the same values.
  ///
  /// The order in which the objects were added doesn't matter. NaN counts as equal to NaN.
  ///
  /// - Parameters:
  ///   - lhs: A value to compare.
  ///   - rhs: Another value to compare.
  /// - Returns: Whether the two are equal.
  /// - Complexity: O(1) for copies, O(k log n) for snapshots of one store with k changed objects,
  ///   else O(objects).
  public static func == (lhs: Snapshot, rhs: Snapshot) -> Bool {
    if lhs.core === rhs.core { return true }
    guard lhs.count == rhs.count else { return false }
    var comparison = SnapshotComparison(from: lhs.core, to: rhs.core)
    comparison.run { _ in false }
    return comparison.changes.isEmpty
  }
}

/// One comparison of two snapshots.
private struct SnapshotComparison {
  let old: SnapshotCore
  let new: SnapshotCore
  var changes: [ObjectChange] = []
  private var departed: [ObjectID: SnapshotRow] = [:]
  private var arrived: [SnapshotRow] = []

  init(from old: SnapshotCore, to new: SnapshotCore) {
    self.old = old
    self.new = new
  }

  /// Collects changes until `shouldContinue` returns false for one.
  mutating func run(_ shouldContinue: (ObjectChange) -> Bool) {
    var counterparts: [ObjectIdentifier: SnapshotTable] = [:]
    for table in new.tables { counterparts[ObjectIdentifier(table.shape)] = table }
    for table in old.tables {
      let counterpart = counterparts.removeValue(forKey: ObjectIdentifier(table.shape))
      if !compare(table.root, counterpart?.root, shouldContinue) { return }
    }
    for table in new.tables where counterparts[ObjectIdentifier(table.shape)] != nil {
      if !compare(nil, table.root, shouldContinue) { return }
    }
    // By now an object with different slots in the two snapshots is in both `departed` and
    // `arrived`.
    arrived.sort { ($0.sequence, $0.id) < ($1.sequence, $1.id) }
    var inserted: [SnapshotRow] = []
    for row in arrived {
      guard let before = departed[row.id], before.shape === row.shape else {
        inserted.append(row)
        continue
      }
      departed[row.id] = nil
      if !note(modification(from: before, to: row), while: shouldContinue) { return }
    }
    let deleted = departed.values.sorted { ($0.sequence, $0.id) < ($1.sequence, $1.id) }
    for row in deleted where !note(change(.deleted, row, old), while: shouldContinue) { return }
    for row in inserted where !note(change(.inserted, row, new), while: shouldContinue) { return }
  }

  private mutating func note(_ change: ObjectChange?, while shouldContinue: (ObjectChange) -> Bool)
    -> Bool
  {
    guard let change else { return true }
    changes.append(change)
    return shouldContinue(change)
  }

  private mutating func compare(
    _ before: SnapshotNode?, _ after: SnapshotNode?, _ shouldContinue: (ObjectChange) -> Bool
  ) -> Bool {
    var result = true
    SnapshotTable.forEachDifference(before, after) { before, after, _ in
      for slot in 0..<SnapshotNode.rows {
        let was = before.flatMap { $0.has(slot) ? SnapshotRow(leaf: $0, slot: slot) : nil }
        let row = after.flatMap { $0.has(slot) ? SnapshotRow(leaf: $0, slot: slot) : nil }
        if let was, let row, was.id == row.id {
          if !note(modification(from: was, to: row), while: shouldContinue) { result = false }
        } else {
          if let was { departed[was.id] = was }
          if let row { arrived.append(row) }
        }
      }
      return result
    }
    return result
  }

  // MARK: - Rows

  private func change(
    _ kind: ObjectChange.Kind, _ row: SnapshotRow, _ core: SnapshotCore
  ) -> ObjectChange {
    let properties = row.shape.columns.map { column in
      let value = row.encodedValue(of: column, in: core)
      return ObjectChange.Property(
        name: column.property.name, old: kind == .deleted ? value : nil,
        new: kind == .inserted ? value : nil)
    }
    return ObjectChange(id: row.id, kind: kind, properties: properties, type: row.shape.type)
  }

  private func modification(from before: SnapshotRow, to after: SnapshotRow) -> ObjectChange? {
    let properties = after.shape.columns.compactMap { column -> ObjectChange.Property? in
      if isSame(before, after, column) { return nil }
      return ObjectChange.Property(
        name: column.property.name, old: before.encodedValue(of: column, in: old),
        new: after.encodedValue(of: column, in: new))
    }
    if properties.isEmpty { return nil }
    return ObjectChange(
      id: after.id, kind: .modified, properties: properties, type: after.shape.type)
  }

  private func isSame(
    _ before: SnapshotRow, _ after: SnapshotRow, _ column: SnapshotColumn
  ) -> Bool {
    switch column {
    case let column as LinkColumn:
      return old.id(before.target(column)) == new.id(after.target(column))
    case let column as ListColumn:
      let (was, list) = (before.members(column), after.members(column))
      if was.isIdentical(to: list) { return true }
      guard was.count == list.count else { return false }
      return Tree.difference(from: was, to: list, isSame: { old.id($0) == new.id($1) }).isEmpty
    default: return column.isSame(before.value(column), after.value(column))
    }
  }
}

extension SnapshotRow {
  /// A value as a change set represents it.
  func encodedValue(of column: SnapshotColumn, in core: SnapshotCore) -> any FieldValue {
    switch column {
    case let column as LinkColumn:
      let target: ObjectID? = core.id(target(column))
      return target
    case let column as ListColumn: return members(column).compactMap { core.id($0) }
    default: return column.encodedValue(at: value(column))
    }
  }
}
