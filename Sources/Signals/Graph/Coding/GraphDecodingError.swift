/// What was wrong with an encoded ``ChangeSet`` or ``Snapshot``, naming class, property and place.
public struct GraphDecodingError: Error, Equatable, Sendable, CustomStringConvertible {
  /// What was wrong.
  public enum Reason: Equatable, Sendable {
    /// This process has no subclass of ``Object`` with that name.
    case unknownClass
    /// The class has no property of that name with a value.
    case unknownProperty
    /// A value is missing.
    case missingValue
    /// A value can't be read as what it should be; the text says why.
    case malformed(String)
    /// A snapshot was written by a later version of this package.
    case unsupportedVersion(Int)
    /// A link or list leads to an object that is not there.
    case danglingLink
    /// A link or list leads to an object of a class that it can't refer to.
    case wrongClass(String)
    /// Two objects have this id.
    case duplicateID(ObjectID)
    /// Two objects have this primary key.
    case duplicateKey(String)
    /// An embedded object has no owner, or several, or is part of itself; the text says which.
    case brokenOwnership(String)
  }

  /// The name of the class, if it was known by then.
  public let className: String?
  /// The name of the property, if it is about one.
  public let property: String?
  /// The keys that lead to the place.
  public let codingPath: [String]
  /// What was wrong.
  public let reason: Reason

  init(
    className: String?, property: String? = nil, codingPath: [any CodingKey], reason: Reason
  ) {
    self.className = className
    self.property = property
    self.codingPath = codingPath.map(\.stringValue)
    self.reason = reason
  }

  /// Says where an error happened that a decoder or a value has thrown.
  init(
    _ error: any Error, className: String?, property: String? = nil, _ codingPath: [any CodingKey]
  ) {
    guard let error = error as? DecodingError else {
      self.init(
        className: className, property: property, codingPath: codingPath,
        reason: .malformed("\(error)"))
      return
    }
    let (context, reason): (DecodingError.Context?, Reason) =
      switch error {
      case .keyNotFound(let key, let context):
        (context, .malformed("no \(key.stringValue)"))
      case .valueNotFound(_, let context): (context, .missingValue)
      case .typeMismatch(let type, let context): (context, .malformed("no \(type)"))
      case .dataCorrupted(let context): (context, .malformed(context.debugDescription))
      @unknown default: (nil, .malformed("\(error)"))
      }
    // What failed may lie deeper in the value.
    let deepest = context?.codingPath ?? []
    self.init(
      className: className, property: property,
      codingPath: deepest.count > codingPath.count ? deepest : codingPath, reason: reason)
  }

  /// How messages show it.
  public var description: String {
    let subject = [className, property].compactMap { $0 }.joined(separator: ".")
    let place = codingPath.isEmpty ? "" : " at \(shownPath)"
    let what =
      switch reason {
      case .unknownClass: "is no class of this process"
      case .unknownProperty: "is no property with a value"
      case .missingValue: "has no value"
      case .malformed(let text): "can't be read: \(text)"
      case .unsupportedVersion(let version): "has the unknown version \(version)"
      case .danglingLink: "leads to an object that is not there"
      case .wrongClass(let name): "leads to a \(name), which it can't refer to"
      case .duplicateID(let id): "has the id \(id), which another object has"
      case .duplicateKey(let key): "has the primary key \(key), which another object has"
      case .brokenOwnership(let text): "can't be stored: \(text)"
      }
    return "\(subject.isEmpty ? "what was encoded" : subject)\(place) \(what)"
  }

  /// The path as it would be written in code: `objects[3][4]` and not `objects.Index 3.Index 4`.
  private var shownPath: String {
    codingPath.reduce(into: "") { path, key in
      if key.hasPrefix("Index "), let position = Int(key.dropFirst("Index ".count)) {
        path += "[\(position)]"
      } else {
        path += path.isEmpty ? key : ".\(key)"
      }
    }
  }
}
