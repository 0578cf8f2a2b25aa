extension Results {
  /// Returns the first rows, at most `maxLength`, kept up to date as rows enter and leave that
  /// range.
  ///
  /// The methods of these results apply only to the first rows:
  /// - `limit(3).where { … }` has those of the first three that satisfy the condition.
  ///   `where { … }.limit(3)` has the first three that satisfy it.
  /// - `limit(3).sorted(by:)` sorts the first three differently. Rows that are equal keep their
  ///   previous order, and several `sorted(by:)` calls combine as usual.
  /// - `limit(3).distinct(by:)` has one row for each key among the first three.
  ///   `distinct(by:).limit(3)` has the first three of the distinct rows.
  ///
  /// Each call creates a separate live result, which keeps this one. Such results can be nested 200
  /// levels deep; more traps. A negative limit traps. To get a slice of the current rows, use
  /// `prefix(_:)`, as for any collection.
  ///
  /// ```swift
  /// let latest = store.results(Message.self).sorted(by: \.date, order: .descending).limit(20)
  /// ```
  ///
  /// - Complexity: O(log *n*) if these results have been read, and for each row that changes.
  public func limit(_ maxLength: Int) -> Results {
    if maxLength < 0 { trap("the limit \(maxLength) of \(query.description) is below zero") }
    return Results(query: query.applying(LimitStage(query, limit: maxLength)))
  }
}
