// Results made of some rows of others: the first ones, and one of each kind.

extension Results {
  /// The first rows, at most so many: live, as rows come to stand among them and leave them.
  ///
  /// What is asked of these results is asked of the first rows alone:
  /// - `prefix(3).where { … }` keeps those of the first three that satisfy the condition, and
  ///   `where { … }.prefix(3)` is the first three that satisfy it;
  /// - `prefix(3).sorted(by:)` puts the first three into another order, in which rows that tie stand as they
  ///   stood before; the keys of several `sorted(by:)` after it count as ever;
  /// - `prefix(3).distinct(by:)` has one of each key among the first three; `distinct(by:).prefix(3)` is the
  ///   first three of those.
  ///
  /// O(log n) for each row that changes; the rows before the limit are found among those of this
  /// result, which is kept with them. A limit below zero traps.
  ///
  /// ```swift
  /// let latest = store.results(Message.self).sorted(by: \.date, order: .descending).prefix(20)
  /// ```
  public func prefix(_ maxLength: Int) -> Results {
    if maxLength < 0 { trap("the limit \(maxLength) of \(query.description) is below zero") }
    return Results(query: query.picked(by: PrefixPick(query, limit: maxLength)))
  }

  /// Of the rows of each key the first one, in the same order: live, as others come to be the first.
  ///
  /// - `where { … }.distinct(by:)` has the first of each key that satisfies the condition, and
  ///   `distinct(by:).where { … }` keeps those of the first ones that satisfy it.
  /// - `distinct(by:).sorted(by:)` puts the first ones into another order.
  /// - nil is a key like others, and so is NaN.
  ///
  /// O(log n) for each row that changes.
  ///
  /// ```swift
  /// let oneOfEach = store.results(Book.self).sorted(by: \.year).distinct(by: \.author)
  /// ```
  public func distinct<Key: Hashable>(by path: KeyPath<Element, Key>) -> Results {
    distinct { $0[keyPath: path] }
  }

  /// Of the rows of each key the first one; the key may be any function of what it reads.
  ///
  /// O(log n) for each row that changes.
  public func distinct<Key: Hashable>(by key: @escaping (Element) -> Key) -> Results {
    let grouping = Grouping(query, GroupKeys<Key>()) { key(List<Element>.typed($0)) }
    return Results(query: query.picked(by: DistinctPick(grouping)))
  }
}
