// Where an object's row can be found: its key, by the object's slot.
//
// State: a column for each class that the query covers, as long as its highest slot with a row needs.

/// The keys of the rows of a query.
struct RowTable {
  private struct Column {
    let extent: Extent
    var keys: ContiguousArray<SortKey?> = []
  }

  private var columns: [Column] = []

  /// The classes covered.
  var extents: [Extent] { columns.map(\.extent) }

  mutating func add(_ extent: Extent) { columns.append(Column(extent: extent)) }

  mutating func removeAllRows() {
    for index in columns.indices { columns[index].keys = [] }
  }

  /// The place of the class of a stored object; queries cover few.
  private func column(of object: Object) -> Int? {
    guard let extent = unsafe object.extent else { return nil }
    for index in columns.indices where columns[index].extent === extent { return index }
    return nil
  }

  /// Whether an object is stored where the query looks.
  func covers(_ object: Object) -> Bool { column(of: object) != nil }

  /// The row of an object, or nil if it has none.
  ///
  /// O(1).
  func row(of object: Object) -> QueryRow? {
    guard let column = column(of: object) else { return nil }
    let slot = unsafe Int(object.slot)
    guard slot < columns[column].keys.count else { return nil }
    return columns[column].keys[slot].map { QueryRow(object, $0) }
  }

  /// Takes the row of an object out.
  ///
  /// O(1).
  mutating func takeRow(of object: Object) -> QueryRow? {
    guard let row = row(of: object) else { return nil }
    set(nil, of: object)
    return row
  }

  /// Gives a stored object a row, or takes it.
  ///
  /// O(1) amortised.
  mutating func set(_ key: SortKey?, of object: Object) {
    guard let column = column(of: object) else { return }
    let slot = unsafe Int(object.slot)
    let missing = slot + 1 - columns[column].keys.count
    if missing > 0 {
      if key == nil { return }
      columns[column].keys.append(contentsOf: repeatElement(nil, count: missing))
    }
    columns[column].keys[slot] = key
  }

  /// Calls `body` with each object of the classes covered and its row.
  func forEach(_ body: (Object, QueryRow?) -> Void) {
    for column in columns {
      for case let object? in column.extent.objects { body(object, row(of: object)) }
    }
  }
}
