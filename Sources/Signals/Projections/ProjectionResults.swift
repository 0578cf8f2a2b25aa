// Live results with projections as elements.

extension Projection: _ResultElement where Root: Object {
  /// The class of the roots.
  public static var _objectClass: Object.Type { Root.self }

  /// The root of the projection.
  public final var _object: Object { root }

  /// Returns the shared projection of an object.
  ///
  /// - Parameter object: The object.
  /// - Returns: The projection.
  public static func _element(of object: Object) -> Self { shared(for: List<Root>.typed(object)) }

  /// Calls `body` with the shared projection of an object, or with a temporary one if there is
  /// none.
  ///
  /// - Parameters:
  ///   - object: The object.
  ///   - body: The closure to call.
  /// - Returns: The result of `body`.
  public static func _withElement<Value>(
    of object: Object, _ body: (AnyObject) -> Value
  ) -> Value { evaluate(on: object, body) }
}

extension Results where Element: Object {
  /// Returns the same live results, as projections of their objects.
  ///
  /// - Each element is the shared projection of its object, created when it is accessed.
  /// - Conditions and sort keys take the projection. Their reads through it are tracked as in
  ///   results of objects. Besides these reads, each evaluation creates a projection for an object
  ///   that has no shared one yet.
  /// - When an object is deleted, its projection is removed from the results in the same commit.
  ///
  /// ```swift
  /// let rows = store.results(Book.self).projected(to: BookRow.self)
  ///   .where { $0.author != nil }
  ///   .sorted(by: \.title)
  /// ForEach(rows) { row in Text(row.title) }
  /// ```
  ///
  /// - Parameter type: The class of the projections.
  /// - Returns: The results of projections.
  /// - Complexity: O(1).
  public func projected<Row: ProjectionProtocol & _ResultElement>(
    to type: Row.Type
  ) -> Results<Row> where Row.Root == Element { Results<Row>(query: query) }
}

extension Results where Element: ProjectionProtocol, Element.Root: Object {
  /// The same live results, as the objects of the projections.
  public var objects: Results<Element.Root> { Results<Element.Root>(query: query) }
}
