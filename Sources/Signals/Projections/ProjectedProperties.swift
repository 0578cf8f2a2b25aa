// The names, offsets and types of the projected properties of a class, read from the runtime's
// field records.
//
// State: `known`, the layouts by class, protected by a lock because a class may be used in several
// isolation domains.

/// The storage of a projected property, independent of its types.
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

  /// The stored properties of a class, as the runtime describes them.
  private struct Layout {
    /// The projected properties, inherited ones first.
    var properties: [ProjectedProperty] = []
    /// The number of all stored properties, projected or not, including inherited ones.
    var fieldCount = 0
  }

  private static let known = Locked<[ObjectIdentifier: Layout]>([:])

  /// The projected properties of a class, inherited ones first.
  static func all(of type: AnyClass) -> [ProjectedProperty] { layout(of: type).properties }

  /// Whether a projection class declares stored properties besides its projected ones, so that its
  /// instances hold state that isn't part of the root.
  static func keepsMore(_ type: any AnyProjection.Type) -> Bool {
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
    for field in FieldRecord.all(of: type) {
      layout.fieldCount += 1
      if let storage = field.type as? any ProjectedStorage.Type {
        layout.properties.append(
          ProjectedProperty(name: field.propertyName, offset: field.offset, type: storage))
      }
    }
    return layout
  }

  /// Whether two values are equal; values that can't be compared count as different.
  static func isSame(_ old: Any, _ new: Any) -> Bool {
    func isEqual<Value: Equatable>(_ old: Value) -> Bool {
      (new as? Value).map { old == $0 } ?? false
    }
    return (old as? any Equatable).map { isEqual($0) } ?? false
  }
}

extension Projection {
  final func evaluate(_ property: ProjectedProperty) -> Any {
    guard let value = property.type.read(root, by: self, at: property.offset) else {
      trap("\(property.name) has another root")
    }
    return value
  }
}

extension ProjectedStorage {
  /// Reads the property of a projection; nil if it is one of another root.
  fileprivate static func read(_ root: Any, by projection: AnyObject, at offset: Int) -> Any? {
    guard let root = root as? Root else { return nil }
    return unsafe UncheckedPointer<Self>(at: offset, of: projection).pointee.read(root)
  }
}
