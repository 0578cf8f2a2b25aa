// Which rows of a query other queries are made from: the first of them, or the first of each group.
//
// State: `readers`, the queries that test what is picked; they add and remove themselves.
//
// Order of events: a reader brings the pick up to date before itself. That refreshes the query upstream, which
// tells the pick what has moved, and the pick its readers who came and who went.

/// A choice among the rows of a query.
class Pick: RowFollower {
  let upstream: Query
  private var readers: [Reader] = []

  /// A reader removes itself before it goes.
  private struct Reader {
    let id: ObjectIdentifier
    unowned let query: Query
  }

  init(_ upstream: Query) {
    self.upstream = upstream
    upstream.follow(self)
  }

  deinit { upstream.unfollow(self) }

  /// The objects picked.
  var objects: [Object] { [] }

  /// Whether an object is picked.
  func contains(_ object: Object) -> Bool { false }

  /// The objects that came or went with a change upstream.
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

/// The first rows of a query.
///
/// State: `oldCount`, how many rows there were before those that are moved right now.
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

  // Rows that were not moved keep their order: of them the pick has the first, as many as the others leave
  // room for. So those that come or go stand next to the limit.
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

/// The first row of each group.
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
