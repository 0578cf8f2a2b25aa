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
  public mutating func require<Root: Object, Value>(
    _ condition: Bool, _ path: ReferenceWritableKeyPath<Root, Value>,
    _ message: @autoclosure () -> String
  ) {
    if condition { return }
    guard let root = object as? Root,
      let name = KeyPathResolver.name(of: path, in: type(of: root), .object(root))
    else {
      trap("\(type(of: object)) was validated by \(path), which is none of its properties")
    }
    let value = untracked { root[keyPath: path] }
    let shown = (value as? String)?.debugDescription ?? "\(value)"
    errors.append(FieldError(id: id, property: prefix + name, value: shown, message: message()))
  }

  /// Reports an error for the object as a whole unless a condition holds.
  public mutating func require(_ condition: Bool, _ message: @autoclosure () -> String) {
    if condition { return }
    let whole = prefix.hasSuffix(".") ? String(prefix.dropLast()) : prefix
    errors.append(
      FieldError(
        id: id, property: whole, value: String(describing: type(of: object)), message: message()))
  }
}
