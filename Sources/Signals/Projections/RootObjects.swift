// The objects of a root, and the values that identify it.

/// The objects that a projection shows.
enum RootObjects {
  case one(Object)
  /// The objects of a struct, and the values that identify it.
  case several([Object], parts: [AnyHashable])

  /// Finds the objects of a root: an object, a projection, or a value that contains several.
  init<Root>(_ root: Root) {
    if let object = root as? Object {
      self = .one(object)
    } else if let projection = root as? any AnyProjection {
      self = projection.objects
    } else {
      var parts = RootParts()
      parts.add(root)
      self = .several(parts.objects, parts: parts.identity)
    }
  }

  /// Identifies a projection of these objects by a class.
  func key(of type: AnyClass) -> ProjectionKey {
    let type = ObjectIdentifier(type)
    return switch self {
    case .one(let object): ProjectionKey(type: type, object: ObjectIdentifier(object))
    case .several(_, let parts): ProjectionKey(type: type, parts: parts)
    }
  }

  /// The object that registers the shared projections.
  var first: Object? {
    switch self {
    case .one(let object): object
    case .several(let objects, _): objects.first
    }
  }

  /// Whether one of the objects was deleted.
  var isGone: Bool {
    switch self {
    case .one(let object): object.isGone
    case .several(let objects, _): objects.contains { $0.isGone }
    }
  }

  func forEach(_ body: (Object) -> Void) {
    switch self {
    case .one(let object): body(object)
    case .several(let objects, _): objects.forEach(body)
    }
  }
}

/// Collects the objects and hashable values in a value, at any depth.
private struct RootParts {
  private(set) var objects: [Object] = []
  private(set) var identity: [AnyHashable] = []

  private struct Nothing: Hashable {}

  mutating func add(_ value: Any) {
    if let object = value as? Object {
      add(object)
    } else if let projection = value as? any AnyProjection {
      projection.objects.forEach { add($0) }
    } else if type(of: value) is AnyClass {
      identity.append(ObjectIdentifier(value as AnyObject))
    } else {
      let mirror = Mirror(reflecting: value)
      if !mirror.children.isEmpty {
        for child in mirror.children { add(child.value) }
      } else if mirror.displayStyle == .optional {
        identity.append(Nothing())
      } else if let value = value as? AnyHashable {
        identity.append(value)
      }
    }
  }

  private mutating func add(_ object: Object) {
    if !objects.contains(where: { $0 === object }) { objects.append(object) }
    identity.append(ObjectIdentifier(object))
  }
}
