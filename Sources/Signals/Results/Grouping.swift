// The rows of a query, grouped by a key, for distinct rows and for sections.
//
// The rows are in a separate tree, sorted by the number of their group and then in their order, so
// a group is a range of the tree.
//
// State: `firsts`, the first row of each group; `changes`, the groups whose first row changes with
// the current change of rows; `ordering`, the query's ordering count for which `firsts` is valid
// (Query.swift); `vacant`, the groups that lost their last row and keep their numbers, because they
// may get a row again in the same batch.

/// The rows of a query in groups.
final class Grouping: QueryObserver {
  /// A group whose first row is different or has a different position.
  struct Change {
    let group: Int
    let old: QueryRow?
    let new: QueryRow?
  }

  /// The rows, sorted by group.
  let query: Query
  /// The order within a group.
  let rowOrder: RowOrder
  /// Sorts by the number of the group.
  let number: SortDescriptor
  /// Forgets the number of a group without rows.
  private let forget: (Int) -> Void
  /// Forgets the numbers of all groups that don't satisfy a condition.
  private let forgetUnless: ((Int) -> Bool) -> Void
  private(set) var firsts: [Int: QueryRow] = [:]
  private(set) var changes: [Change] = []
  private var ordering = 0
  private var vacant: Set<Int> = []
  /// Returns the empty groups among the given ones whose numbers are still in use.
  ///
  /// The list of sections sets this.
  var known: (Set<Int>) -> Set<Int> = { _ in [] }

  init<Key: Hashable>(
    _ query: Query, keys: GroupKeys<Key>, by key: @escaping (Object) -> Key
  ) {
    number = SortDescriptor { keys.number(of: key($0)) }
    self.query = query.reordered(by: [number] + query.order.descriptors)
    forget = keys.forget
    forgetUnless = keys.keep
    rowOrder = query.order
    self.query.addObserver(self)
  }

  deinit { query.removeObserver(self) }

  /// The position of the first row of a group, or where it would be if the group is empty.
  func start(of group: Int, in rows: Tree<QueryRow>) -> Int {
    rows.lowerBound { $0.group < group }
  }

  /// The positions of the rows of a group.
  ///
  /// - Complexity: O(log *n*).
  func range(of group: Int, in rows: Tree<QueryRow>) -> Range<Int> {
    start(of: group, in: rows)..<start(of: group + 1, in: rows)
  }

  // MARK: - Following

  // The users of the groups follow the query themselves.
  var isObserved: Bool { false }

  func rowsMayChange() {}

  func rowsWillChange(_ updates: [RowUpdate]) {
    if vacant.isEmpty { return }
    var leaving = vacant.subtracting(updates.lazy.compactMap { $0.new?.group })
    leaving.subtract(known(leaving))
    vacant.subtract(leaving)
    leaving.forEach(forget)
  }

  func rowsDidChange(_ updates: [RowUpdate]) {
    var groups: Set<Int> = []
    for update in updates {
      if let old = update.old { groups.insert(old.group) }
      if let new = update.new { groups.insert(new.group) }
    }
    if ordering != query.treeOrdering {
      // All rows were sorted again, and rows that stayed may have new keys.
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

  func rowsWereRebuilt() {
    firsts = [:]
    changes = []
    ordering = query.treeOrdering
    vacant = []
    for row in query.tree where firsts[row.group] == nil { firsts[row.group] = row }
    forgetUnless { firsts[$0] != nil }
  }
}

extension QueryRow {
  /// The number of the row's group.
  var group: Int {
    switch key {
    case .int(let group), .pair(.int(let group), _): group
    default: 0
    }
  }

  /// The key that sorts the row within its group.
  var keyInGroup: SortKey {
    if case .pair(_, let key) = key { return key }
    return .unsorted
  }
}

/// The keys of groups, each with a number.
///
/// State: `numbers` and `keys`, which map each to the other; `unequal`, the groups whose keys don't
/// equal themselves, such as NaN; `last`, the last number assigned. Numbers aren't reused.
final class GroupKeys<Key: Hashable> {
  private var numbers: [Key: Int] = [:]
  private var keys: [Int: Key] = [:]
  private var unequal: [Int] = []
  private var last = 0

  /// Returns the number of a key, assigning a new one if it has none.
  func number(of key: Key) -> Int {
    if let number = known(key) { return number }
    last += 1
    keys[last] = key
    if key == key { numbers[key] = last } else { unequal.append(last) }
    return last
  }

  /// Returns the number assigned to a key, or nil if there is none.
  ///
  /// A key that doesn't equal itself, such as NaN, is found by a linear search for a key with the
  /// same contents.
  func known(_ key: Key) -> Int? {
    if key == key { return numbers[key] }
    return unequal.first { group in
      keys[group].map { ValueEquality.areEqual($0, key) } ?? false
    }
  }

  /// The key of a group.
  func key(of group: Int) -> Key? { keys[group] }

  /// Forgets the number of a group.
  func forget(_ group: Int) {
    guard let key = keys.removeValue(forKey: group) else { return }
    if key == key { numbers[key] = nil } else { unequal.removeAll { $0 == group } }
  }

  /// Forgets the numbers of all groups that don't satisfy a condition.
  func keep(_ isKept: (Int) -> Bool) {
    for group in Array(keys.keys) where !isKept(group) { forget(group) }
  }
}
