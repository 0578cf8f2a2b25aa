/// A field of a stanza, as far as a catalogue tells them apart.
enum Field: Int, CaseIterable {
  case package, version, section, maintainer, installedSize, status, preDepends, depends

  /// Any other field: its name must not be repeated either, its value is not kept.
  case other

  /// The name in lower case, empty for `other`.
  var name: String {
    switch self {
    case .package: "package"
    case .version: "version"
    case .section: "section"
    case .maintainer: "maintainer"
    case .installedSize: "installed-size"
    case .status: "status"
    case .preDepends: "pre-depends"
    case .depends: "depends"
    case .other: ""
    }
  }
}

/// The values of the kept fields of one stanza, as trimmed bytes.
///
/// Only the field added last is ever continued, so all values stand one after another in one buffer,
/// which the next stanza uses again.
struct FieldValues {
  private var bytes: [UInt8] = []
  private var ranges = [Range<Int>?](repeating: nil, count: Field.allCases.count)

  /// Whether the stanza has this field, with or without a value.
  func contains(_ field: Field) -> Bool {
    ranges[field.rawValue] != nil
  }

  /// The value of a field, empty where the stanza has none.
  subscript(field: Field) -> ArraySlice<UInt8> {
    bytes[ranges[field.rawValue] ?? 0..<0]
  }

  /// Forgets all values and keeps the memory.
  mutating func removeAll() {
    bytes.removeAll(keepingCapacity: true)
    for index in ranges.indices { ranges[index] = nil }
  }

  /// Adds a field with the value of its first line.
  mutating func add(_ field: Field, _ value: Span<UInt8>) {
    let start = bytes.count
    append(value)
    ranges[field.rawValue] = start..<bytes.count
  }

  /// Joins a continuation line to the field added last.
  mutating func extend(_ field: Field, _ value: Span<UInt8>) {
    guard let range = ranges[field.rawValue] else { return }
    // Nothing on the first line: a separator would be a blank to trim.
    if !range.isEmpty { bytes.append(ASCII.space) }
    append(value)
    ranges[field.rawValue] = range.lowerBound..<bytes.count
  }

  private mutating func append(_ value: Span<UInt8>) {
    unsafe value.withUnsafeBufferPointer { unsafe bytes.append(contentsOf: $0) }
  }
}
