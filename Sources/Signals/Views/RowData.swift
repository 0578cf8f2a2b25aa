// What the rows of a `ForEach` are made from, as one version that no later change disturbs.

/// Tells rows apart: by id, and among equal ids by order.
struct RowID: Hashable {
  let id: AnyHashable
  let occurrence: Int
}

/// One version of what rows are made from.
protocol RowData: AnyObject {
  var count: Int { get }

  /// Which row stands at a position.
  func id(at position: Int) -> RowID

  /// What the row at a position is made from.
  func value(at position: Int) -> Any

  /// Whether the edits tell which rows came and went: not if objects are told apart by their order.
  var areEditsOfRows: Bool { get }

  /// Where rows came and went since an older version, in ascending order; not always the fewest places.
  func edits(since old: any RowData) -> [TreeEdit]

  /// Whether rows of one id may be made from values that differ.
  var mayDiffer: Bool { get }

  /// What a row is made from now, if that differs from what it was made from.
  func newValue(of id: RowID, replacing old: Any, in tables: FieldTables) -> Any?
}

/// A collection whose versions share what they have in common.
protocol VersionedRows {
  var rowData: any RowData { get }
}

extension Results: VersionedRows {
  var rowData: any RowData { TreeRows(query.rows(), mayRepeat: false) { $0.object } }
}

extension List: VersionedRows {
  var rowData: any RowData { TreeRows(tree, mayRepeat: true) { $0 } }
}

/// Objects in a persistent tree; each is its own id.
///
/// State: `census`, how often each object stands there, counted when the first row is asked for, and handed
/// on to the next version; `hasRepeats`, what it said; `places`, where those stand that stand more than once.
final class TreeRows<Entry>: RowData {
  private let tree: Tree<Entry>
  private let object: (Entry) -> Object
  private var census: Census?
  private var hasRepeats: Bool?
  private lazy var places = repeatedPlaces()

  init(_ tree: Tree<Entry>, mayRepeat: Bool, _ object: @escaping (Entry) -> Object) {
    self.tree = tree
    self.object = object
    if !mayRepeat { hasRepeats = false }
  }

  var count: Int { tree.count }

  func id(at position: Int) -> RowID {
    let id = ObjectIdentifier(object(tree[position]))
    let place = areEditsOfRows ? 0 : places[id]?.firstIndex(of: position) ?? 0
    return RowID(id: AnyHashable(id), occurrence: place)
  }

  func value(at position: Int) -> Any { object(tree[position]) }

  var areEditsOfRows: Bool {
    if let hasRepeats { return !hasRepeats }
    let census = self.census ?? Census(tree.lazy.map { [object] in ObjectIdentifier(object($0)) })
    self.census = census
    hasRepeats = census.repeated > 0
    return census.repeated == 0
  }

  func edits(since old: any RowData) -> [TreeEdit] {
    guard let old = old as? TreeRows else { return .everything(old.count, count) }
    let edits = Tree.difference(from: old.tree, to: tree) { object($0) === object($1) }
    if hasRepeats == nil, var census = old.census.take() {
      for edit in edits {
        for position in edit.oldRange { census.remove(ObjectIdentifier(object(old.tree[position]))) }
        for position in edit.newRange { census.insert(ObjectIdentifier(object(tree[position]))) }
      }
      self.census = census
    }
    return edits
  }

  var mayDiffer: Bool { false }

  func newValue(of id: RowID, replacing old: Any, in tables: FieldTables) -> Any? { nil }

  private func repeatedPlaces() -> [ObjectIdentifier: [Int]] {
    var places: [ObjectIdentifier: [Int]] = [:]
    for (position, entry) in tree.enumerated() {
      places[ObjectIdentifier(object(entry)), default: []].append(position)
    }
    return places
  }
}

/// How often each of some objects stands in a list.
private struct Census {
  private var counts: [ObjectIdentifier: Int] = [:]
  /// How many objects stand there more than once.
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

/// Values of any collection, copied.
///
/// State: `positions`, where each row stands, once somebody asks.
final class ValueRows<Value>: RowData {
  private var values: [Value] = []
  private var ids: [RowID] = []
  private lazy var positions = Dictionary(uniqueKeysWithValues: zip(ids, ids.indices))

  init(_ data: some RandomAccessCollection<Value>, id: (Value) -> AnyHashable) {
    let count = data.count
    values.reserveCapacity(count)
    ids.reserveCapacity(count)
    var seen: [AnyHashable: Int] = [:]
    seen.reserveCapacity(count)
    for value in data {
      let id = id(value)
      // Two rows of one id are two rows all the same, told apart by their order.
      let occurrence = seen.updateValue(0, forKey: id).map { $0 + 1 } ?? 0
      if occurrence > 0 { seen[id] = occurrence }
      values.append(value)
      ids.append(RowID(id: id, occurrence: occurrence))
    }
  }

  var count: Int { ids.count }

  func id(at position: Int) -> RowID { ids[position] }

  func value(at position: Int) -> Any { values[position] }

  var areEditsOfRows: Bool { true }

  func edits(since old: any RowData) -> [TreeEdit] {
    guard let old = (old as? ValueRows)?.ids else { return .everything(old.count, count) }
    let shorter = min(old.count, ids.count)
    var before = 0
    while before < shorter, old[before] == ids[before] { before += 1 }
    var after = 0
    while after < shorter - before, old[old.count - 1 - after] == ids[ids.count - 1 - after] {
      after += 1
    }
    let edit = TreeEdit(
      oldRange: before..<old.count - after, newRange: before..<ids.count - after)
    return edit.oldRange.isEmpty && edit.newRange.isEmpty ? [] : [edit]
  }

  var mayDiffer: Bool { true }

  func newValue(of id: RowID, replacing old: Any, in tables: FieldTables) -> Any? {
    guard let position = positions[id] else { return nil }
    if let old = old as? Value, tables.isSame(old, values[position]) { return nil }
    return values[position]
  }
}

extension [TreeEdit] {
  /// Nothing stayed.
  static func everything(_ old: Int, _ new: Int) -> [TreeEdit] {
    old == 0 && new == 0 ? [] : [TreeEdit(oldRange: 0..<old, newRange: 0..<new)]
  }
}
