// Temporary projections for evaluating a condition or sort key.
//
// A query evaluates its closures on every object of a class, and most of these objects shouldn't
// have to register a projection for that. So if an object has no shared projection, one is created
// without registering it.
//
// State: the thread's `GraphThreadState.temporaryProjection`, set while such a projection is being
// created.

extension Projection {
  /// Whether this is the projection being created for one evaluation.
  final var isTemporary: Bool {
    guard let row = GraphThreadState.current.temporaryProjection, let object = objects.first else {
      return false
    }
    return row == (ObjectIdentifier(type(of: self)), ObjectIdentifier(object))
  }
}

extension ProjectionProtocol where Root: Object {
  /// Calls `body` with the shared projection of an object, or with a temporary one if there is
  /// none.
  static func evaluate<Result>(on object: Object, _ body: (Self) -> Result) -> Result {
    let root = List<Root>.typed(object)
    let key = RootObjects.one(object).key(of: self)
    if let known = object.knownProjections?.shared(key) as? Self { return body(known) }
    let thread = GraphThreadState.current
    thread.temporaryProjection = (key.type, ObjectIdentifier(object))
    var row = self.init(root)
    thread.temporaryProjection = nil
    let result = body(row)
    // `body` has stored it, so it is registered after all.
    if !isKnownUniquelyReferenced(&row) { (row as? any AnyProjection)?.becomeKnown() }
    return result
  }
}
