// Projections for one evaluation of a condition or sort key.
//
// A query evaluates its closures on every object of a class: none of them should have to know a projection for
// that. So one for which nobody asked before is made without its object learning of it.
//
// State: `Orphans.transient` of the thread, while such a projection is being made.

/// The projection that is being made for one evaluation.
enum TransientRow {
  /// Whether this is the projection being made for one evaluation.
  static func isMade(of type: AnyClass, _ object: Object?) -> Bool {
    guard let row = Orphans.current.transient, let object else { return false }
    return row == (ObjectIdentifier(type), ObjectIdentifier(object))
  }
}

extension RootedProjection where Root: Object {
  /// Calls `body` with the projection of an object: the one that is shared, or one made for this.
  static func evaluate<Result>(on object: Object, _ body: (Self) -> Result) -> Result {
    let root = List<Root>.typed(object)
    let key = ProjectionKey(
      type: ObjectIdentifier(self), identity: RootIdentity(object: ObjectIdentifier(object)))
    if let known = object.knownProjections?.shared(key) as? Self { return body(known) }
    let thread = Orphans.current
    thread.transient = (key.type, ObjectIdentifier(object))
    var row = self.init(root)
    thread.transient = nil
    let result = body(row)
    // Somebody holds it all the same.
    if !isKnownUniquelyReferenced(&row) { (row as? any LiveProjection)?.becomeKnown() }
    return result
  }
}
