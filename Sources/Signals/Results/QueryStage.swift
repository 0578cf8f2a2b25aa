// A selection among the rows of a query, from which other queries are made: the first rows, or the
// first row of each group.
//
// State: `readers`, the queries that test the selected rows; they add and remove themselves.
//
// Order of events: a reader refreshes the pick before itself. That refreshes the query upstream,
// which notifies the pick of moved rows. The pick then notifies its readers of the objects that
// entered or left the selection.

/// A selection among the rows of a query.
class Pick: RowFollower {
  let upstream: Query
  private var readers: [Reader] = []

  /// A reader, which removes itself before it is deallocated.
  private struct Reader {
    let id: ObjectIdentifier
    unowned let query: Query
  }

  init(_ upstream: Query) {
    self.upstream = upstream
    upstream.follow(self)
  }

  deinit { upstream.unfollow(self) }

  /// The selected objects.
  var objects: [Object] { [] }

  /// Whether an object is selected.
  func contains(_ object: Object) -> Bool { false }

  /// The objects that entered or left the selection with a change upstream.
  func difference(_ updates: [RowUpdate]) -> [Object] { [] }

  final func refresh() { upstream.refresh() }

  final func add(_ query: Query) {
    readers.append(Reader(id: ObjectIdentifier(query), query: query))
  }

  final func remove(_ query: Query) {
    let id = ObjectIdentifier(query)
    readers.removeAll { $0.id == id }
  }

  // MARK: - Following

  final var isFollowed: Bool { readers.contains { $0.query.isFollowed } }

  final func rowsMayChange() {
    for reader in readers { reader.query.candidatesMayChange() }
  }

  func rowsWillChange(_ updates: [RowUpdate]) {}

  final func rowsDidChange(_ updates: [RowUpdate]) {
    let objects = difference(updates)
    if objects.isEmpty { return }
    for reader in readers { reader.query.candidatesDidChange(objects) }
  }

  final func rowsWereMadeAnew() {
    for reader in readers { reader.query.candidatesWereMadeAnew() }
  }
}

/// Selects the first rows of a query.
///
/// State: `oldCount`, the number of rows before the current change.
final class PrefixPick: Pick {
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

  // Unmoved rows keep their relative order, and the pick has the first of them, as many as the
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

/// Selects the first row of each group.
final class DistinctPick: Pick {
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
