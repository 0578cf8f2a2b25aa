// The data of a `ForEach`, as an immutable version.

/// Identifies a row: by id, and among equal ids by a number (see FollowedRows.swift).
struct ForEachRowID: Hashable {
  let id: AnyHashable
  let occurrence: Int
}

/// One version of the data of a `ForEach`.
protocol ForEachData: AnyObject {
  var count: Int { get }

  /// Returns the identity of the row at a position.
  func id(at position: Int) -> ForEachRowID

  /// Returns the value that the row at a position is created from.
  func value(at position: Int) -> Any

  /// Returns the name of the row at a position, which is the same in every process.
  func name(at position: Int) -> String

  /// Whether `edits(since:)` tells which rows were inserted and removed.
  ///
  /// It doesn't if an object repeats, because rows of the same object are told apart by order.
  var editsIdentifyRows: Bool { get }

  /// Returns the ranges that differ from an older version, in ascending order; not always the
  /// fewest.
  func edits(since old: any ForEachData) -> [TreeEdit]

  /// Makes this the version after another one, whose rows keep their identities.
  ///
  /// - Parameter written: The rows whose values got other ids by their own bindings.
  /// - Returns: Whether the identities of rows aren't those that the data alone give them.
  func follow(_ old: any ForEachData, written: [WrittenRow]) -> Bool

  /// Returns the name of the row of a value.
  func name(of row: ForEachRowID, _ value: Any) -> String

  /// Returns the change from an older version; inserted elements are given as positions.
  func change(since old: any ForEachData) -> CollectionChange<Int>

  /// Whether rows with the same id may be created from different values.
  var mayDiffer: Bool { get }

  /// The first id that repeats although ids should be unique, with the positions of its first two
  /// rows.
  var firstRepeat: (id: Any, positions: [Int])? { get }

  /// Returns the value that a row would be created from now, if it differs from the old one.
  func newValue(of id: ForEachRowID, replacing old: Any, in tables: FieldTables) -> Any?
}

/// A collection whose versions share their common parts.
protocol VersionedRows {
  var forEachData: any ForEachData { get }
}

/// Returns the row data of a collection, which share their common parts if the collection's
/// versions do.
func forEachData<Data: RandomAccessCollection>(
  of data: Data, id: (Data.Element) -> some Hashable
) -> any ForEachData {
  if let versioned = data as? any VersionedRows { return versioned.forEachData }
  return ValueRows(data, id: id)
}

// A projection is identified by its object, and made when its row is.
extension Results: VersionedRows {
  var forEachData: any ForEachData {
    TreeRows(query.rows(), mayRepeat: false, value: Element._element) { $0.object }
  }
}

extension List: VersionedRows {
  var forEachData: any ForEachData { TreeRows(tree, mayRepeat: true) { $0 } }
}

extension ProjectedList: VersionedRows {
  var forEachData: any ForEachData {
    TreeRows(list.tree, mayRepeat: true, value: { Row.shared(for: List<Row.Root>.typed($0)) }) {
      $0
    }
  }
}

/// Objects in a persistent tree, each of which is its own id.
///
/// State: `occurrenceCounts`, how often each object occurs, counted when the first row is
/// requested, and passed on to the next version; `hasRepeats`, the result of the count; `places`,
/// the positions of each object, for telling its occurrences apart; `rows`, the identities of the
/// rows, if they followed those of an older version with repeats; `rowPositions`, their positions.
final class TreeRows: ForEachData {
  let count: Int
  private let tree: Any
  // Made where the type of the tree's entries is known, so that the closures are specialized.
  private let object: (Int) -> Object
  private let makeValue: (Object) -> Any
  private let editsSince: (TreeRows) -> [TreeEdit]?
  private var occurrenceCounts: OccurrenceCounts?
  private var hasRepeats: Bool?
  private lazy var places = repeatedPlaces()
  private var rows: [ForEachRowID]?
  private lazy var rowPositions = positions(of: rows ?? [])

  init<Entry>(
    _ tree: Tree<Entry>, mayRepeat: Bool, value: @escaping (Object) -> Any = { $0 },
    _ object: @escaping (Entry) -> Object
  ) {
    count = tree.count
    self.tree = tree
    makeValue = value
    self.object = { object(tree[$0]) }
    editsSince = { old in
      guard let old = old.tree as? Tree<Entry> else { return nil }
      return Tree.difference(from: old, to: tree) { object($0) === object($1) }
    }
    if !mayRepeat { hasRepeats = false }
  }

  private func key(at position: Int) -> ObjectIdentifier { ObjectIdentifier(object(position)) }

  func id(at position: Int) -> ForEachRowID {
    rows?[position] ?? ForEachRowID(id: AnyHashable(key(at: position)), occurrence: rank(position))
  }

  /// The number of earlier rows of the same object.
  private func rank(_ position: Int) -> Int {
    editsIdentifyRows ? 0 : places[key(at: position)]?.firstIndex(of: position) ?? 0
  }

  func value(at position: Int) -> Any { makeValue(object(position)) }

  func name(at position: Int) -> String {
    ForEachRowID(id: AnyHashable(key(at: position)), occurrence: rank(position))
      .name(object(position))
  }

  func name(of row: ForEachRowID, _ value: Any) -> String {
    rows == nil ? row.name(value) : rowPositions[row].map(name(at:)) ?? row.name(value)
  }

  var editsIdentifyRows: Bool {
    if let hasRepeats { return !hasRepeats }
    let occurrenceCounts = self.occurrenceCounts ?? OccurrenceCounts((0..<count).lazy.map(key(at:)))
    self.occurrenceCounts = occurrenceCounts
    hasRepeats = occurrenceCounts.repeated > 0
    return occurrenceCounts.repeated == 0
  }

  func edits(since old: any ForEachData) -> [TreeEdit] {
    guard let old = old as? TreeRows, let edits = editsSince(old) else {
      return .everything(from: old.count, to: count)
    }
    if hasRepeats == nil, var occurrenceCounts = old.occurrenceCounts.take() {
      for edit in edits {
        for position in edit.oldRange { occurrenceCounts.remove(old.key(at: position)) }
        for position in edit.newRange { occurrenceCounts.insert(key(at: position)) }
      }
      self.occurrenceCounts = occurrenceCounts
    }
    return edits
  }

  // An object is its own id, which no binding changes.
  func follow(_ old: any ForEachData, written: [WrittenRow]) -> Bool {
    guard let old = old as? TreeRows, isNumbered(after: old) else { return false }
    rows = ForEachRowID.following(
      (old.count, old.key(at:), old.id(at:)), to: (count, key(at:)), edits: edits(since: old))
    return true
  }

  /// Whether rows of one object are to be told apart here or in an older version whose rows were
  /// requested.
  private func isNumbered(after old: TreeRows) -> Bool {
    if old.rows != nil { return true }
    // Passes on the counts, so that objects are not all counted again.
    if old.occurrenceCounts != nil { _ = edits(since: old) }
    return old.hasRepeats.map { $0 || !editsIdentifyRows } ?? false
  }

  func change(since old: any ForEachData) -> CollectionChange<Int> {
    guard let old = old as? TreeRows else { return changeOfEverything(since: old) }
    let edits = edits(since: old)
    if editsIdentifyRows, old.editsIdentifyRows, rows == nil, old.rows == nil {
      return CollectionChange(edits, old: old.key(at:), new: key(at:))
    }
    return CollectionChange(
      TreeEdit.edits(from: old.count, to: count) { old.id(at: $0) == id(at: $1) },
      old: old.id(at:), new: id(at:))
  }

  var mayDiffer: Bool { false }

  func newValue(of id: ForEachRowID, replacing old: Any, in tables: FieldTables) -> Any? { nil }

  private func repeatedPlaces() -> [ObjectIdentifier: [Int]] {
    var places: [ObjectIdentifier: [Int]] = [:]
    for position in 0..<count { places[key(at: position), default: []].append(position) }
    return places
  }
}

/// The number of occurrences of each object in a list.
private struct OccurrenceCounts {
  private var counts: [ObjectIdentifier: Int] = [:]
  /// The number of objects that occur more than once.
  private(set) var repeated = 0

  init(_ objects: some Sequence<ObjectIdentifier>) {
    for object in objects { insert(object) }
  }

  mutating func insert(_ object: ObjectIdentifier) {
    let count = counts[object, default: 0] + 1
    counts[object] = count
    if count == 2 { repeated += 1 }
  }

  mutating func remove(_ object: ObjectIdentifier) {
    let count = counts[object, default: 1] - 1
    counts[object] = count == 0 ? nil : count
    if count == 1 { repeated -= 1 }
  }
}

/// The id of a value, which equals itself.
///
/// Ids that don't, such as NaN, are the same if they have the same contents, so that their rows are
/// found again.
struct RowKey<ID: Hashable>: Hashable, AnyRowKey {
  let id: ID

  var anyID: Any { id }

  static func == (one: RowKey, other: RowKey) -> Bool { ValueEquality.areEqual(one.id, other.id) }

  func hash(into hasher: inout Hasher) { if id == id { hasher.combine(id) } }
}

/// The id of a value of any type.
protocol AnyRowKey {
  var anyID: Any { get }
}

/// The values of any collection, copied.
///
/// State: `rows`, the identities of the rows, if they followed those of an older version and aren't
/// given by the ids alone; `rowPositions`, the position of each row, computed when it is first
/// needed.
final class ValueRows<Value, ID: Hashable>: ForEachData {
  private var values: [Value] = []
  private var ids: [RowKey<ID>] = []
  /// For each row, the number of earlier rows with the same id; empty if no id repeats.
  private var occurrences: [Int] = []
  private var rows: [ForEachRowID]?
  private lazy var rowPositions = positions(of: ids.indices.map(id(at:)))

  init(_ data: some RandomAccessCollection<Value>, id: (Value) -> ID) {
    values = Array(data)
    ids = values.map { RowKey(id: id($0)) }
    // Rows with the same id are all shown, and told apart by their order.
    if Set(ids).count < ids.count {
      var seen: [RowKey<ID>: Int] = [:]
      occurrences = ids.map { id in
        let occurrence = seen[id, default: 0]
        seen[id] = occurrence + 1
        return occurrence
      }
    }
  }

  var count: Int { ids.count }

  func id(at position: Int) -> ForEachRowID {
    rows?[position] ?? plainID(at: position)
  }

  /// The identity of a row by its id and order.
  private func plainID(at position: Int) -> ForEachRowID {
    ForEachRowID(id: AnyHashable(ids[position]), occurrence: occurrence(at: position))
  }

  var firstRepeat: (id: Any, positions: [Int])? {
    guard let second = occurrences.firstIndex(of: 1), let first = ids.firstIndex(of: ids[second])
    else { return nil }
    return (ids[second].id, [first, second])
  }

  private func occurrence(at position: Int) -> Int {
    occurrences.isEmpty ? 0 : occurrences[position]
  }

  func value(at position: Int) -> Any { values[position] }

  func name(at position: Int) -> String { plainID(at: position).name(values[position]) }

  func name(of row: ForEachRowID, _ value: Any) -> String {
    rows == nil ? row.name(value) : rowPositions[row].map(name(at:)) ?? row.name(value)
  }

  var editsIdentifyRows: Bool { true }

  func edits(since old: any ForEachData) -> [TreeEdit] {
    guard let old = old as? ValueRows else { return .everything(from: old.count, to: count) }
    if rows != nil || old.rows != nil {
      return TreeEdit.edits(from: old.count, to: count) { old.id(at: $0) == id(at: $1) }
    }
    return TreeEdit.edits(from: old.count, to: count) {
      old.ids[$0] == ids[$1] && old.occurrence(at: $0) == occurrence(at: $1)
    }
  }

  func follow(_ old: any ForEachData, written: [WrittenRow]) -> Bool {
    guard let old = old as? ValueRows,
      !occurrences.isEmpty || !old.occurrences.isEmpty || old.rows != nil || !written.isEmpty
    else { return false }
    var given: [Int: RowKey<ID>] = [:]
    for row in written {
      // A write may have been refused or undone, and another value may have the id.
      if let position = old.rowPositions[row.row],
        let id = row.id.base as? RowKey<ID>,
        ids.count(where: { $0 == id }) > old.ids.count(where: { $0 == id })
      {
        given[position] = id
      }
    }
    let edits = TreeEdit.editsAfterStart(from: old.count, to: count) {
      (given[$0] ?? old.ids[$0]) == ids[$1]
    }
    let followed = ForEachRowID.following(
      (old.count, { old.ids[$0] }, old.id(at:)), to: (count, { self.ids[$0] }), edits: edits)
    rows = ids.indices.allSatisfy { followed[$0] == plainID(at: $0) } ? nil : followed
    // The names of rows follow their values.
    return true
  }

  func change(since old: any ForEachData) -> CollectionChange<Int> {
    guard let old = old as? ValueRows else { return changeOfEverything(since: old) }
    let edits = edits(since: old)
    if rows != nil || old.rows != nil {
      return CollectionChange(edits, old: old.id(at:), new: id(at:))
    }
    return CollectionChange(edits, old: { old.ids[$0] }, new: { self.ids[$0] })
  }

  var mayDiffer: Bool { true }

  func newValue(of id: ForEachRowID, replacing old: Any, in tables: FieldTables) -> Any? {
    guard let position = rowPositions[id] else { return nil }
    if let old = old as? Value, tables.isSame(old, values[position]) { return nil }
    return values[position]
  }
}

extension ForEachData {
  /// Returns the positions of rows by their identities.
  fileprivate func positions(of rows: [ForEachRowID]) -> [ForEachRowID: Int] {
    Dictionary(uniqueKeysWithValues: rows.indices.map { (rows[$0], $0) })
  }

  // An object may be in a list more than once.
  var firstRepeat: (id: Any, positions: [Int])? { nil }

  /// Returns a change that replaces all rows, because the old data are of another kind.
  func changeOfEverything(since old: any ForEachData) -> CollectionChange<Int> {
    CollectionChange(
      deletions: Array(0..<old.count), insertions: Array(0..<count), moves: [], modifications: [],
      inserted: Array(0..<count))
  }
}

extension [TreeEdit] {
  /// Returns the edits that replace everything.
  static func everything(from old: Int, to new: Int) -> [TreeEdit] {
    old == 0 && new == 0 ? [] : [TreeEdit(oldRange: 0..<old, newRange: 0..<new)]
  }
}
