/// Selects the first row of each group.
final class DistinctStage: QueryStage {
  private let grouping: Grouping

  init(_ grouping: Grouping) {
    self.grouping = grouping
    super.init(grouping.query)
  }

  override var objects: [Object] { grouping.firsts.values.map(\.object) }

  override func contains(_ object: Object) -> Bool {
    guard let row = upstream.table.row(of: object) else { return false }
    return grouping.firsts[row.group]?.object === object
  }

  override func difference(_ updates: [RowUpdate]) -> [Object] {
    grouping.changes.flatMap { change in
      change.old?.object === change.new?.object
        ? [] : [change.old, change.new].compactMap(\.?.object)
    }
  }
}
