/// One of several keys by which rows are sorted: objects, or projections of them.
///
/// ```swift
/// let books = store.results(Book.self).sorted(by: .ascending(\.author), .descending(\.year))
/// ```
public struct RowSort<Element: _ResultElement> {
  let descriptor: SortDescriptor
}

extension RowSort {
  init<Key: Comparable>(_ path: KeyPath<Element, Key>, _ order: SortDirection) {
    descriptor = SortDescriptor(order, path: path, Element.onObject { $0[keyPath: path] })
  }

  init<Key: Comparable>(_ path: KeyPath<Element, Key?>, _ order: SortDirection) {
    descriptor = SortDescriptor(order, path: path, Element.onObject { $0[keyPath: path] })
  }

  init(_ path: KeyPath<Element, Bool>, _ order: SortDirection) {
    descriptor = SortDescriptor(order, path: path, Element.onObject { $0[keyPath: path] ? 1 : 0 })
  }

  /// By a property, smallest first.
  public static func ascending<Key: Comparable>(_ path: KeyPath<Element, Key>) -> RowSort {
    RowSort(path, .ascending)
  }

  /// By an optional property; nil stands before everything.
  public static func ascending<Key: Comparable>(_ path: KeyPath<Element, Key?>) -> RowSort {
    RowSort(path, .ascending)
  }

  /// By a flag: those for which it is false stand first.
  public static func ascending(_ path: KeyPath<Element, Bool>) -> RowSort {
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

  /// By a flag: those for which it is true stand first.
  public static func descending(_ path: KeyPath<Element, Bool>) -> RowSort {
    RowSort(path, .descending)
  }
}
