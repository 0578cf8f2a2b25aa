/// An object that can report validation errors.
///
/// A ``Draft`` validates its object and all objects it embeds. The errors can be shown beside the
/// fields, and a draft with errors can't be committed. A store doesn't validate objects
/// automatically. To refuse invalid objects from every source, check ``errors`` in
/// ``Store/beforeCommit(file:line:_:)``.
///
/// A draft calls ``validate(_:)`` once for all fields of a form, again when a value that it has
/// read changes, and again on each commit.
///
/// ```swift
/// extension Scrum: Validating {
///   func validate(_ check: inout Validation) {
///     check.require(!title.isEmpty, at: \Scrum.title, "A scrum needs a title")
///     check.require((5...60).contains(minutes), at: \Scrum.minutes, "Between 5 and 60 minutes")
///   }
/// }
/// ```
public protocol Validating: Object {
  /// Reports the object's errors to `check`; its reads are tracked for the caller.
  ///
  /// - Parameter check: The collector of the errors.
  func validate(_ check: inout Validation)
}

extension Validating {
  /// The errors of the object, in the order in which they were reported; reads are tracked.
  ///
  /// Errors of embedded objects aren't included.
  public var errors: [FieldError] {
    var check = Validation(self, prefix: "")
    validate(&check)
    return check.errors
  }
}

/// Collects the errors of an object that is ``Validating``.
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

  /// Reports an error for a property unless a condition holds.
  ///
  /// Traps if the key path isn't a stored property of the object. For a computed property, pass the
  /// stored properties it depends on.
  ///
  /// - Parameters:
  ///   - condition: The condition that has to hold.
  ///   - path: The key path of the property at fault.
  ///   - message: The text that a form shows.
  public mutating func require<Root: Object, Value>(
    _ condition: Bool, at path: ReferenceWritableKeyPath<Root, Value>,
    _ message: @autoclosure () -> String
  ) {
    if condition { return }
    guard let root = object as? Root, let name = root.propertyName(at: path) else {
      trap("\(type(of: object)) was validated by \(path), which is none of its properties")
    }
    let value = untracked { root[keyPath: path] }
    let shown = (value as? String)?.debugDescription ?? "\(value)"
    errors.append(FieldError(id: id, property: prefix + name, value: shown, message: message()))
  }

  /// Use the form with `at:` before the key path.
  @available(*, unavailable, message: "write `at:` before the key path")
  public mutating func require<Root: Object, Value>(
    _ condition: Bool, _ path: ReferenceWritableKeyPath<Root, Value>,
    _ message: @autoclosure () -> String
  ) {}

  /// Reports an error for the object as a whole unless a condition holds.
  ///
  /// - Parameters:
  ///   - condition: The condition that has to hold.
  ///   - message: The text that a form shows.
  public mutating func require(_ condition: Bool, _ message: @autoclosure () -> String) {
    if condition { return }
    let whole = prefix.hasSuffix(".") ? String(prefix.dropLast()) : prefix
    errors.append(
      FieldError(
        id: id, property: whole, value: String(describing: type(of: object)), message: message()))
  }
}
