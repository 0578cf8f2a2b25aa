// Conditions that all words of a search are in some texts of an object.

/// A condition that all words of a search are in some texts of an object.
struct TextCondition<Root: Object>: IndexedCondition {
  private let search: String
  private let terms: [SearchTerm]
  private let paths: [KeyPath<Root, String>]
  private let index: TextIndex

  init(
    _ search: String, terms: [SearchTerm], in paths: [KeyPath<Root, String>], by index: TextIndex
  ) {
    (self.search, self.terms, self.paths, self.index) = (search, terms, paths, index)
  }

  func describe(_ name: (AnyKeyPath) -> String) -> String {
    "\(paths.map(name).joined(separator: ", ")) matching \(search)"
  }

  func isSatisfied(by object: Object) -> Bool {
    let object = List<Root>.typed(object)
    var missing = terms
    for path in paths { missing.removeWords(of: object[keyPath: path]) }
    return missing.isEmpty
  }

  var isReady: Bool { index.isComplete }

  func find(for query: Query) -> FoundObjects? {
    guard let found = index.find(terms, for: query) else { return nil }
    let count = found.reduce(0) { $0 + ($1.slots?.count ?? $1.table.count) }
    return FoundObjects(count: count) { body in
      for (table, slots) in found {
        if let slots {
          slots.forEach { if let object = table.objects[Int($0)] { body(object, true) } }
        } else {
          for case let object? in table.objects { body(object, false) }
        }
      }
    }
  }
}

extension Results where Element: Object {
  /// Returns the rows whose texts contain all words of a search.
  ///
  /// Words are runs of letters and digits; everything else separates them. They are compared without
  /// case and diacritics, and are found in any of the texts. A `*` behind a word finds all words that
  /// begin with it. A search without words finds all rows, and keeps the index for the next one.
  /// Ideographs and kana are words by themselves.
  ///
  /// An index of the words is built by the first read. Results of the same class that search in the
  /// same properties share it, as long as there are any; later changes are entered by the next
  /// search. The texts of a class that inherits one of the properties are read one by one, and so are
  /// all texts if a property is computed.
  ///
  /// ```swift
  /// // A search field: the last word that was typed is found by its beginning.
  /// let found = store.results(Message.self).matching(typed + "*", in: \.title, \.text)
  /// ```
  ///
  /// - Parameters:
  ///   - search: The words.
  ///   - paths: The properties with the texts.
  /// - Complexity: O(*w* + *n* / 64 + *r*) for the first read of *r* rows, where *w* is the number of
  ///   objects that have one of the words and *n* that of all, once the words are entered.
  public func matching(
    _ search: String, in paths: KeyPath<Element, String>...
  ) -> Results {
    let index = SharedQueries.textIndex(of: query.type, at: paths, in: query.store)
    let terms = SearchTerm.terms(of: search)
    if terms.isEmpty { return Results(query: query.keeping(index)) }
    let condition = TextCondition(search, terms: terms, in: paths, by: index)
    return Results(query: query.filtered(by: condition))
  }
}
