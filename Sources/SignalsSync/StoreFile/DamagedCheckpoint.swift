// Reading what is intact of a damaged checkpoint.
//
// A checkpoint describes classes and names replicas, and then creates objects, which give no number.
//
// State: `pieces`, the operations so far, each as an entry; `classes` and `nameCount`, the numbers
// given so far; `isDamaged`, whether something before is lost; `isNumbered`, whether all numbers
// are given. They change from the first operation to the last.

/// The parts of a damaged checkpoint that can be read.
struct DamagedCheckpoint {
  private struct Operation {
    let end: Int
    var described: StoredClass?
    var isName = false
    /// The place of an object that is created.
    var place: UInt64?
  }

  /// The operations, each as an entry.
  private(set) var pieces: [StoredContents.Piece] = []
  /// Whether numbers may be lost that later entries need.
  var isNumberLost: Bool { isDamaged && !isNumbered }
  private let bytes: [UInt8]
  private var classes: [StoredClass] = []
  private var nameCount: UInt64 = 0
  private var isDamaged = false
  private var isNumbered = false

  init(_ bytes: [UInt8]) {
    self.bytes = bytes
    // The first byte is the version.
    var (offset, last, isAfterDamage) = (1, UInt64(0), false)
    while offset < bytes.count {
      // After damage, bytes are an object only if another operation follows them.
      guard let found = operation(at: offset, after: last),
        !isAfterDamage || found.place != nil, isFollowed(found, last),
        !isAfterDamage || found.end == bytes.count || operation(at: found.end, after: last) != nil
      else {
        (offset, isAfterDamage, isDamaged) = (offset + 1, true, true)
        continue
      }
      add(found, from: offset)
      if let place = found.place {
        // A place that is greater than the next one is damaged.
        last = min(operation(at: found.end, after: last)?.place ?? place, place)
      }
      (offset, isAfterDamage) = (found.end, false)
    }
  }

  private mutating func add(_ operation: Operation, from start: Int) {
    if let described = operation.described { classes.append(described) }
    if operation.isName { nameCount += 1 }
    let isObject = operation.place != nil
    if isObject, nameCount > 0, !isDamaged { isNumbered = true }
    pieces.append(
      .init(
        bytes: [StoredContents.version] + bytes[start..<operation.end], position: nil,
        isAfterLoss: isDamaged, givesNumbers: !(isObject && isNumbered)))
  }

  /// Whether a description is followed by another operation, as each is: a class has objects.
  private func isFollowed(_ found: Operation, _ last: UInt64) -> Bool {
    guard let described = found.described else { return true }
    var next = self
    next.classes.append(described)
    return next.operation(at: found.end, after: last) != nil
  }

  /// Reads the operation at an offset, which is no object with a place before another one.
  private func operation(at offset: Int, after last: UInt64) -> Operation? {
    guard offset < bytes.count else { return nil }
    var reader = ByteReader(bytes, in: offset + 1..<bytes.count)
    switch StoredOperation(rawValue: bytes[offset]) {
    case .setVersion where !isNumbered:
      guard (try? reader.readVarint()) != nil else { return nil }
      return Operation(end: reader.offset)
    case .describeClass where !isNumbered:
      guard let described = try? StoredClass(from: &reader) else { return nil }
      return Operation(end: reader.offset, described: described)
    case .nameReplica where !isNumbered:
      guard (try? reader.skip(8)) != nil else { return nil }
      return Operation(end: reader.offset, isName: true)
    case .create:
      guard let place = try? readObject(&reader), place >= last else { return nil }
      return Operation(end: reader.offset, place: place)
    default: return nil
    }
  }

  /// Reads an object after its first byte.
  ///
  /// - Returns: Its place, or `nil` if it has a number that isn't given.
  private func readObject(_ reader: inout ByteReader) throws -> UInt64? {
    let number = try reader.readVarint()
    guard number < UInt64(classes.count) else { return nil }
    let replica = try reader.readVarint()
    if nameCount > 0 {
      guard replica >= 2, replica - 2 < nameCount else { return nil }
    } else if replica == 0 {
      return nil
    } else if replica == 1 {
      _ = try reader.skip(8)
    }
    _ = try reader.readVarint()
    let place = try reader.readVarint()
    for property in classes[Int(number)].properties {
      try StoredContents.skip(property.kind, &reader)
    }
    return place
  }
}
