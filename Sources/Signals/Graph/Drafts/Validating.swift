/// An object that can say what is wrong with it.
///
/// A ``Draft`` asks it: what is wrong stands beside the fields, and the draft can't be committed meanwhile. What
/// is checked is the object and everything that it embeds. A store does not ask by itself; to refuse
/// invalid objects from everywhere, check ``errors`` in ``Store/beforeCommit``.
///
/// It is asked once for all fields of a form, when something that it has read changed, and again by each commit.
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
  /// Says what is wrong; what it reads are dependencies of whoever asks.
  func validate(_ check: inout Validation)
}

extension Validating {
  /// What is wrong with the object, in the order in which it was said.
  ///
  /// Nothing of what it embeds. Reads are dependencies.
  public var errors: [FieldError] {
    var check = Validation(self, prefix: "")
    validate(&check)
    return check.errors
  }
}

/// What is wrong with a property.
public struct FieldError: Error, Equatable, Sendable, CustomStringConvertible {
  /// The object that has the property; in a draft the stored one, where there is one.
  public let id: ObjectID
  /// The property, by its path from the object that was asked: `title`, `address.city`; empty for the whole
  /// object.
  public let property: String
  /// The value that is wrong.
  public let value: String
  /// What a person is told.
  public let message: String

  /// How messages show it.
  public var description: String {
    property.isEmpty ? message : "\(property) is \(value): \(message)"
  }
}

/// A draft that could not be committed, because its object says that something is wrong, or a field of it shows what is
/// no value.
public struct InvalidDraftError: Error, Equatable, Sendable, CustomStringConvertible {
  /// The object; the stored one, where there is one.
  public let subject: StoreError.Subject
  /// What is wrong, at least one thing.
  public let errors: [FieldError]
  /// Whether all of it stands beside fields that are on screen.
  let isShown: Bool

  /// Whether both say the same of the same object.
  public static func == (lhs: InvalidDraftError, rhs: InvalidDraftError) -> Bool {
    lhs.subject == rhs.subject && lhs.errors == rhs.errors
  }

  /// How messages show it.
  public var description: String {
    "\(subject) is not valid: \(errors.map(\.description).joined(separator: "; "))"
  }
}
