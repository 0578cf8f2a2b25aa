/// The reason why a value can't be encoded or bytes can't be decoded.
package enum ValueCodingError: Error, Equatable, Sendable {
  /// The bytes end too early, or have an invalid number, count or text.
  case damaged(ByteError)
  /// A byte that begins a value isn't a tag.
  case unknownTag(UInt8, offset: Int)
  /// The kind of the value doesn't match the type.
  case mismatch(found: String, type: String, offset: Int)
  /// The type can't represent the number.
  case outOfRange(type: String, offset: Int)
  /// A record has no entry with the key, or the entry is `nil`.
  case missing(key: String, offset: Int)
  /// A record's keys aren't in their order, or occur twice.
  case unorderedKeys(offset: Int)
  /// The value doesn't have its only valid form. For instance, it has a needless byte.
  case notCanonical(offset: Int)
  /// Bytes follow the value, or a list has more elements than the type reads.
  case trailingBytes(offset: Int)
  /// Values are nested more deeply than ``ValueCoding/depthLimit``.
  case tooDeep
  /// The type's own `encode(to:)` or `init(from:)` threw, or wrote nothing.
  case refused(type: String, reason: String)
}

extension ValueCodingError: CustomStringConvertible {
  /// The reason and the offset.
  package var description: String {
    switch self {
    case .damaged(let error): "\(error)"
    case .unknownTag(let tag, let offset): "no value begins with \(tag), at offset \(offset)"
    case .mismatch(let found, let type, let offset):
      "found \(found) instead of a value of \(type) at offset \(offset)"
    case .outOfRange(let type, let offset):
      "\(type) can't represent the number at offset \(offset)"
    case .missing(let key, let offset):
      "the record at offset \(offset) has no value for the key \(key)"
    case .unorderedKeys(let offset): "the keys of the record at offset \(offset) aren't in order"
    case .notCanonical(let offset):
      "the value at offset \(offset) isn't in the form in which it is written"
    case .trailingBytes(let offset): "more than a value at offset \(offset)"
    case .tooDeep: "values are nested more than \(ValueCoding.depthLimit) deep"
    case .refused(let type, let reason): "\(type): \(reason)"
    }
  }
}
