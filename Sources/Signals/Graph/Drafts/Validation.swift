/// An object that can say what is wrong with it.
///
/// A ``Draft`` asks it: what is wrong stands beside the fields, and the draft can't be committed meanwhile. What
/// is checked is the object and everything that it embeds. A store does not ask by itself; to refuse
/// invalid objects from everywhere, check ``errors`` in ``Store/beforeCommit``.
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

/// A draft that could not be committed, because its object says that something is wrong.
public struct InvalidDraftError: Error, Equatable, Sendable, CustomStringConvertible {
  /// The object; the stored one, where there is one.
  public let subject: StoreError.Subject
  /// What is wrong, at least one thing.
  public let errors: [FieldError]

  /// How messages show it.
  public var description: String {
    "\(subject) is not valid: \(errors.map(\.description).joined(separator: "; "))"
  }
}

/// Collects what is wrong with an object.
public struct Validation {
  private let object: Object
  private let id: ObjectID
  private let prefix: String
  private(set) var errors: [FieldError] = []

  init(_ object: Object, id: ObjectID? = nil, prefix: String) {
    self.object = object
    self.id = id ?? object.objectID
    self.prefix = prefix
  }

  /// Says that a property is wrong unless a condition holds.
  ///
  /// Traps if the key path is not one of a stored property of the object; name those that a computed
  /// property is made of.
  public mutating func require<Root: Object, Value>(
    _ condition: Bool, _ path: ReferenceWritableKeyPath<Root, Value>,
    _ message: @autoclosure () -> String
  ) {
    if condition { return }
    guard let root = object as? Root,
      let name = PropertyPaths.name(of: path, in: type(of: root), .object(root))
    else {
      trap("\(type(of: object)) was validated by \(path), which is none of its properties")
    }
    let value = untracked { root[keyPath: path] }
    let shown = (value as? String)?.debugDescription ?? "\(value)"
    errors.append(FieldError(id: id, property: prefix + name, value: shown, message: message()))
  }

  /// Says that the object as a whole is wrong unless a condition holds.
  public mutating func require(_ condition: Bool, _ message: @autoclosure () -> String) {
    if condition { return }
    let whole = prefix.hasSuffix(".") ? String(prefix.dropLast()) : prefix
    errors.append(
      FieldError(
        id: id, property: whole, value: String(describing: type(of: object)), message: message()))
  }
}

extension Draft {
  /// What is wrong with the draft, and with what it embeds; a read is a dependency.
  ///
  /// Nothing if the class is not ``Validating``.
  public var errors: [FieldError] { core.errors }

  /// Whether nothing is wrong; a read is a dependency.
  public var isValid: Bool { core.errors.isEmpty }

  /// What is wrong with a property of the object; a read is a dependency.
  ///
  /// Nothing if the path is that of a computed property: errors are of stored ones.
  public func errors<Value>(at path: ReferenceWritableKeyPath<Element, Value>) -> [FieldError] {
    guard let name = name(of: path) else { return [] }
    return core.errors.filter { $0.property == name }
  }

  /// What a form shows beside a property: what is wrong with it, once it was changed or a commit was refused.
  ///
  /// A field that nobody has touched yet is not scolded.
  public func shownErrors<Value>(
    at path: ReferenceWritableKeyPath<Element, Value>
  ) -> [FieldError] {
    guard let name = name(of: path) else { return [] }
    let errors = core.errors.filter { $0.property == name }
    return errors.isEmpty || core.showsErrors(of: name) ? errors : []
  }

  private func name<Value>(of path: ReferenceWritableKeyPath<Element, Value>) -> String? {
    PropertyPaths.name(of: path, in: type(of: object), .object(object))
  }
}

extension DraftCore {
  /// What is wrong with the copies, owners first.
  var errors: [FieldError] {
    trackLoads()
    return parts(of: root).flatMap { part -> [FieldError] in
      guard let object = part.copy as? any Validating else { return [] }
      var check = Validation(object, id: part.original.objectID, prefix: part.path)
      object.validate(&check)
      return check.errors
    }
  }

  /// Whether a property of the root was changed, or a commit refused for what is wrong.
  func showsErrors(of name: String) -> Bool {
    if refused.value { return true }
    return changes.contains { $0.name == name }
  }

  /// Throws if anything is wrong.
  func checkIsValid() throws {
    let errors = untracked { self.errors }
    refused.value = !errors.isEmpty
    if errors.isEmpty { return }
    throw InvalidDraftError(subject: StoreError.Subject(original ?? root), errors: errors)
  }
}
