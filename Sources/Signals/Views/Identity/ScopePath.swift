/// Names a scope by where it stands: a value that can be sent, and that a restart reproduces.
///
/// A path is made of the places and types of the views around the scope, of the user's ids, and of the ids of the rows
/// that it is in: those of objects by primary key, or by ``ObjectID`` where there is none. The same screen with the same
/// data has the same paths in each process. Within a host a ``ScopeID`` does the same for less.
///
/// ```swift
/// let path = frame.path(of: row)  // 0.Board/2.ForEach/=soup
/// ```
public struct ScopePath: Hashable, Sendable, LosslessStringConvertible {
  /// The path as a text; that of the whole screen is empty.
  public let description: String

  /// Creates a path from its text; nil if that is the text of an element.
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

/// Names an element by its scope and what it is there: a value that can be sent, and that a restart reproduces.
///
/// In its scope an element is known by its ``DrawnElement/id``, wherever it stands; one without an id by its kind, and
/// by how many of this kind without an id stand before it. Of several with one id, the second and those after it have
/// a number too.
///
/// ```swift
/// let id = frame.namedElements(of: row)[0].id  // 0.Board/2.ForEach/=soup#serve
/// try host.perform(id)
/// ```
public struct ElementID: Hashable, Sendable, LosslessStringConvertible {
  /// The scope that the element stands in.
  public let scope: ScopePath
  /// What tells it from the other elements of its scope.
  let name: String

  init(scope: ScopePath, name: String) {
    self.scope = scope
    self.name = name
  }

  /// Creates the identity from its text; nil if it is not one.
  public init?(_ description: String) {
    let parts = description.split(separator: "#", omittingEmptySubsequences: false)
    guard parts.count == 2, !parts[1].isEmpty, let scope = ScopePath(String(parts[0])) else {
      return nil
    }
    self.init(scope: scope, name: String(parts[1]))
  }

  /// The identity as a text.
  public var description: String { "\(scope)#\(name)" }
}

extension ScopePath: Codable {
  /// Decodes a path from its text.
  ///
  /// - Throws: What the decoder does, and `DecodingError` for a text that is none.
  public init(from decoder: any Decoder) throws { self = try decoder.lossless() }

  /// Encodes the text.
  ///
  /// - Throws: What the encoder does.
  public func encode(to encoder: any Encoder) throws { try encoder.encode(lossless: self) }
}

extension ElementID: Codable {
  /// Decodes an identity from its text.
  ///
  /// - Throws: What the decoder does, and `DecodingError` for a text that is none.
  public init(from decoder: any Decoder) throws { self = try decoder.lossless() }

  /// Encodes the text.
  ///
  /// - Throws: What the encoder does.
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
