package import Foundation

/// Why a file could not be read or written, in one line for a person.
package struct FileProblem: Error, CustomStringConvertible {
  /// What can be said: `can't read /x: No such file or directory`.
  package let description: String
  /// Whether the file is there, and has not what it should.
  package let isMalformed: Bool

  private init(_ verb: String, _ file: URL, _ error: any Error) {
    let path = file.path(percentEncoded: false)
    description = "can't \(verb) \(path): \(FileProblem.words(for: error))"
    isMalformed = (error as? CocoaError)?.underlying == nil
  }

  /// Reads a file.
  package static func reading<Value>(
    _ file: URL, _ body: (Data) throws -> Value
  ) throws -> Value {
    do { return try body(Data(contentsOf: file)) } catch { throw FileProblem("read", file, error) }
  }

  /// Writes a file whole, or leaves it as it was.
  package static func writing(_ file: URL, _ data: () throws -> Data) throws {
    do { try data().write(to: file, options: .atomic) } catch {
      throw FileProblem("write", file, error)
    }
  }

  /// The system's words for an error of a file; what a decoder says of one that has not what it should.
  private static func words(for error: any Error) -> String {
    switch error {
    case let error as CocoaError:
      if let cause = error.underlying as? POSIXError {
        return unsafe String(cString: strerror(cause.code.rawValue))
      }
      return error.localizedDescription
    case DecodingError.keyNotFound(_, let context), DecodingError.valueNotFound(_, let context),
      DecodingError.typeMismatch(_, let context), DecodingError.dataCorrupted(let context):
      let place = context.codingPath.map { $0.intValue.map(String.init) ?? $0.stringValue }
      let words = context.debugDescription
      return place.isEmpty ? words : "\(place.joined(separator: ".")): \(words)"
    default: return "\(error)"
    }
  }
}
