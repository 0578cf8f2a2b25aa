// The projections of an object that somebody holds.
//
// State: `all`, every projection of the object, each by its address, until it goes; `known`, those that are
// shared, by class and root. All references are weak: the registry belongs to the object, and keeps nothing.

/// A projection, whatever its root.
protocol LiveProjection: AnyObject {
  /// The class that has only what every projection has.
  static var base: AnyClass { get }
  var objects: RootObjects { get }
  var last: LastValues? { get set }
  var replayed: [Int: Any]? { get set }

  /// Has the roots know the projection.
  func becomeKnown()

  /// Reads a property through its path, whatever its type.
  func evaluate(_ property: ProjectedProperty) -> Any
}

/// Tells shared projections apart.
struct ProjectionKey: Hashable {
  let type: ObjectIdentifier
  let identity: RootIdentity
}

/// The projections of one object.
final class ProjectionRegistry {
  private struct Reference {
    weak var projection: (any LiveProjection)?
  }

  private var all: [ObjectIdentifier: Reference] = [:]
  private var known: [ProjectionKey: Reference] = [:]

  func add(_ projection: some LiveProjection) {
    all[ObjectIdentifier(projection)] = Reference(projection: projection)
  }

  /// Forgets a projection that goes; there is no strong reference to it any more.
  func remove<Root>(_ projection: Projection<Root>) {
    all[ObjectIdentifier(projection)] = nil
    let key = ProjectionKey(
      type: ObjectIdentifier(type(of: projection)), identity: projection.objects.identity)
    if let reference = known[key], reference.projection == nil { known[key] = nil }
  }

  func shared(_ key: ProjectionKey) -> (any LiveProjection)? { known[key]?.projection }

  func share(_ projection: some LiveProjection, _ key: ProjectionKey) {
    known[key] = Reference(projection: projection)
  }

  /// The projections that somebody holds.
  var live: [any LiveProjection] { all.values.compactMap(\.projection) }

  var isEmpty: Bool { all.isEmpty }
}

extension Object {
  /// The registry of the object's projections, if it ever had one.
  final var knownProjections: ProjectionRegistry? {
    unsafe watched?.companion as? ProjectionRegistry
  }

  final var projections: ProjectionRegistry {
    let watched = unsafe self.watched ?? WatchedProperties()
    unsafe self.watched = watched
    if let registry = knownProjections { return registry }
    let registry = ProjectionRegistry()
    watched.companion = registry
    return registry
  }
}
