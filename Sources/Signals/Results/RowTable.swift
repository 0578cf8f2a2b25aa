// Finds the row of an object: maps the object's slot to the row's key.
//
// State: `columns`, one for each class that the query covers. A column with few rows is a dictionary:
// a query that finds them through an index shouldn't pay for the slots of all objects. With more rows
// it is a set of slots, if the rows have no keys, and otherwise divided into blocks of pages.

/// The keys of the rows of a query.
struct RowTable {
  private struct Column {
    let objectTable: ObjectTable
    /// Whether rows have keys.
    let isSorted: Bool
    /// The keys, as long as there are few.
    var few: [Int32: SortKey] = [:]
    /// Whether the rows are in `members` or `blocks`.
    var isDivided = false
    /// The slots of rows without keys.
    var members = SlotSet()
    /// Each block is empty or has `pageSize` pages, each of which is empty or has `pageSize` slots.
    var blocks: ContiguousArray<ContiguousArray<Page>> = []

    func key(at slot: Int32) -> SortKey? {
      if !isDivided { return few[slot] }
      if !isSorted { return members.contains(slot) ? .unsorted : nil }
      let page = Int(slot) / RowTable.pageSize
      let (block, place) = (page / RowTable.pageSize, page % RowTable.pageSize)
      guard block < blocks.count, !blocks[block].isEmpty, !blocks[block][place].isEmpty else {
        return nil
      }
      return blocks[block][place][Int(slot) % RowTable.pageSize]
    }

    mutating func set(_ key: SortKey?, at slot: Int32) {
      if !isDivided {
        few[slot] = key
        if areMany(few.count) { divide() }
        return
      }
      if !isSorted {
        if key == nil { members.remove(slot) } else { members.insert(slot) }
        return
      }
      let page = Int(slot) / RowTable.pageSize
      let (block, place) = (page / RowTable.pageSize, page % RowTable.pageSize)
      if block >= blocks.count || blocks[block].isEmpty || blocks[block][place].isEmpty {
        if key == nil { return }
        addPage(place, to: block)
      }
      blocks[block][place][Int(slot) % RowTable.pageSize] = key
    }

    /// Whether pages take less memory than a dictionary.
    func areMany(_ count: Int) -> Bool { count > 16 && count > objectTable.objects.count / 32 }

    mutating func divide() {
      isDivided = true
      for (slot, key) in exchange(&few, with: [:]) { set(key, at: slot) }
    }

    private mutating func addPage(_ place: Int, to block: Int) {
      let missing = block + 1 - blocks.count
      if missing > 0 { blocks.append(contentsOf: repeatElement([], count: missing)) }
      if blocks[block].isEmpty {
        blocks[block] = ContiguousArray(repeating: [], count: RowTable.pageSize)
      }
      blocks[block][place] = Page(repeating: nil, count: RowTable.pageSize)
    }
  }

  private typealias Page = ContiguousArray<SortKey?>

  private static var pageSize: Int { 64 }

  private var columns: [Column] = []
  private let isSorted: Bool

  /// Creates a table without classes.
  ///
  /// - Parameter isSorted: Whether rows have keys.
  init(isSorted: Bool) { self.isSorted = isSorted }

  /// The object tables of the classes that the query covers.
  var objectTables: [ObjectTable] { columns.map(\.objectTable) }

  /// Adds a class, unless it has been added.
  mutating func add(_ objectTable: ObjectTable) {
    if columns.contains(where: { $0.objectTable === objectTable }) { return }
    columns.append(Column(objectTable: objectTable, isSorted: isSorted))
  }

  mutating func removeAllRows() {
    for index in columns.indices {
      columns[index].few = [:]
      columns[index].isDivided = false
      columns[index].members = SlotSet()
      columns[index].blocks = []
    }
  }

  /// Prepares for a number of rows of each class.
  mutating func expect(_ count: Int) {
    for index in columns.indices where !columns[index].isDivided && columns[index].areMany(count) {
      columns[index].divide()
    }
  }

  /// Copies all rows of another table of the same classes and order; both share the memory.
  ///
  /// - Complexity: O(1) for each class.
  mutating func copyRows(of other: RowTable) {
    for index in columns.indices {
      let objectTable = columns[index].objectTable
      if let source = other.columns.first(where: { $0.objectTable === objectTable }) {
        columns[index] = source
      }
    }
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
    return columns[column].key(at: object.slot).map { QueryRow(object, key: $0) }
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
    columns[column].set(key, at: object.slot)
  }

  /// Calls `body` with each object of the covered classes and its row.
  func forEach(_ body: (Object, QueryRow?) -> Void) {
    for column in columns {
      for case let object? in column.objectTable.objects { body(object, row(of: object)) }
    }
  }
}
