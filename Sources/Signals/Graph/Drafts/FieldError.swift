/// A validation error of a property or of a whole object.
public struct FieldError: Error, Equatable, Sendable, CustomStringConvertible {
  /// The id of the object that has the property; in a draft, of the stored object if there is one.
  public let id: ObjectID
  /// The property, as a path from the validated object: `title`, `address.city`; empty for the
  /// object as a whole.
  public let property: String
  /// The description of the invalid value.
  public let value: String
  /// The message for the user.
  public let message: String

  /// The error as messages show it.
  public var description: String {
    property.isEmpty ? message : "\(property) is \(value): \(message)"
  }
}
