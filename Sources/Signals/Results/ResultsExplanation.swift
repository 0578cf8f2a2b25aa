// How results find their rows, to find the reason of a slow read.

extension Results {
  /// Describes how the rows are found, for example whether an index is used.
  ///
  /// The description is for reading, and may change between versions. It brings the rows up to date
  /// and registers no dependency.
  ///
  /// ```swift
  /// print(packages.where(\.section, equals: "libs").sorted(by: \.name).explain())
  /// // 3 rows of Package, sorted by name
  /// // found by an index, section = libs: 3 of 1000 objects
  /// // notified of changes of objects that have the value
  /// ```
  ///
  /// - Returns: Lines about the rows, about the objects that were tested when the rows were last
  ///   built, about the objects whose changes concern them, and about sharing with other results.
  public func explain() -> String {
    Node.withoutReader { query.refresh() }
    return query.explanation.joined(separator: "\n")
  }
}

extension Query {
  fileprivate var explanation: [String] {
    let keys = order.descriptors.map { descriptor in
      (descriptor.path.map(name(of:)) ?? "a closure")
        + (descriptor.isDescending ? ", descending" : "")
    }
    let sorting =
      keys.isEmpty ? "in the order of insertion" : "sorted by \(keys.joined(separator: ", "))"
    var lines = ["\(tree.count) \(tree.count == 1 ? "row" : "rows") of \(type), \(sorting)"]
    lines += [originExplanation, watchingExplanation].compactMap(\.self)
    if sharedAs != nil { lines.append("shared by all results of \(type) in this order") }
    return lines
  }

  /// The name of the property that a key path leads to.
  private func name(of path: AnyKeyPath) -> String {
    // Conditions may exclude the objects on which the path can't be read.
    let object = tree.first?.object
    let type = object?.schema.type ?? self.type
    let property = PropertyResolver.current.property(of: path, in: type, object)
    return property?.name ?? "\(path)"
  }

  private var originExplanation: String? {
    let count = definition.filters.count
    let conditions = "\(count) \(count == 1 ? "condition" : "conditions")"
    switch origin {
    case .objects(let count): return "tested: all of \(count) objects, for \(conditions)"
    case .query(let rows):
      return "tested: \(rows) rows of other results, for the conditions added to them"
    case .index(let index, let count, let total):
      let condition = definition.indexed[index].condition.describe(name(of:))
      let found = "found by an index, \(condition): \(count) of \(total) objects"
      let others = definition.filters.count - 1
      return others == 0 ? found : found + ", tested for \(others) more"
    case .stage: return "selected from the \(stage?.upstream.tree.count ?? 0) rows of other results"
    case nil: return nil
    }
  }

  private var watchingExplanation: String? {
    let tables = table.objectTables.filter { $0.count > 0 }
    let watched = tables.filter(watchedValues.include)
    if watched.isEmpty { return nil }
    let whole = tables.filter { !watchedValues.include($0) }.map(\.schema.name).sorted()
    let values = "notified of changes of objects that have the value"
    return whole.isEmpty ? values : values + ", and of all of \(whole.joined(separator: ", "))"
  }
}
