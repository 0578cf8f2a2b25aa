/// The report of a stanza that was skipped because it breaks the format.
public struct MalformedStanza: Error, Equatable, Sendable {
  /// What can be wrong with a stanza.
  public enum Reason: Equatable, Sendable {
    /// A continuation line comes before any field.
    case strayContinuation

    /// A line is neither a field nor a continuation nor a comment.
    case notAField

    /// A field is there a second time, under this name as the file spells it.
    case repeatedField(String)

    /// The field `Package` has no value.
    case emptyPackage
  }

  /// The number of the stanza's first line that is not a comment, counted from 1.
  public let line: Int

  /// The first thing that is wrong with it.
  public let reason: Reason

  /// Makes a report.
  public init(line: Int, reason: Reason) {
    self.line = line
    self.reason = reason
  }
}

extension MalformedStanza: CustomStringConvertible {
  /// The line and the reason, as one line of text.
  public var description: String {
    "line \(line): stanza skipped: \(reason)"
  }
}

extension MalformedStanza.Reason: CustomStringConvertible {
  /// The reason as a phrase.
  public var description: String {
    switch self {
    case .strayContinuation: "it begins with a continuation line"
    case .notAField: "a line is neither a field nor a continuation"
    case .repeatedField(let name): "the field \(name) is repeated"
    case .emptyPackage: "its Package is empty"
    }
  }
}
