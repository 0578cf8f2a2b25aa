// Projected results made of some rows of others.

extension ProjectedResults {
  /// The first rows, at most so many, as ``Results/prefix(_:)`` has them.
  public func prefix(_ maxLength: Int) -> ProjectedResults {
    ProjectedResults(results.prefix(maxLength))
  }

  /// Of the rows of each key the first one, as ``Results/distinct(by:)-(KeyPath<Element,Key>)`` has them.
  public func distinct<Key: Hashable>(by path: KeyPath<Row, Key>) -> ProjectedResults {
    distinct { $0[keyPath: path] }
  }

  /// Of the rows of each key the first one; the key may be any function of what it reads.
  public func distinct<Key: Hashable>(by key: @escaping (Row) -> Key) -> ProjectedResults {
    ProjectedResults(results.distinct { (object: Row.Root) in Row.evaluate(on: object, key) })
  }
}
