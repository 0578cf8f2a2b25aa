/// An error in an encoded ``ChangeSet`` or ``Snapshot``.
///
/// It names the class, the property and the place in the encoded data.
public struct GraphDecodingError: Error, Equatable, Sendable, CustomStringConvertible {
  /// The reason for a decoding error.
  public enum Reason: Equatable, Sendable {
    /// This process has no subclass of ``Object`` with that name.
    case unknownClass
    /// The class has no property of that name that carries a value.
    case unknownProperty
    /// A value is missing.
    case missingValue
    /// A value can't be decoded as its type; the text says why.
    case malformed(String)
    /// The snapshot was written by a later version of this package, with this format version.
    case unsupportedVersion(Int)
    /// A link or list refers to an object that isn't in the data.
    case danglingLink
    /// A link or list refers to an object of this class, which it can't hold.
    case wrongClass(String)
    /// Two objects have this id.
    case duplicateID(ObjectID)
    /// Two objects have this primary key.
    case duplicateKey(String)
    /// An embedded object has no owner, or several, or is part of itself; the text says which.
    case brokenOwnership(String)
  }

  /// The name of the class, if it was known when the error occurred.
  public let className: String?
  /// The name of the property, if the error concerns one.
  public let property: String?
  /// The coding keys that lead to the place of the error.
  public let codingPath: [String]
  /// The reason for the error.
  public let reason: Reason

  init(
    className: String?, property: String? = nil, codingPath: [any CodingKey], reason: Reason
  ) {
    self.className = className
    self.property = property
    self.codingPath = codingPath.map(\.stringValue)
    self.reason = reason
  }

  /// Creates an error of a format without coding keys.
  package init(className: String, property: String? = nil, reason: Reason) {
    self.init(className: className, property: property, codingPath: [], reason: reason)
  }

  /// Creates an error from one that a decoder or a value has thrown, and the place where it
  /// occurred.
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
    // The failure may be at a deeper place inside the value.
    let deepest = context?.codingPath ?? []
    self.init(
      className: className, property: property,
      codingPath: deepest.count > codingPath.count ? deepest : codingPath, reason: reason)
  }

  /// A text for messages that names the class, the property, the place and the reason.
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

  /// The path as written in code: `objects[3][4]` rather than `objects.Index 3.Index 4`.
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
