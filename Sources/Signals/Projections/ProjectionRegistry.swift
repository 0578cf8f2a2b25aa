// The live projections of an object.
//
// State: `all`, every projection of the object by its address, until its deinit; `known`, the
// shared ones by class and root. All references are weak: the object owns the registry, and the
// registry keeps no projection alive.

/// A projection, independent of the type of its root.
protocol AnyProjection: AnyObject {
  /// The class whose stored properties all projections have.
  static var base: AnyClass { get }
  var objects: RootObjects { get }
  var last: LastValues? { get set }
  var replayed: [Int: Any]? { get set }

  /// Registers the projection with the objects of its root.
  func becomeKnown()

  /// Reads a property through its path, independent of its type.
  func evaluate(_ property: ProjectedProperty) -> Any
}

/// Identifies a projection by its class and root.
struct ProjectionKey: Hashable {
  let type: ObjectIdentifier
  /// The object, if the root is one.
  var object: ObjectIdentifier?
  /// The objects and other hashable values of a struct.
  var parts: [AnyHashable] = []
}

/// The projections of one object.
final class ProjectionRegistry {
  private struct Reference {
    weak var projection: (any AnyProjection)?
  }

  private var all: [ObjectIdentifier: Reference] = [:]
  private var known: [ProjectionKey: Reference] = [:]

  func add(_ projection: some AnyProjection) {
    all[ObjectIdentifier(projection)] = Reference(projection: projection)
  }

  /// Removes a projection that is being deallocated and has no strong references left.
  func remove<Root>(_ projection: Projection<Root>) {
    all[ObjectIdentifier(projection)] = nil
    let key = projection.key
    if let reference = known[key], reference.projection == nil { known[key] = nil }
  }

  func shared(_ key: ProjectionKey) -> (any AnyProjection)? { known[key]?.projection }

  func share(_ projection: some AnyProjection, as key: ProjectionKey) {
    known[key] = Reference(projection: projection)
  }

  /// The projections that are still alive.
  var live: [any AnyProjection] { all.values.compactMap(\.projection) }

  var isEmpty: Bool { all.isEmpty }
}

extension Object {
  /// The registry of the object's projections; nil if it never had a projection.
  final var knownProjections: ProjectionRegistry? {
    propertyNodes?.companion as? ProjectionRegistry
  }

  final var projections: ProjectionRegistry {
    let propertyNodes = self.propertyNodes ?? PropertyNodes()
    self.propertyNodes = propertyNodes
    if let registry = knownProjections { return registry }
    let registry = ProjectionRegistry()
    propertyNodes.companion = registry
    return registry
  }
}
