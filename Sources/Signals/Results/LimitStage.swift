/// Selects the first rows of a query.
///
/// State: `oldCount`, the number of rows before the current change.
final class LimitStage: QueryStage {
  private let limit: Int
  private var oldCount = 0

  init(_ upstream: Query, limit: Int) {
    self.limit = limit
    super.init(upstream)
  }

  override var objects: [Object] {
    var objects: [Object] = []
    upstream.tree.forEach(in: 0..<min(limit, upstream.tree.count)) { objects.append($0.object) }
    return objects
  }

  override func contains(_ object: Object) -> Bool {
    upstream.position(of: object).map { $0 < limit } ?? false
  }

  override func rowsWillChange(_ updates: [RowUpdate]) { oldCount = upstream.tree.count }

  // Unmoved rows keep their relative order, and the stage has the first of them, as many as the
  // moved rows leave room for. So the unmoved rows that enter or leave are next to the limit.
  override func difference(_ updates: [RowUpdate]) -> [Object] {
    var difference: [Object] = []
    var moved: Set<Object> = []
    let newCount = upstream.tree.count
    var (before, now) = (min(limit, oldCount), min(limit, newCount))
    for update in updates {
      moved.insert(update.object)
      let wasPicked = update.oldPosition.map { $0 < limit } ?? false
      let isPicked = contains(update.object)
      if wasPicked { before -= 1 }
      if isPicked { now -= 1 }
      if wasPicked != isPicked { difference.append(update.object) }
    }
    var position = min(limit, newCount)
    while now > before {
      position -= 1
      let object = upstream.tree[position].object
      if !moved.contains(object) {
        difference.append(object)
        now -= 1
      }
    }
    while now < before {
      let object = upstream.tree[position].object
      position += 1
      if !moved.contains(object) {
        difference.append(object)
        now += 1
      }
    }
    return difference
  }
}
