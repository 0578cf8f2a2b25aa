// How objects describe themselves to tools that inspect the graph, and in messages.

extension Object: MessageNamed {
  var nameInMessages: String { StoreError.Subject(self).description }

  /// Describes the value of the property at an offset.
  func inspectProperty(at offset: Int) -> Inspection {
    if offset == Object.deletionOffset {
      return Inspection(kind: .property, value: "\(isDeleted)")
    }
    let property = Schema(of: type(of: self)).property(at: offset)
    guard let property, property.role != .inverse else { return Inspection(kind: .property) }
    return Inspection(kind: .property, value: property.type.text(in: self, at: offset))
  }
}

/// The description of an object that a subscription is about, as far as it is available outside the
/// object's isolation domain.
package struct SubscribedObject: Sendable {
  package let className: String
  package let key: (name: String, value: any Sendable)?
  package let property: String?
}

extension Object {
  /// The name and the current value of the primary key, if the class has one.
  package var primaryKey: (name: String, value: any FieldValue)? {
    guard let property = schema.primaryKey,
      let value = property.encodedValue(of: property.value(in: self))
    else { return nil }
    return (property.name, value)
  }

  /// Returns the object, or one of its properties, as the subject of a subscription's name.
  package func subject(_ property: String?) -> SubscribedObject {
    SubscribedObject(
      className: String(describing: type(of: self)), key: primaryKey.map { ($0.name, $0.value) },
      property: property)
  }

  /// The object's place in the order in which objects were added to the store, whatever its id.
  ///
  /// Later objects have higher numbers.
  package var placeInStore: UInt64 { sequence }

  /// The stored objects that have the object in a link or list, once for each of these properties.
  package var linkingObjects: some Sequence<Object> {
    (backlinks?.entries ?? []).lazy.map(\.source)
  }
}

extension ObjectChange {
  /// The change of the primary key, if it is among the changed properties.
  package var primaryKey: Property? {
    SnapshotShape.of(type).schema.primaryKey.flatMap { self[$0.name] }
  }
}

extension DependencyGraph.Kind {
  /// One property of one ``Object``.
  public static let property = DependencyGraph.Kind("property", drawnWith: "shape=box")
}

extension DependencyGraph {
  /// Creates the graph around an object, starting from all its properties that have readers.
  ///
  /// - Parameters:
  ///   - object: The object.
  ///   - depth: The maximum distance from the start, in edges.
  ///   - limit: The maximum number of vertices.
  public init(around object: Object, depth: Int = 3, limit: Int = 500) {
    var walk = DependencyWalk(depth: depth, limit: limit)
    if let propertyNodes = object.propertyNodes {
      walk.start(at: propertyNodes.nodes)
    }
    self = walk.finish()
  }
}
