// Names, offsets and types of the projected properties of a class, read from the runtime's field records.
//
// State: `known`, by class; behind a lock, since a class may be used in several isolation domains.

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

  /// What the runtime knows of a class.
  private struct Layout {
    /// The projected properties, inherited ones first.
    var properties: [ProjectedProperty] = []
    /// How many stored properties there are, projected or not, with those inherited.
    var fieldCount = 0
  }

  private static let known = Locked<[ObjectIdentifier: Layout]>([:])

  /// The projected properties of a class, inherited ones first.
  static func all(of type: AnyClass) -> [ProjectedProperty] { layout(of: type).properties }

  /// Whether a projection keeps something that is not its root's: its class declares other stored properties.
  static func keepsMore(_ type: any LiveProjection.Type) -> Bool {
    let layout = layout(of: type)
    return layout.fieldCount > layout.properties.count + self.layout(of: type.base).fieldCount
  }

  private static func layout(of type: AnyClass) -> Layout {
    let key = ObjectIdentifier(type)
    if let layout = known.withLock({ $0[key] }) { return layout }
    let layout = find(in: type)
    known.withLock { $0[key] = layout }
    return layout
  }

  private static func find(in type: AnyClass) -> Layout {
    var layout = Layout()
    // The one option there is, "the type is a class", has no name that strict concurrency allows.
    _ = unsafe _forEachField(of: type, options: _EachFieldOptions(rawValue: 1)) {
      label, offset, field, _ in
      layout.fieldCount += 1
      if let storage = field as? any ProjectedStorage.Type {
        let name = unsafe String(cString: label)
        layout.properties.append(
          ProjectedProperty(
            name: name.hasPrefix("_") ? String(name.dropFirst()) : name, offset: offset,
            type: storage))
      }
      return true
    }
    return layout
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
