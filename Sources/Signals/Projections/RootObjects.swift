// The objects of a root, and what tells it from others.

/// The objects that a projection shows.
enum RootObjects {
  case one(Object)
  /// The objects of a struct of several, and what tells it from others.
  case several([Object], RootIdentity)

  /// Looks into a root: an object, a projection, or a value with several of them.
  init<Root>(_ root: Root) {
    if let object = root as? Object {
      self = .one(object)
    } else if let projection = root as? any LiveProjection {
      self = projection.objects
    } else {
      var parts = RootParts()
      parts.add(root)
      self = .several(parts.objects, RootIdentity(parts: parts.identity))
    }
  }

  var identity: RootIdentity {
    switch self {
    case .one(let object): RootIdentity(object: ObjectIdentifier(object))
    case .several(_, let identity): identity
    }
  }

  /// The object that knows the projections which are shared.
  var first: Object? {
    switch self {
    case .one(let object): object
    case .several(let objects, _): objects.first
    }
  }

  /// Whether one of the objects was deleted.
  var isGone: Bool {
    switch self {
    case .one(let object): unsafe object.isGone
    case .several(let objects, _): objects.contains { unsafe $0.isGone }
    }
  }

  func forEach(_ body: (Object) -> Void) {
    switch self {
    case .one(let object): body(object)
    case .several(let objects, _): objects.forEach(body)
    }
  }
}

/// What tells a root from others: the identity of its objects, and its other values.
struct RootIdentity: Hashable {
  private let object: ObjectIdentifier?
  private let parts: [AnyHashable]

  init(object: ObjectIdentifier) {
    self.object = object
    parts = []
  }

  init(parts: [AnyHashable]) {
    object = nil
    self.parts = parts
  }
}

/// What is found in a value that stands for several objects.
private struct RootParts {
  private(set) var objects: [Object] = []
  private(set) var identity: [AnyHashable] = []

  private struct Nothing: Hashable {}

  mutating func add(_ value: Any) {
    if let object = value as? Object {
      add(object)
    } else if let projection = value as? any LiveProjection {
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
