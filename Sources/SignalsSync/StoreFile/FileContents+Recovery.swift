// Applying a sequence of entries of which some are lost.
//
// Classes and replicas are numbered in the order in which entries describe them. A lost entry may
// have assigned an unknown count of numbers, so an entry after it that assigns a number is skipped,
// and an entry that uses an unknown number can't be applied. Therefore no object ever gets the
// values of another one.

internal import Signals

extension FileContents {
  /// An entry, or a block of a damaged checkpoint.
  struct Piece {
    let bytes: [UInt8]
    /// The position of the entry, or `nil` for a part of a checkpoint.
    let position: LogPosition?
    /// Whether an operation that may have assigned numbers is lost before it.
    let isAfterLoss: Bool
  }

  /// Applies entries in order, and skips those that can't be applied.
  ///
  /// - Returns: The contents, and the skipped entries with the reasons.
  /// - Complexity: O(bytes) for each skipped entry.
  static func recovered(
    from pieces: [Piece]
  ) -> (contents: FileContents, leftOut: [(piece: Piece, reason: String)]) {
    var leftOut: [(piece: Piece, reason: String)] = []
    // The contents before the piece `first`, from which the pieces after it are applied again.
    var (base, first) = (FileContents(), 0)
    var contents = base
    var isNumberLost = false
    for (number, piece) in pieces.enumerated() {
      let isStrict = isNumberLost || piece.isAfterLoss
      guard let reason = contents.refusal(of: piece.bytes, isStrict: isStrict) else { continue }
      leftOut.append((piece, reason))
      isNumberLost = true
      contents = base
      for earlier in pieces[first..<number] {
        _ = contents.refusal(of: earlier.bytes, isStrict: false)
      }
      (base, first) = (contents, number + 1)
    }
    return (contents, leftOut)
  }

  /// Applies an entry.
  ///
  /// - Parameters:
  ///   - entry: The bytes of the entry.
  ///   - isStrict: Whether an entry that assigns numbers is refused.
  /// - Returns: `nil`, or the reason why the entry can't be applied. The contents are undefined
  ///   then.
  private mutating func refusal(of entry: [UInt8], isStrict: Bool) -> String? {
    let numbers = (classes.count, ids.replicas.count)
    do throws(FileContentsError) {
      try apply(entry)
    } catch {
      return "at byte \(error.offset), \(error.reason)"
    }
    if !isStrict || numbers == (classes.count, ids.replicas.count) { return nil }
    return "it describes a class or a replica, whose number depends on what is lost"
  }

  /// Removes all but the last of several objects with one primary key: a lost commit has deleted
  /// the others, or changed their keys.
  ///
  /// - Returns: The reasons of the removals.
  /// - Throws: An error if a value is damaged.
  mutating func removeDuplicates() throws -> [String] {
    let keys = classes.map { stored in
      guard let use = try? ClassUse(stored, renamed: [:], isMigrating: false),
        case .made(let type) = use.fate, let key = Schema.shared(of: type).primaryKey
      else { return -1 }
      return use.fields.firstIndex { $0.name == key.name } ?? -1
    }
    var writer = ByteWriter()
    writer.write(Self.version)
    var reasons: [String] = []
    var seen: Set<[UInt8]> = []
    var place = FileValueReader(in: self)
    for entity in inOrder.reversed() {
      let (id, row) = (entities.ids[Int(entity)], rows[Int(entity)])
      let (stored, number) = (classes[Int(row.classNumber)], keys[Int(row.classNumber)])
      if number < 0 { continue }
      place.move(to: entity, row)
      for property in stored.properties[..<number] { try place.skip(property.kind) }
      guard case .value(let key) = try place.carriedValue(number, .value) else { continue }
      let name = Array(stored.className.name.utf8)
      if seen.insert(name + [0] + key).inserted { continue }
      Self.write(.delete, id, to: &writer)
      reasons.append("\(stored.className.name) \(id) has the primary key of a later object")
    }
    if !reasons.isEmpty { try apply(writer.bytes) }
    return reasons
  }

  /// Clears the links to objects that are lost.
  ///
  /// - Returns: The number of removed links and list members.
  /// - Throws: An error if a value is damaged.
  mutating func clearLostLinks() throws -> Int {
    var writer = ByteWriter()
    writer.write(Self.version)
    var count = 0
    var place = FileValueReader(in: self)
    for entity in inOrder {
      let (id, row) = (entities.ids[Int(entity)], rows[Int(entity)])
      place.move(to: entity, row)
      for (number, property) in classes[Int(row.classNumber)].properties.enumerated() {
        switch property.kind {
        case .value: try place.skip(.value)
        case .link:
          let target = try place.read(number, .link) { reader in try ids.target(&reader) }
          guard let target, !isThere(target) else { continue }
          Self.write(.set, id, number, to: &writer)
          writer.writeVarint(0)
          count += 1
        case .list:
          let members = try place.members(number)
          let lost = members.indices.filter { !isThere(members[$0]) }
          if lost.isEmpty { continue }
          Self.write(.edit, id, number, to: &writer)
          writer.writeVarint(UInt64(lost.count))
          for index in lost {
            writer.writeVarint(UInt64(index))
            writer.writeVarint(1)
            writer.writeVarint(0)
          }
          count += lost.count
        }
      }
    }
    if count > 0 { try apply(writer.bytes) }
    return count
  }

  private func isThere(_ id: ObjectID) -> Bool {
    entities.find(id).map { rows[Int($0)].classNumber >= 0 } ?? false
  }

  private static func write(
    _ operation: FileOperation, _ id: ObjectID, _ number: Int, to writer: inout ByteWriter
  ) {
    write(operation, id, to: &writer)
    writer.writeVarint(UInt64(number))
  }

  private static func write(
    _ operation: FileOperation, _ id: ObjectID, to writer: inout ByteWriter
  ) {
    writer.write(operation.rawValue)
    writer.writeVarint(1)
    writer.writeFixed(id.replica)
    writer.writeVarint(id.counter)
  }
}
