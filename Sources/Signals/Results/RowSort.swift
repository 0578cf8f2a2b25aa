/// One of several sort keys for rows, which are objects or projections.
///
/// ```swift
/// let books = store.results(Book.self).sorted(by: .ascending(\.author), .descending(\.year))
/// ```
public struct RowSort<Element: _ResultElement> {
  let descriptor: SortDescriptor
}

extension RowSort {
  init<Key: Comparable>(_ path: KeyPath<Element, Key>, order: SortDirection) {
    descriptor = SortDescriptor(order, path: path, Element.onObject { $0[keyPath: path] })
  }

  init<Key: Comparable>(_ path: KeyPath<Element, Key?>, order: SortDirection) {
    descriptor = SortDescriptor(order, path: path, Element.onObject { $0[keyPath: path] })
  }

  init(_ path: KeyPath<Element, Bool>, order: SortDirection) {
    descriptor = SortDescriptor(order, path: path, Element.onObject { $0[keyPath: path] ? 1 : 0 })
  }

  init<Key>(
    _ path: KeyPath<Element, Key>, order: SortDirection,
    using isBefore: @escaping (Key, Key) -> Bool
  ) {
    let box = SortDescriptor.boxer(Key.self)
    descriptor = SortDescriptor(
      order, key: Element.onObject { box($0[keyPath: path]) }, using: isBefore)
  }

  /// Sorts by a property, smallest first.
  public static func ascending<Key: Comparable>(_ path: KeyPath<Element, Key>) -> RowSort {
    RowSort(path, order: .ascending)
  }

  /// Sorts by an optional property, smallest first, with nil before everything.
  public static func ascending<Key: Comparable>(_ path: KeyPath<Element, Key?>) -> RowSort {
    RowSort(path, order: .ascending)
  }

  /// Sorts by a flag, with false before true.
  public static func ascending(_ path: KeyPath<Element, Bool>) -> RowSort {
    RowSort(path, order: .ascending)
  }

  /// Sorts by a property with a comparison, smallest first.
  ///
  /// The comparison can be of any kind, such as one that ignores case. Signals and properties that
  /// it reads are followed: if one changes, the rows are sorted again.
  ///
  /// ```swift
  /// @ObservedResults(
  ///   Book.self, sortedBy: .ascending(\.title) { $0.localizedStandardCompare($1) == .orderedAscending })
  /// var books
  /// ```
  ///
  /// - Parameters:
  ///   - path: The property to sort by.
  ///   - isBefore: A strict weak ordering of the values.
  public static func ascending<Key>(
    _ path: KeyPath<Element, Key>, using isBefore: @escaping (Key, Key) -> Bool
  ) -> RowSort {
    RowSort(path, order: .ascending, using: isBefore)
  }

  /// Sorts by a property, largest first.
  public static func descending<Key: Comparable>(_ path: KeyPath<Element, Key>) -> RowSort {
    RowSort(path, order: .descending)
  }

  /// Sorts by an optional property, largest first, with nil after everything.
  public static func descending<Key: Comparable>(_ path: KeyPath<Element, Key?>) -> RowSort {
    RowSort(path, order: .descending)
  }

  /// Sorts by a property with a comparison, largest first.
  ///
  /// - Parameters:
  ///   - path: The property to sort by.
  ///   - isBefore: A strict weak ordering of the values.
  public static func descending<Key>(
    _ path: KeyPath<Element, Key>, using isBefore: @escaping (Key, Key) -> Bool
  ) -> RowSort {
    RowSort(path, order: .descending, using: isBefore)
  }

  /// Sorts by a flag, with true before false.
  public static func descending(_ path: KeyPath<Element, Bool>) -> RowSort {
    RowSort(path, order: .descending)
  }
}
