// Names of values that are equal in every process, for rows of a screen and options of a picker.

/// Names values in a way that another process reproduces.
enum StableName {
  /// The name of a value; nil if the value has no description to make one from.
  ///
  /// An object is named by its primary key, or else by its ``ObjectID``. A projection is named by
  /// its root, a value with a raw value or an id by that, and an optional by its wrapped value.
  static func of(_ value: Any) -> String? {
    switch value {
    case let text as String: return text
    case let object as Object: return name(of: object)
    case let id as ObjectID: return "\(id.replica)-\(id.counter)"
    case let projection as any ProjectionProtocol: return of(projection.root)
    case let value as any LosslessStringConvertible: return value.description
    case let value as any RawRepresentable: return of(value.rawValue)
    case let value as any Identifiable: return of(value.id)
    default: break
    }
    let mirror = Mirror(reflecting: value)
    if mirror.displayStyle == .optional { return mirror.children.first.map { of($0.value) } ?? "" }
    if mirror.displayStyle == .enum, mirror.children.isEmpty { return "\(value)" }
    return (value as? any CustomStringConvertible)?.description
  }

  private static func name(of object: Object) -> String {
    Node.withoutReader {
      let key = object.primaryKey.map { of($0.value) ?? "\($0.value)" }
      return key ?? of(object.objectID) ?? ""
    }
  }
}
