/// The place of a scope on screen, as a value that can be sent to another process and is the same
/// after a restart.
///
/// A path consists of the places and types of the views around the scope, the user's ids, and the
/// ids of the rows that it is in. Rows of objects are identified by primary key, or by ``ObjectID``
/// if there is none. The same screen with the same data has the same paths in each process. Within
/// one host, a ``ScopeID`` identifies a scope at less cost.
///
/// ```swift
/// let path = frame.path(of: row)  // 0.Board/2.ForEach/=soup
/// ```
public struct ScopePath: Hashable, Sendable, LosslessStringConvertible {
  /// The path as text, which is empty for the whole screen.
  public let description: String

  /// Creates a path from its text; returns `nil` if that is the text of an element's identity.
  public init?(_ description: String) {
    guard !description.utf8.contains(UInt8(ascii: "#")) else { return nil }
    self.description = description
  }

  init(steps: [String]) { description = steps.joined(separator: "/") }

  var steps: [String] {
    description.isEmpty
      ? [] : description.split(separator: "/", omittingEmptySubsequences: false).map(String.init)
  }
}

/// The identity of an element, as a value that can be sent to another process and is the same after
/// a restart.
///
/// It consists of the element's scope and its name there. An element with a ``DrawnElement/id`` is
/// named by that, wherever it is in the scope. An element without one is named by its kind, and by
/// the number of preceding elements of the same kind that have no id either. If several elements
/// have the same id, the second and later ones are numbered too.
///
/// ```swift
/// let id = frame.namedElements(of: row)[0].id  // 0.Board/2.ForEach/=soup#serve
/// try host.perform(id)
/// ```
public struct ElementID: Hashable, Sendable, LosslessStringConvertible {
  /// The scope that the element is in.
  public let scope: ScopePath
  /// The name that tells the element from the others in its scope.
  let name: String

  init(scope: ScopePath, name: String) {
    self.scope = scope
    self.name = name
  }

  /// Creates an identity from its text; returns `nil` if the text isn't valid.
  public init?(_ description: String) {
    let parts = description.split(separator: "#", omittingEmptySubsequences: false)
    guard parts.count == 2, !parts[1].isEmpty, let scope = ScopePath(String(parts[0])) else {
      return nil
    }
    self.init(scope: scope, name: String(parts[1]))
  }

  /// The identity as text.
  public var description: String { "\(scope)#\(name)" }
}

extension ScopePath: Codable {
  /// Decodes a path from its text.
  ///
  /// - Throws: The errors of the decoder, and `DecodingError` if the text isn't a path.
  public init(from decoder: any Decoder) throws { self = try decoder.lossless() }

  /// Encodes the path as its text.
  ///
  /// - Throws: The errors of the encoder.
  public func encode(to encoder: any Encoder) throws { try encoder.encode(lossless: self) }
}

extension ElementID: Codable {
  /// Decodes an identity from its text.
  ///
  /// - Throws: The errors of the decoder, and `DecodingError` if the text isn't an identity.
  public init(from decoder: any Decoder) throws { self = try decoder.lossless() }

  /// Encodes the identity as its text.
  ///
  /// - Throws: The errors of the encoder.
  public func encode(to encoder: any Encoder) throws { try encoder.encode(lossless: self) }
}

extension Decoder {
  fileprivate func lossless<Value: LosslessStringConvertible>() throws -> Value {
    let container = try singleValueContainer()
    let text = try container.decode(String.self)
    guard let value = Value(text) else {
      throw DecodingError.dataCorruptedError(
        in: container, debugDescription: "\(text.debugDescription) is no \(Value.self)")
    }
    return value
  }
}

extension Encoder {
  fileprivate func encode(lossless value: some LosslessStringConvertible) throws {
    var container = singleValueContainer()
    try container.encode(value.description)
  }
}
