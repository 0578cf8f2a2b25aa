internal import Signals

/// Where the values of an object are, one after the other.
struct StoredPlace {
  private let contents: StoredContents
  private var reader = ByteReader([])
  private var source: Int32 = -1
  private var changes: [StoredContents.Change]?

  init(in contents: StoredContents) { self.contents = contents }

  /// Continues with the first value of an object.
  mutating func move(to entity: Entity, _ row: StoredContents.Row) {
    changes = contents.changed.isEmpty ? nil : contents.changed[entity]
    if source != row.source {
      source = row.source
      reader = ByteReader(contents.sources[Int(source)])
    }
    reader.move(to: row.offset..<reader.bytes.count)
  }

  /// Passes over the next value.
  mutating func skip(_ kind: StoredClass.Kind) throws {
    try StoredContents.skip(kind, &reader)
  }

  /// Reads the next value, where its last change has put it.
  mutating func read<Result>(
    _ number: Int, _ kind: StoredClass.Kind, _ body: (inout ByteReader) throws -> Result
  ) throws -> Result {
    guard let changes, case .bytes(let source, let range) = changes[number] else {
      return try body(&reader)
    }
    try StoredContents.skip(kind, &reader)
    var changed = ByteReader(contents.sources[source], in: range)
    return try body(&changed)
  }

  /// Reads the next value, which is a list.
  mutating func members(_ number: Int) throws -> [ObjectID] {
    guard let changes, case .members(let members) = changes[number] else {
      return try contents.members(&reader)
    }
    try StoredContents.skip(.list, &reader)
    return members
  }

  /// Reads the next value without decoding it.
  mutating func carriedValue(
    _ number: Int, _ kind: StoredClass.Kind
  ) throws -> CarriedValue {
    switch kind {
    case .value:
      return try read(number, .value) { reader in
        let start = reader.offset
        try StoredContents.skip(.value, &reader)
        return .value(Array(reader.bytes[start..<reader.offset]))
      }
    case .link:
      let contents = contents
      return .link(try read(number, .link) { try contents.target(&$0) })
    case .list: return .list(try members(number))
    }
  }
}
