// Sort keys of projections, and how live rows show them.

extension RowSort where Element: RootedProjection, Element.Root: Object {
  init<Key: Comparable>(_ path: KeyPath<Element, Key>, _ order: SortDirection) {
    descriptor = SortDescriptor(order, path: path) {
      Element.evaluate(on: $0) { $0[keyPath: path] }
    }
  }

  init<Key: Comparable>(_ path: KeyPath<Element, Key?>, _ order: SortDirection) {
    descriptor = SortDescriptor(order, path: path) {
      Element.evaluate(on: $0) { $0[keyPath: path] }
    }
  }

  init(_ path: KeyPath<Element, Bool>, _ order: SortDirection) {
    descriptor = SortDescriptor(order, path: path) {
      Element.evaluate(on: $0) { $0[keyPath: path] } ? 1 : 0
    }
  }

  /// By a property of the row, smallest first.
  public static func ascending<Key: Comparable>(_ path: KeyPath<Element, Key>) -> RowSort {
    RowSort(path, .ascending)
  }

  /// By an optional property of the row; nil stands before everything.
  public static func ascending<Key: Comparable>(_ path: KeyPath<Element, Key?>) -> RowSort {
    RowSort(path, .ascending)
  }

  /// By a flag of the row: those for which it is false stand first.
  public static func ascending(_ path: KeyPath<Element, Bool>) -> RowSort {
    RowSort(path, .ascending)
  }

  /// By a property of the row, largest first.
  public static func descending<Key: Comparable>(_ path: KeyPath<Element, Key>) -> RowSort {
    RowSort(path, .descending)
  }

  /// By an optional property of the row; nil stands after everything.
  public static func descending<Key: Comparable>(_ path: KeyPath<Element, Key?>) -> RowSort {
    RowSort(path, .descending)
  }

  /// By a flag of the row: those for which it is true stand first.
  public static func descending(_ path: KeyPath<Element, Bool>) -> RowSort {
    RowSort(path, .descending)
  }
}

extension RowAccess where Element: RootedProjection, Element.Root: Object {
  /// Their projections, those that are shared where somebody holds them.
  static var projections: RowAccess {
    RowAccess(
      row: { .shared(for: List<Element.Root>.typed($0)) },
      visit: { object, body in Element.evaluate(on: object, body) })
  }
}
