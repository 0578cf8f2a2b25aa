// Reading the body of a form's request.

/// The fields of a form, in the order of the page.
struct FormBody {
  private(set) var fields: [(name: String, value: String)] = []

  /// Creates a form with one field.
  init(_ field: (name: String, value: String)) { fields = [field] }

  /// Reads a body of the type `application/x-www-form-urlencoded`.
  ///
  /// - Parameters:
  ///   - bytes: The body.
  ///   - limit: Its greatest length.
  /// - Throws: ``HTMLFormError/malformed`` if it isn't one, and ``HTMLFormError/tooLong(limit:)``.
  init(_ bytes: some Sequence<UInt8>, limit: Int) throws(HTMLFormError) {
    var (parts, part): ([[UInt8]], [UInt8]) = ([], [])
    // A byte beyond the limit shows that there are more.
    let body = Array(bytes.prefix(limit + 1))
    if body.count > limit { throw .tooLong(limit: limit) }
    var iterator = body.makeIterator()
    while let byte = iterator.next() {
      switch byte {
      case UInt8(ascii: "&"), UInt8(ascii: "="):
        // A field is a name, `=` and a value; a further `=` would have been encoded.
        guard (byte == UInt8(ascii: "=")) == parts.count.isMultiple(of: 2) else {
          throw .malformed
        }
        parts.append(part)
        part = []
      case UInt8(ascii: "+"): part.append(UInt8(ascii: " "))
      case UInt8(ascii: "%"):
        guard let high = Self.digit(iterator.next()), let low = Self.digit(iterator.next()) else {
          throw .malformed
        }
        part.append(high << 4 | low)
      default: part.append(byte)
      }
    }
    if parts.isEmpty, part.isEmpty { return }
    parts.append(part)
    guard parts.count.isMultiple(of: 2) else { throw .malformed }
    // A page has each of its fields once. One that is entered again and again would be as many intents.
    var names: Set<Substring> = []
    for index in stride(from: 0, to: parts.count, by: 2) {
      guard let name = String(validating: parts[index], as: UTF8.self),
        let value = String(validating: parts[index + 1], as: UTF8.self)
      else { throw .malformed }
      guard names.insert(name.prefix { $0 != "." }).inserted else { throw .malformed }
      fields.append((name, value))
    }
  }

  /// Returns the value of the field with a name.
  subscript(_ name: String) -> String? { fields.first { $0.name == name }?.value }

  private static func digit(_ byte: UInt8?) -> UInt8? {
    byte.flatMap { Character(Unicode.Scalar($0)).hexDigitValue }.map(UInt8.init)
  }
}

/// The reason why the request of a form was refused, and nothing of it was done.
public enum HTMLFormError: Error, Equatable, CustomStringConvertible {
  /// The body isn't that of a form of a page.
  case malformed
  /// The form isn't from a page of this session.
  case foreign
  /// The body is longer than `limit` bytes.
  case tooLong(limit: Int)
  /// The visitor has sent too many requests; this one can be used after `wait`.
  case tooMany(wait: Duration)

  /// A message that says why the request was refused.
  public var description: String {
    switch self {
    case .malformed: "the request isn't a form of a page"
    case .foreign: "the form isn't from a page of this session"
    case .tooLong(let limit): "the request is longer than \(limit) bytes"
    case .tooMany(let wait): "too many requests; this one can be used after \(wait)"
    }
  }
}
