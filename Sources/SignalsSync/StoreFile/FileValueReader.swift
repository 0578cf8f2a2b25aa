internal import Signals

/// Reads the current values of objects, in the order of their properties.
struct FileValueReader {
  private let contents: FileContents
  private var reader = ByteReader([])
  private var source: Int32 = -1
  private var changes: [FileContents.Change]?

  /// Creates a reader of the objects of a file.
  init(in contents: FileContents) { self.contents = contents }

  /// Moves to the first value of an object.
  mutating func move(to entity: Entity, _ row: FileContents.Row) {
    changes = contents.changed.isEmpty ? nil : contents.changed[entity]
    if source != row.source {
      source = row.source
      reader = ByteReader(contents.sources[Int(source)])
    }
    reader.move(to: row.offset..<reader.bytes.count)
  }

  /// Skips the next value.
  ///
  /// - Throws: An error if the bytes aren't a value.
  mutating func skip(_ kind: FileClass.Kind) throws {
    try FileContents.skip(kind, &reader)
  }

  /// Reads the next value from its last change or, if it has none, from the object's creation.
  ///
  /// - Throws: The error of `body`, or an error if the bytes aren't a value.
  mutating func read<Result>(
    _ number: Int, _ kind: FileClass.Kind, _ body: (inout ByteReader) throws -> Result
  ) throws -> Result {
    guard let changes, case .bytes(let source, let range) = changes[number] else {
      return try body(&reader)
    }
    try FileContents.skip(kind, &reader)
    var changed = ByteReader(contents.sources[source], in: range)
    return try body(&changed)
  }

  /// Reads the next value, which must be a list.
  ///
  /// - Returns: The ids of the members, in order.
  /// - Throws: An error if the bytes aren't a list.
  mutating func members(_ number: Int) throws -> [ObjectID] {
    guard let changes, case .members(let members) = changes[number] else {
      return try contents.members(&reader)
    }
    try FileContents.skip(.list, &reader)
    return members
  }

  /// Reads the next value without decoding it.
  ///
  /// - Throws: An error if the bytes aren't a value.
  mutating func carriedValue(
    _ number: Int, _ kind: FileClass.Kind
  ) throws -> CarriedValue {
    switch kind {
    case .value:
      return try read(number, .value) { reader in
        let start = reader.offset
        try FileContents.skip(.value, &reader)
        return .value(Array(reader.bytes[start..<reader.offset]))
      }
    case .link:
      let contents = contents
      return .link(try read(number, .link) { try contents.ids.target(&$0) })
    case .list: return .list(try members(number))
    }
  }
}
