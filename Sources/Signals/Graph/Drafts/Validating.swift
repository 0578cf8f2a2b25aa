/// An object that can report validation errors.
///
/// A ``Draft`` validates its object and all objects it embeds. The errors can be shown beside the
/// fields, and a draft with errors can't be committed. A store doesn't validate objects
/// automatically. To refuse invalid objects from every source, check ``errors`` in
/// ``Store/beforeCommit``.
///
/// A draft calls ``validate(_:)`` once for all fields of a form, again when a value that it has
/// read changes, and again on each commit.
///
/// ```swift
/// extension Scrum: Validating {
///   func validate(_ check: inout Validation) {
///     check.require(!title.isEmpty, \Scrum.title, "A scrum needs a title")
///     check.require((5...60).contains(minutes), \Scrum.minutes, "Between 5 and 60 minutes")
///   }
/// }
/// ```
public protocol Validating: Object {
  /// Reports the object's errors to `check`; reads are dependencies of the caller.
  func validate(_ check: inout Validation)
}

extension Validating {
  /// The errors of the object, in the order in which they were reported; reads are dependencies.
  ///
  /// Errors of embedded objects aren't included.
  public var errors: [FieldError] {
    var check = Validation(self, prefix: "")
    validate(&check)
    return check.errors
  }
}

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

/// The error thrown when a draft fails validation or contains text that can't be parsed.
public struct InvalidDraftError: Error, Equatable, Sendable, CustomStringConvertible {
  /// The object; the stored one if it exists.
  public let subject: StoreError.Subject
  /// The errors, at least one.
  public let errors: [FieldError]
  /// Whether all errors are shown beside fields on screen.
  let isShown: Bool

  /// Whether both errors report the same validation errors for the same object.
  public static func == (lhs: InvalidDraftError, rhs: InvalidDraftError) -> Bool {
    lhs.subject == rhs.subject && lhs.errors == rhs.errors
  }

  /// The error as messages show it.
  public var description: String {
    "\(subject) is not valid: \(errors.map(\.description).joined(separator: "; "))"
  }
}
