// Names, offsets and types of the projected properties of a class, read from the runtime's field records.
//
// State: `known` and `keepers`, by class; behind a lock, since a class may be used in several isolation domains.

@_spi(Reflection) private import Swift

/// The storage of a projected property, whatever it shows.
protocol ProjectedStorage: SendableMetatype {
  associatedtype Root
  associatedtype Value

  /// Reads the property through its path.
  func read(_ root: Root) -> Value
}

/// A projected property of a class.
struct ProjectedProperty: Sendable {
  let name: String
  let offset: Int
  let type: any ProjectedStorage.Type

  private static let known = Locked<[ObjectIdentifier: [ProjectedProperty]]>([:])

  /// The projected properties of a class, inherited ones first.
  static func all(of type: AnyClass) -> [ProjectedProperty] {
    let key = ObjectIdentifier(type)
    if let properties = known.withLock({ $0[key] }) { return properties }
    let properties = find(in: type)
    known.withLock { $0[key] = properties }
    return properties
  }

  /// Whether a projection of a class keeps something that is not its root's: it declares other stored properties.
  static func keepsMore(_ type: AnyClass) -> Bool {
    let key = ObjectIdentifier(type)
    if let known = keepers.withLock({ $0[key] }) { return known }
    var keepsMore = false
    _ = unsafe _forEachField(of: type, options: _EachFieldOptions(rawValue: 1)) {
      label, _, field, _ in
      let isOwn = unsafe !inherited.contains(String(cString: label))
      keepsMore = isOwn && !(field is any ProjectedStorage.Type)
      return !keepsMore
    }
    keepers.withLock { $0[key] = keepsMore }
    return keepsMore
  }

  private static let keepers = Locked<[ObjectIdentifier: Bool]>([:])
  /// What every projection has.
  private static let inherited: Set<String> = ["root", "objects", "last", "replayed", "isKnown"]

  private static func find(in type: AnyClass) -> [ProjectedProperty] {
    var properties: [ProjectedProperty] = []
    // The one option there is, "the type is a class", has no name that strict concurrency allows.
    _ = unsafe _forEachField(of: type, options: _EachFieldOptions(rawValue: 1)) {
      label, offset, field, _ in
      if let storage = field as? any ProjectedStorage.Type {
        let name = unsafe String(cString: label)
        properties.append(
          ProjectedProperty(
            name: name.hasPrefix("_") ? String(name.dropFirst()) : name, offset: offset,
            type: storage))
      }
      return true
    }
    return properties
  }

  /// Whether two values are the same; what can't be compared never is.
  static func isSame(_ old: Any, _ new: Any) -> Bool {
    func isEqual<Value: Equatable>(_ old: Value) -> Bool {
      (new as? Value).map { old == $0 } ?? false
    }
    return (old as? any Equatable).map { isEqual($0) } ?? false
  }
}

extension Projection {
  final func evaluate(_ property: ProjectedProperty) -> Any {
    func open<Storage: ProjectedStorage>(_ type: Storage.Type) -> Any {
      guard let root = root as? Storage.Root else { trap("\(property.name) has another root") }
      let address = unsafe Unmanaged.passUnretained(self).toOpaque() + property.offset
      return unsafe address.assumingMemoryBound(to: Storage.self).pointee.read(root)
    }
    return open(property.type)
  }
}
