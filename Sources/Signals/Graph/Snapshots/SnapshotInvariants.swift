// The invariants of every snapshot, for tests.

extension Snapshot {
  /// Describes each broken invariant.
  ///
  /// - Complexity: O(values).
  package func brokenInvariants() -> [String] {
    var broken: [String] = []
    for table in core.tables {
      var count = 0
      table.forEachRow { row, _ in
        count += 1
        for column in row.shape.columns {
          let name = "\(row.shape.name).\(column.property.name) of \(row.id)"
          var locations: [SnapshotLocation] = []
          if let column = column as? LinkColumn { locations = [row.target(column)] }
          if let column = column as? ListColumn { locations = Array(row.members(column)) }
          for location in locations where location != .none && core.row(location) == nil {
            broken.append("\(name) leads to \(location)")
          }
        }
      }
      if count != table.count { broken.append("the count of \(table.shape.name)") }
    }
    return broken
  }
}
