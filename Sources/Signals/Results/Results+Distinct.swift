extension Results {
  /// Returns the first row for each key, in the same order, kept up to date as other rows become
  /// the first.
  ///
  /// - `where { … }.distinct(by:)` has the first row for each key that satisfies the condition.
  ///   `distinct(by:).where { … }` has those of the first rows that satisfy it.
  /// - `distinct(by:).sorted(by:)` sorts the first rows differently.
  /// - The key is a property, or any function of the values it reads.
  /// - nil is a key like any other, and so is NaN. Keys that don't equal themselves are the same if
  ///   they have the same contents.
  ///
  /// Each call creates a separate live result, so keep it. In a body, or in the data of a
  /// ``ForEach``, it would be created again with each change.
  ///
  /// ```swift
  /// let oneOfEach = store.results(Book.self).sorted(by: \.year).distinct(by: \.author)
  /// ```
  ///
  /// - Complexity: O(*n* log *n*) for the first read, then O(log *n*) for each row that changes.
  public func distinct<Key: Hashable>(by key: @escaping (Element) -> Key) -> Results {
    let grouping = Grouping(query, keys: GroupKeys<Key>(), by: Element.onObject(key))
    return Results(query: query.applying(DistinctStage(grouping)))
  }
}
