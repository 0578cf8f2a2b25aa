// Results made of some rows of other results: the first rows, and one row for each key.

extension Results {
  /// The first rows, at most `maxLength`, kept up to date as rows enter and leave that range.
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
    return Results(query: query.picked(by: PrefixPick(query, limit: maxLength)))
  }

  /// The first row for each key, in the same order, kept up to date as other rows become the first.
  ///
  /// - `where { … }.distinct(by:)` has the first row for each key that satisfies the condition.
  ///   `distinct(by:).where { … }` has those of the first rows that satisfy it.
  /// - `distinct(by:).sorted(by:)` sorts the first rows differently.
  /// - nil is a key like any other, and so is NaN. Keys that don't equal themselves are the same if
  ///   they have the same contents: their encoded form or, if they can't be encoded, their
  ///   description.
  ///
  /// Each call creates a separate live result, so keep it. In a body, or in the data of a
  /// ``ForEach``, it would be created again with each change.
  ///
  /// ```swift
  /// let oneOfEach = store.results(Book.self).sorted(by: \.year).distinct(by: \.author)
  /// ```
  ///
  /// - Complexity: O(*n* log *n*) for the first read, then O(log *n*) for each row that changes.
  public func distinct<Key: Hashable>(by path: KeyPath<Element, Key>) -> Results {
    distinct { $0[keyPath: path] }
  }

  /// The first row for each key, which may be any function of the values it reads.
  ///
  /// - Complexity: O(*n* log *n*) for the first read, then O(log *n*) for each row that changes.
  public func distinct<Key: Hashable>(by key: @escaping (Element) -> Key) -> Results {
    let grouping = Grouping(query, GroupKeys<Key>(), by: Element.onObject(key))
    return Results(query: query.picked(by: DistinctPick(grouping)))
  }
}
