/// One of several keys by which rows are sorted.
///
/// ```swift
/// let books = store.results(Book.self).sorted(by: [.ascending(\.author), .descending(\.year)])
/// ```
public struct RowSort<Element: Object> {
  let apply: (Results<Element>) -> Results<Element>

  init<Key: Comparable>(_ path: KeyPath<Element, Key>, _ order: SortDirection) {
    apply = { $0.sorted(by: path, order: order) }
  }

  init<Key: Comparable>(_ path: KeyPath<Element, Key?>, _ order: SortDirection) {
    apply = { $0.sorted(by: path, order: order) }
  }

  /// By a property, smallest first.
  public static func ascending<Key: Comparable>(_ path: KeyPath<Element, Key>) -> RowSort {
    RowSort(path, .ascending)
  }

  /// By an optional property; nil stands before everything.
  public static func ascending<Key: Comparable>(_ path: KeyPath<Element, Key?>) -> RowSort {
    RowSort(path, .ascending)
  }

  /// By a property, largest first.
  public static func descending<Key: Comparable>(_ path: KeyPath<Element, Key>) -> RowSort {
    RowSort(path, .descending)
  }

  /// By an optional property; nil stands after everything.
  public static func descending<Key: Comparable>(_ path: KeyPath<Element, Key?>) -> RowSort {
    RowSort(path, .descending)
  }
}

extension Results {
  /// Sorts by several keys, the first of which decides, after the sort keys given before.
  public func sorted(by sorts: [RowSort<Element>]) -> Results {
    sorts.reduce(self) { $1.apply($0) }
  }
}
