// Live results whose elements are projections.

extension Projection: _ResultElement where Root: Object {
  /// The class of the roots.
  public static var _objectClass: Object.Type { Root.self }

  /// Always false.
  public static var _isObject: Bool { false }

  /// The root.
  public final var _object: Object { root }

  /// The shared projection of an object.
  public static func _element(of object: Object) -> Self { shared(for: List<Root>.typed(object)) }

  /// Calls `body` with the shared projection of an object, or with one that is made for this call if no one holds any.
  public static func _withElement<Value>(
    of object: Object, _ body: (AnyObject) -> Value
  ) -> Value { evaluate(on: object, body) }
}

extension Results where Element: Object {
  /// The same live results, as projections of their objects.
  ///
  /// - A projection is the one that its object shares, made when it is asked for.
  /// - Conditions and sort keys are typed on the projection. What they read through it is followed as in results of
  ///   objects. Each costs, besides what it reads, a projection for every object that has none yet.
  /// - When an object is deleted, its projection leaves the results in the same commit.
  ///
  /// ```swift
  /// let rows = store.results(Book.self).projected(to: BookRow.self)
  ///   .where { $0.author != nil }
  ///   .sorted(by: \.title)
  /// ForEach(rows) { row in Text(row.title) }
  /// ```
  ///
  /// - Complexity: O(1).
  public func projected<Row: RootedProjection & _ResultElement>(
    to type: Row.Type
  ) -> Results<Row> where Row.Root == Element { Results<Row>(query: query) }
}

extension Results where Element: RootedProjection, Element.Root: Object {
  /// The same live results, as the objects of the projections.
  public var objects: Results<Element.Root> { Results<Element.Root>(query: query) }
}
