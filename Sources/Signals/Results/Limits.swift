// Results made of some rows of others: the first ones, and one of each kind.

extension Results {
  /// The first rows, at most `maxLength`, kept up to date as rows enter and leave that range.
  ///
  /// What is asked of these results is asked of the first rows alone:
  /// - `limit(3).where { … }` keeps those of the first three that satisfy the condition, and
  ///   `where { … }.limit(3)` is the first three that satisfy it;
  /// - `limit(3).sorted(by:)` puts the first three into another order, in which rows that tie stand as they
  ///   stood before; the keys of several `sorted(by:)` after it count as ever;
  /// - `limit(3).distinct(by:)` has one of each key among the first three; `distinct(by:).limit(3)` is the
  ///   first three of those.
  ///
  /// Each call makes a live result of its own, which keeps this one, up to 200 deep: deeper is a trap. A limit below zero traps. A
  /// slice of the present rows is `prefix(_:)`, as for any collection.
  ///
  /// ```swift
  /// let latest = store.results(Message.self).sorted(by: \.date, order: .descending).limit(20)
  /// ```
  ///
  /// - Complexity: O(log n) to begin with, if these results were read, and for each row that changes.
  public func limit(_ maxLength: Int) -> Results {
    if maxLength < 0 { trap("the limit \(maxLength) of \(query.description) is below zero") }
    return Results(query: query.picked(by: PrefixPick(query, limit: maxLength)))
  }

  /// Of the rows of each key the first one, in the same order: live, as others come to be the first.
  ///
  /// - `where { … }.distinct(by:)` has the first of each key that satisfies the condition, and
  ///   `distinct(by:).where { … }` keeps those of the first ones that satisfy it.
  /// - `distinct(by:).sorted(by:)` puts the first ones into another order.
  /// - nil is a key like others, and so is NaN; keys that do not equal themselves are the same if they consist
  ///   of the same, as they are encoded or, if they can't be, as they describe themselves.
  ///
  /// Each call makes a live result of its own: O(n log n) for its first read, O(log n) for each row that
  /// changes. Keep it: in a body, or in the data of a ``ForEach``, it would be made again with each change.
  ///
  /// ```swift
  /// let oneOfEach = store.results(Book.self).sorted(by: \.year).distinct(by: \.author)
  /// ```
  public func distinct<Key: Hashable>(by path: KeyPath<Element, Key>) -> Results {
    distinct { $0[keyPath: path] }
  }

  /// Of the rows of each key the first one; the key may be any function of what it reads.
  ///
  /// O(n log n) for the first read, O(log n) for each row that changes.
  public func distinct<Key: Hashable>(by key: @escaping (Element) -> Key) -> Results {
    let grouping = Grouping(query, GroupKeys<Key>(), by: Element.onObject(key))
    return Results(query: query.picked(by: DistinctPick(grouping)))
  }
}
