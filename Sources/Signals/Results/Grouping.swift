// The rows of a query by the value of a key: what distinct rows and sections are made from.
//
// The rows stand in a tree of their own, by the number of their group and then in their order: a group is a
// range of it. State: `firsts`, the first row of each group; `changes`, which of these became others with the
// rows that are moved right now; `ordering`, by which of the orders of the query they are the first (Query.swift);
// `vacant`, the groups that lost their last row and may get it back in the same
// batch, so that their numbers are still theirs.

/// The rows of a query in groups.
final class Grouping: RowFollower {
  /// A group whose first row is another one, or in another place.
  struct Change {
    let group: Int
    let old: QueryRow?
    let new: QueryRow?
  }

  /// The rows by group.
  let query: Query
  /// The order within a group.
  let rowOrder: RowOrder
  /// Sorts by the numbers of the groups.
  let number: SortDescriptor
  private let keys: any GroupNumbers
  private(set) var firsts: [Int: QueryRow] = [:]
  private(set) var changes: [Change] = []
  private var ordering = 0
  private var vacant: Set<Int> = []
  /// Which of some groups somebody still knows by their numbers; set by who does.
  var known: (Set<Int>) -> Set<Int> = { _ in [] }

  init<Key: Hashable>(_ query: Query, _ keys: GroupKeys<Key>, by key: @escaping (Object) -> Key) {
    number = SortDescriptor { keys.number(of: key($0)) }
    self.query = query.reordered(by: [number] + query.order.descriptors)
    self.keys = keys
    rowOrder = query.order
    self.query.follow(self)
  }

  deinit { query.unfollow(self) }

  /// The position of the first row of a group, or of what follows if it has none.
  func start(of group: Int, in rows: Tree<QueryRow>) -> Int {
    rows.lowerBound { $0.group < group }
  }

  /// Where the rows of a group stand.
  ///
  /// O(log n).
  func range(of group: Int, in rows: Tree<QueryRow>) -> Range<Int> {
    start(of: group, in: rows)..<start(of: group + 1, in: rows)
  }

  // MARK: - Following

  // Those that need the groups follow the query too.
  var isFollowed: Bool { false }

  func rowsMayChange() {}

  func rowsWillChange(_ updates: [RowUpdate]) {
    if vacant.isEmpty { return }
    var leaving = vacant.subtracting(updates.lazy.compactMap { $0.new?.group })
    leaving.subtract(known(leaving))
    vacant.subtract(leaving)
    for group in leaving { keys.forget(group) }
  }

  func rowsDidChange(_ updates: [RowUpdate]) {
    var groups: Set<Int> = []
    for update in updates {
      if let old = update.old { groups.insert(old.group) }
      if let new = update.new { groups.insert(new.group) }
    }
    if ordering != query.treeOrdering {
      // The rows that stay have the keys by which they were compared last.
      groups.formUnion(firsts.keys)
      ordering = query.treeOrdering
    }
    changes = groups.compactMap(noteFirst)
  }

  func rowsDidSettle() { changes = [] }

  private func noteFirst(of group: Int) -> Change? {
    let position = start(of: group, in: query.tree)
    var first: QueryRow?
    if position < query.tree.count, query.tree[position].group == group {
      first = query.tree[position]
    }
    let old = firsts[group]
    firsts[group] = first
    if first == nil { vacant.insert(group) } else { vacant.remove(group) }
    if old == nil, first == nil { return nil }
    if let old, let first, old.object === first.object, areSame(old, first) {
      return nil
    }
    return Change(group: group, old: old, new: first)
  }

  private func areSame(_ one: QueryRow, _ other: QueryRow) -> Bool {
    query.comparing(by: query.order) { query.order.isSame(one, other) }
  }

  func rowsWereMadeAnew() {
    firsts = [:]
    changes = []
    ordering = query.treeOrdering
    vacant = []
    for row in query.tree where firsts[row.group] == nil { firsts[row.group] = row }
    keys.keep { firsts[$0] != nil }
  }
}

extension QueryRow {
  /// The number of its group.
  var group: Int {
    switch key {
    case .int(let group), .pair(.int(let group), _): group
    default: 0
    }
  }

  /// The key by which it stands in its group.
  var keyInGroup: SortKey {
    if case .pair(_, let key) = key { return key }
    return .unsorted
  }
}

/// Numbers that stand for the keys of groups.
protocol GroupNumbers: AnyObject {
  /// Forgets a group without rows.
  func forget(_ group: Int)
  /// Forgets all but some groups.
  func keep(_ isKept: (Int) -> Bool)
}

/// The keys of groups, each with a number.
///
/// State: `numbers` and `keys`, by each other; `unequal`, the groups of what does not equal itself, like NaN;
/// `last`, the number given last: none is given twice.
final class GroupKeys<Key: Hashable>: GroupNumbers {
  private var numbers: [Key: Int] = [:]
  private var keys: [Int: Key] = [:]
  private var unequal: [Int] = []
  private var last = 0

  /// The number of a key, a new one if it has none.
  func number(of key: Key) -> Int {
    if let number = known(key) { return number }
    last += 1
    keys[last] = key
    if key == key { numbers[key] = last } else { unequal.append(last) }
    return last
  }

  /// The number of a key if it has one.
  ///
  /// Keys that do not equal themselves are searched, and are the same if they consist of the same.
  func known(_ key: Key) -> Int? {
    if key == key { return numbers[key] }
    return unequal.first { group in keys[group].map { Self.areSame($0, key) } ?? false }
  }

  private static func areSame(_ one: Key, _ other: Key) -> Bool {
    if Sameness.areSameIfEqual(one, other) { return true }
    if let one = one as? any FloatingPoint, let other = other as? any FloatingPoint {
      return one.isNaN && other.isNaN
    }
    // What can't be taken apart is told by how it describes itself.
    return !(one is any Encodable) && String(reflecting: one) == String(reflecting: other)
  }

  /// The key of a group.
  func key(of group: Int) -> Key? { keys[group] }

  func forget(_ group: Int) {
    guard let key = keys.removeValue(forKey: group) else { return }
    if key == key { numbers[key] = nil } else { unequal.removeAll { $0 == group } }
  }

  func keep(_ isKept: (Int) -> Bool) {
    for group in Array(keys.keys) where !isKept(group) { forget(group) }
  }
}
