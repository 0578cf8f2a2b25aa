// Queries with equal descriptions are one structure, however many screens show it.
//
// Only a class and sort keys describe a query, because closures can't be compared. State: `queries`,
// the described queries of a store that are in use, and `textIndexes`, the indexes of words that
// conditions use. Each removes itself before it is deallocated.

/// The class and the sort keys of a query, if it has no other parts.
struct QueryDescription: Hashable {
  private struct Key: Hashable {
    let path: AnyKeyPath
    let isDescending: Bool
  }

  private let type: ObjectIdentifier
  private let keys: [Key]

  /// Fails if the query has a part that can't be compared with another query's.
  init?(_ definition: QueryDefinition) {
    guard definition.filters.isEmpty, definition.stage == nil, !definition.ignoresViewState else {
      return nil
    }
    var keys: [Key] = []
    for descriptor in definition.descriptors {
      guard let path = descriptor.path else { return nil }
      keys.append(Key(path: path, isDescending: descriptor.isDescending))
    }
    type = ObjectIdentifier(definition.type)
    self.keys = keys
  }
}

/// The queries of a store that equal descriptions share.
final class SharedQueries {
  private var queries: [QueryDescription: Unretained<Query>] = [:]
  private var textIndexes: [TextIndex.Description: Unretained<TextIndex>] = [:]

  private static func shared(in store: Store) -> SharedQueries {
    store.companion { SharedQueries() }
  }

  /// Returns the query in use that has the description of a definition, or a new one.
  static func query(_ definition: QueryDefinition) -> Query {
    guard let description = QueryDescription(definition) else { return Query(definition) }
    let shared = shared(in: definition.store)
    if let query = shared.queries[description] { return query.instance }
    let query = Query(definition, sharedAs: description)
    shared.queries[description] = Unretained(query)
    return query
  }

  /// Removes a query that is about to be deallocated.
  static func remove(_ description: QueryDescription, of store: Store) {
    shared(in: store).queries[description] = nil
  }

  /// Returns the index in use of the words in some properties of a class, or a new one.
  static func textIndex(
    of type: Object.Type, at paths: [AnyKeyPath], in store: Store
  ) -> TextIndex {
    let description = TextIndex.Description(type: ObjectIdentifier(type), paths: paths)
    let shared = shared(in: store)
    if let index = shared.textIndexes[description] { return index.instance }
    let index = TextIndex(of: type, at: description, in: store)
    shared.textIndexes[description] = Unretained(index)
    return index
  }

  /// Removes an index that is about to be deallocated.
  static func remove(_ description: TextIndex.Description, of store: Store) {
    shared(in: store).textIndexes[description] = nil
  }
}
