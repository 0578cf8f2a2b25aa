// What objects tell of themselves to those who look at the graph from outside.

extension Object: MessageNamed {
  var nameInMessages: String { "\(type(of: self)) \(objectID)" }

  /// What one property holds.
  func inspectProperty(at offset: Int) -> Inspection {
    if offset == Object.deletionOffset {
      return Inspection(kind: .property, value: "\(isDeleted)")
    }
    let property = Schema(of: type(of: self)).property(at: offset)
    guard let property, property.role != .inverse else { return Inspection(kind: .property) }
    func text<Wrapper: StoredProperty>(_ type: Wrapper.Type) -> String {
      unsafe Inspection.text(of: storage(at: offset).assumingMemoryBound(to: type).pointee.stored)
    }
    return Inspection(kind: .property, value: text(property.type))
  }
}

extension DependencyGraph {
  /// The graph around an object: all its properties that were ever read under tracking.
  public init(around object: Object, depth: Int = 3, limit: Int = 500) {
    var walk = DependencyWalk(depth: depth, limit: limit)
    if let watched = unsafe object.watched { unsafe walk.start(at: watched.nodes) }
    self = walk.finish()
  }
}
