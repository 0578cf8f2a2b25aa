// Finds the row of an object: maps the object's slot to the row's key.
//
// State: `columns`, one for each class that the query covers, divided into pages. Pages without a
// row use no memory: a query that finds a few rows through an index shouldn't pay for the slots of
// all objects.

/// The keys of the rows of a query.
struct RowTable {
  private struct Column {
    let objectTable: ObjectTable
    /// Each page is empty or has `pageSize` slots.
    var pages: ContiguousArray<ContiguousArray<SortKey?>> = []

    func key(at slot: Int) -> SortKey? {
      let page = slot / RowTable.pageSize
      guard page < pages.count, !pages[page].isEmpty else { return nil }
      return pages[page][slot % RowTable.pageSize]
    }

    mutating func set(_ key: SortKey?, at slot: Int) {
      let page = slot / RowTable.pageSize
      if page >= pages.count || pages[page].isEmpty {
        if key == nil { return }
        let missing = page + 1 - pages.count
        if missing > 0 { pages.append(contentsOf: repeatElement([], count: missing)) }
        pages[page] = ContiguousArray(repeating: nil, count: RowTable.pageSize)
      }
      pages[page][slot % RowTable.pageSize] = key
    }
  }

  private static var pageSize: Int { 64 }

  private var columns: [Column] = []

  /// The object tables of the classes that the query covers.
  var objectTables: [ObjectTable] { columns.map(\.objectTable) }

  mutating func add(_ objectTable: ObjectTable) { columns.append(Column(objectTable: objectTable)) }

  mutating func removeAllRows() {
    for index in columns.indices { columns[index].pages = [] }
  }

  /// The index of the column for the class of a stored object.
  ///
  /// A linear search, because queries cover few classes.
  private func column(of object: Object) -> Int? {
    guard let objectTable = object.table else { return nil }
    for index in columns.indices where columns[index].objectTable === objectTable { return index }
    return nil
  }

  /// Whether an object is stored in one of the classes that the query covers.
  func covers(_ object: Object) -> Bool { column(of: object) != nil }

  /// The row of an object, or nil if it has none.
  ///
  /// - Complexity: O(1).
  func row(of object: Object) -> QueryRow? {
    guard let column = column(of: object) else { return nil }
    return columns[column].key(at: Int(object.slot)).map { QueryRow(object, key: $0) }
  }

  /// Removes and returns the row of an object.
  ///
  /// - Complexity: O(1).
  mutating func takeRow(of object: Object) -> QueryRow? {
    guard let row = row(of: object) else { return nil }
    set(nil, of: object)
    return row
  }

  /// Sets the row of a stored object, or removes it if `key` is nil.
  ///
  /// - Complexity: O(1) amortized.
  mutating func set(_ key: SortKey?, of object: Object) {
    guard let column = column(of: object) else { return }
    columns[column].set(key, at: Int(object.slot))
  }

  /// Calls `body` with each object of the covered classes and its row.
  func forEach(_ body: (Object, QueryRow?) -> Void) {
    for column in columns {
      for case let object? in column.objectTable.objects { body(object, row(of: object)) }
    }
  }
}
