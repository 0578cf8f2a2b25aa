// Adding up entries of which some are lost.
//
// Classes and replicas have numbers, in the order in which entries describe them. After a part that
// is lost it isn't known which numbers it had given, so an entry that gives another one is left
// out; one that has a number which isn't known here can't be applied anyway. What is left never has
// the value of another object.

internal import Signals

extension StoredContents {
  /// An entry, or operations of a checkpoint, in the order of all.
  struct Piece {
    let bytes: [UInt8]
    /// The number of the entry; nil for a part of a checkpoint.
    let position: LogPosition?
    /// Whether something before it is lost, that may have given numbers.
    let isAfterLoss: Bool
    /// Whether it may give numbers itself, unless it is damaged.
    var givesNumbers = true
  }

  /// Adds up entries, and leaves out those that can't follow.
  ///
  /// - Parameter pieces: The entries.
  /// - Returns: The contents, and the entries that are left out, with the reasons.
  /// - Complexity: O(bytes) for each entry that is left out.
  static func recovered(
    from pieces: [Piece]
  ) -> (contents: StoredContents, leftOut: [(piece: Piece, reason: String)]) {
    var leftOut: [(piece: Piece, reason: String)] = []
    // The contents before the piece `first`, to go back to.
    var (base, first) = (StoredContents(), 0)
    var contents = base
    var isNumberLost = false
    for (number, piece) in pieces.enumerated() {
      let isStrict = isNumberLost || piece.isAfterLoss || !piece.givesNumbers
      guard let reason = contents.refusal(of: piece.bytes, isStrict: isStrict) else { continue }
      leftOut.append((piece, reason))
      if piece.givesNumbers { isNumberLost = true }
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
  /// - Returns: Why it can't be applied, after which the contents are undefined.
  private mutating func refusal(of entry: [UInt8], isStrict: Bool) -> String? {
    let numbers = (classes.count, replicas.count)
    do throws(StoredContentsError) {
      try apply(entry)
    } catch {
      return "at byte \(error.offset), \(error.reason)"
    }
    if !isStrict || numbers == (classes.count, replicas.count) { return nil }
    return "it describes a class or a replica, whose number depends on what is lost"
  }

  /// Clears the links to objects that are lost.
  ///
  /// - Returns: The number of links and list members.
  mutating func clearLostLinks() throws -> Int {
    var writer = ByteWriter()
    writer.write(Self.version)
    var count = 0
    var place = StoredPlace(in: self)
    for entity in inOrder {
      let (id, row) = (entities.ids[Int(entity)], rows[Int(entity)])
      place.move(to: entity, row)
      for (number, property) in classes[Int(row.classNumber)].properties.enumerated() {
        switch property.kind {
        case .value: try place.skip(.value)
        case .link:
          let target = try place.read(number, .link) { reader in try self.target(&reader) }
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
    _ operation: StoredOperation, _ id: ObjectID, _ number: Int, to writer: inout ByteWriter
  ) {
    writer.write(operation.rawValue)
    writer.writeVarint(1)
    writer.writeFixed(id.replica)
    writer.writeVarint(id.counter)
    writer.writeVarint(UInt64(number))
  }
}
