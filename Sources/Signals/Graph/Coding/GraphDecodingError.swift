/// What was wrong with an encoded change of a graph, naming the class, the property and the place.
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
    let place = codingPath.isEmpty ? "" : " at \(codingPath.joined(separator: "."))"
    let what =
      switch reason {
      case .unknownClass: "is no class of this process"
      case .unknownProperty: "is no property with a value"
      case .missingValue: "has no value"
      case .malformed(let text): "can't be read: \(text)"
      }
    return "\(subject.isEmpty ? "the change" : subject)\(place) \(what)"
  }
}
