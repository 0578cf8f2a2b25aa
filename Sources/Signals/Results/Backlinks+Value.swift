extension Backlinks {
  /// Computes an aggregate of the owners, each of which counts once.
  ///
  /// The call depends on everything that the computation reads.
  ///
  /// ```swift
  /// let pages = author.books.value(.sum(\.pages))
  /// ```
  ///
  /// - Complexity: O(*m*), where *m* is the number of owners.
  public func value<Value>(_ aggregate: Aggregate<Owner, Value>) -> Value {
    aggregate.ofList(Tree(owners as [Object]))
  }
}
