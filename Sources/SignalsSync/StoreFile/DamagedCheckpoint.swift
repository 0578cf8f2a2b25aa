// Reading the intact operations of a damaged checkpoint.
//
// A checkpoint first describes classes and names replicas, which numbers them. The objects follow,
// and number nothing. Once an object has been read without damage before it, all numbers are known,
// and only objects are expected.

/// The readable operations of a damaged checkpoint.
struct DamagedCheckpoint {
  private struct Operation {
    let end: Int
    var described: FileClass?
    var isName = false
    /// The position of a created object in the order of insertion.
    var place: UInt64?
  }

  /// The operations read so far, each as an entry.
  private(set) var pieces: [FileContents.Piece] = []
  /// Whether the damage may have destroyed numbers that later entries use.
  var isNumberLost: Bool { isDamaged && !isNumbered }
  private let bytes: [UInt8]
  /// The classes described so far.
  private var classes: [FileClass] = []
  /// The number of replicas named so far.
  private var nameCount: UInt64 = 0
  /// Whether an operation before the current one is lost.
  private var isDamaged = false
  /// Whether all classes and replicas are numbered.
  private var isNumbered = false

  init(_ bytes: [UInt8]) {
    self.bytes = bytes
    // The first byte is the version.
    var (offset, last, isAfterDamage) = (1, UInt64(0), false)
    while offset < bytes.count {
      // After damage, bytes count as an object only if another operation follows them.
      guard let found = operation(at: offset, after: last),
        !isAfterDamage || found.place != nil, isFollowed(found, after: last),
        !isAfterDamage || found.end == bytes.count || operation(at: found.end, after: last) != nil
      else {
        (offset, isAfterDamage, isDamaged) = (offset + 1, true, true)
        continue
      }
      add(found, from: offset)
      if let place = found.place {
        // A position greater than the next one is damaged.
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
        bytes: [FileContents.version] + bytes[start..<operation.end], position: nil,
        isAfterLoss: isDamaged, givesNumbers: !(isObject && isNumbered)))
  }

  /// Returns whether an operation follows a description.
  ///
  /// One always does, because only classes that have objects are described.
  private func isFollowed(_ found: Operation, after last: UInt64) -> Bool {
    guard let described = found.described else { return true }
    var next = self
    next.classes.append(described)
    return next.operation(at: found.end, after: last) != nil
  }

  /// Returns the operation at an offset, or `nil` if there is none or its object is out of order.
  private func operation(at offset: Int, after last: UInt64) -> Operation? {
    guard offset < bytes.count else { return nil }
    var reader = ByteReader(bytes, in: offset + 1..<bytes.count)
    switch FileOperation(rawValue: bytes[offset]) {
    case .setVersion where !isNumbered:
      guard (try? reader.readVarint()) != nil else { return nil }
      return Operation(end: reader.offset)
    case .describeClass where !isNumbered:
      guard let described = try? FileClass(from: &reader) else { return nil }
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
  /// - Parameter reader: A reader positioned after the object's first byte.
  /// - Returns: The object's position in the order of insertion, or `nil` if it uses an unknown
  ///   number.
  /// - Throws: An error if the bytes aren't an object.
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
      try FileContents.skip(property.kind, &reader)
    }
    return place
  }
}
