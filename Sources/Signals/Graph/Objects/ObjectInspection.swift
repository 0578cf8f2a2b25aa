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

extension Object {
  /// The name and the present value of the primary key, if the class has one.
  package var primaryKey: (name: String, value: any FieldValue)? {
    guard let property = Schema(of: type(of: self)).primaryKey,
      let value = property.carried(property.value(in: self))
    else { return nil }
    return (property.name, value)
  }

  /// The object, or a property of it, as the name of a subscription has it.
  package func subject(_ property: String?) -> SubscriptionName.Subject {
    SubscriptionName.Subject(
      className: String(describing: type(of: self)), key: primaryKey.map { ($0.name, $0.value) },
      property: property)
  }

  /// Where the object stands among those of its store, whatever its id: later ones have higher numbers.
  package var placeInStore: UInt64 { unsafe sequence }
}

extension ObjectChange {
  /// What became of the primary key, if it is among the changed properties.
  package var primaryKey: Property? { Schema(of: type).primaryKey.flatMap { self[$0.name] } }
}

extension DependencyGraph {
  /// The graph around an object: all its properties that somebody reads.
  public init(around object: Object, depth: Int = 3, limit: Int = 500) {
    var walk = DependencyWalk(depth: depth, limit: limit)
    if let watched = unsafe object.watched { unsafe walk.start(at: watched.nodes) }
    self = walk.finish()
  }
}
