// Writing the contents as one entry, which replaces all entries so far.

internal import Signals

extension FileContents {
  /// Returns the contents as one entry.
  ///
  /// Classes and replicas keep their numbers, so that later entries remain valid.
  ///
  /// - Returns: The bytes of the entry.
  /// - Throws: An error if a value is damaged.
  /// - Complexity: O(bytes).
  func encoded() throws -> [UInt8] {
    var writer = ByteWriter(capacity: sources.reduce(0) { $0 + $1.count })
    writer.write(Self.version)
    let start = FileBlock.begin(.heading, in: &writer)
    writer.write(FileOperation.setVersion.rawValue)
    writer.writeVarint(UInt64(appVersion))
    for stored in classes {
      writer.write(FileOperation.describeClass.rawValue)
      stored.write(to: &writer)
    }
    // Each replica that occurs has a number.
    var names = ObjectIDWriter(ids.replicas)
    for replica in ids.replicas {
      writer.write(FileOperation.nameReplica.rawValue)
      writer.writeFixed(replica)
    }
    FileBlock.end(start, in: &writer)
    let heading = writer.bytes[start...]
    var block = FileBlock.begin(.block, in: &writer)
    for entity in inOrder {
      let (id, row) = (entities.ids[Int(entity)], rows[Int(entity)])
      writer.write(FileOperation.create.rawValue)
      writer.writeVarint(UInt64(row.classNumber))
      names.write(id, to: &writer)
      writer.writeVarint(row.sequence)
      try writeValues(of: entity, row, &writer, &names)
      FileBlock.turn(&block, in: &writer)
    }
    FileBlock.end(block, in: &writer)
    writer.write(contentsOf: heading)
    return writer.bytes
  }

  private func writeValues(
    of entity: Entity, _ row: Row, _ writer: inout ByteWriter,
    _ names: inout ObjectIDWriter
  ) throws {
    let source = sources[Int(row.source)]
    var reader = ByteReader(source, in: row.offset..<source.count)
    let properties = classes[Int(row.classNumber)].properties
    let changes = changed[entity]
    for (number, property) in properties.enumerated() {
      let start = reader.offset
      try Self.skip(property.kind, &reader)
      switch changes?[number] ?? .none {
      case .none: writer.write(contentsOf: source[start..<reader.offset])
      case .bytes(let source, let range): writer.write(contentsOf: sources[source][range])
      case .members(let members):
        writer.writeVarint(UInt64(members.count))
        for id in members { names.write(id, to: &writer) }
      }
    }
  }
}
