// The contents of a store file: the result of the checkpoint and the entries after it. It uses no
// store and no objects, and doesn't decode the values of fields.
//
// Format of an entry, and of a checkpoint, which is one entry: a version, then operations. Each
// operation begins with a byte that states its kind (`FileOperation`):
//
// - version: the version of the app's classes, a number chosen by the app;
// - class: a ``FileClass``; classes are numbered in the order in which they are described;
// - replica: 8 bytes;
// - create: the number of a class, an id, the position in the order of insertion, and the values of
//   all properties in the order of the class;
// - delete: an id;
// - set: an id, the number of a property, and its value;
// - edit: an id, the number of a list property, the number of edits, and for each edit: a position
//   in the list before the operation, the number of members removed there, and the list of the
//   inserted members;
// - block, heading: other operations, in a checkpoint (`FileBlock`). A second heading repeats the
//   first one.
//
// Ids and values of links are encoded by `ObjectIDWriter`. The value of a list is the number of its
// members and their ids. The value of a field is encoded by `ValueCoding`, or is `initialValue`.
// Numbers are varints.
// Numbers of classes and replicas are valid in all later entries: entries are read in order, from
// the checkpoint on.

internal import Signals

/// The kinds of operations in an entry.
enum FileOperation: UInt8 {
  case describeClass, nameReplica, create, delete, set, edit, setVersion, block, heading
}

/// The decoded contents of a store file.
struct FileContents {
  /// The first byte of an entry.
  static let version: UInt8 = 3
  /// The byte that replaces a field's value that couldn't be encoded.
  ///
  /// No other value begins with it.
  static let initialValue: UInt8 = 0xff
  /// The position in the order of insertion from which the objects are renumbered when the file is
  /// opened, so that positions remain for later objects.
  static let lastPlace: UInt64 = 1 << 62

  /// The location of an object's creation.
  struct Row {
    /// The number of the object's class, or -1 if the object doesn't exist.
    var classNumber: Int32 = -1
    /// The index of the entry in `sources`.
    var source: Int32 = 0
    /// The offset of the values in the entry.
    var offset = 0
    /// The position in the order of insertion.
    var sequence: UInt64 = 0
  }

  /// A value that was changed after the object's creation.
  enum Change {
    case none
    /// The location of a value or link.
    case bytes(source: Int, Range<Int>)
    case members([ObjectID])
  }

  /// The bytes of the entries.
  private(set) var sources: [[UInt8]] = []
  /// The version of the app's classes.
  private(set) var appVersion = 0
  /// The classes, by number.
  private(set) var classes: [FileClass] = []
  private(set) var ids = ObjectIDReader()
  /// Whether a heading was applied.
  private var hasHeading = false
  /// The numbers of the object ids.
  private(set) var entities = EntityTable()
  /// The locations of the objects' creations, by entity.
  private(set) var rows: ContiguousArray<Row> = []
  /// The values that were changed after the creation, by entity and property.
  private(set) var changed: [Entity: [Change]] = [:]
  /// The number of objects.
  private(set) var count = 0

  /// Creates the contents of an empty file.
  init() {}

  /// The entities of the objects, in the order of insertion.
  var inOrder: [Entity] {
    var entities: [Entity] = []
    entities.reserveCapacity(count)
    var (last, isOrdered) = (UInt64(0), true)
    for index in rows.indices where rows[index].classNumber >= 0 {
      isOrdered = isOrdered && rows[index].sequence >= last
      last = rows[index].sequence
      entities.append(Entity(index))
    }
    if isOrdered { return entities }
    return entities.sorted { (rows[Int($0)].sequence, $0) < (rows[Int($1)].sequence, $1) }
  }

  /// Whether the order of insertion has too few positions left for later objects.
  var isOrderFull: Bool {
    rows.contains { $0.classNumber >= 0 && $0.sequence >= Self.lastPlace }
  }

  /// Whether a version of the app that lacked classes or properties has written the contents.
  ///
  /// That version may have deleted objects to which values of these classes and properties refer.
  var hasUnknowns: Bool { classes.contains { $0.isUnknown || $0.unknownCount > 0 } }

  /// Applies the operations of an entry.
  ///
  /// - Throws: ``FileContentsError`` if the bytes aren't an entry that can follow the entries so
  ///   far. The contents are undefined then.
  mutating func apply(_ entry: [UInt8]) throws(FileContentsError) {
    var reader = ByteReader(entry)
    sources.append(entry)
    do throws(ByteError) {
      guard try reader.read() == Self.version else { throw .invalidNumber(offset: 0) }
    } catch {
      throw FileContentsError(offset: 0, reason: "it has no version that this library reads")
    }
    while !reader.isAtEnd {
      let start = reader.offset
      do {
        try applyNext(&reader)
      } catch let error as FileContentsError {
        throw error
      } catch {
        throw FileContentsError(offset: start, reason: "\(error)")
      }
    }
  }

  private mutating func applyNext(_ reader: inout ByteReader) throws {
    let start = reader.offset
    switch FileOperation(rawValue: try reader.read()) {
    case .describeClass: classes.append(try FileClass(from: &reader))
    case .setVersion: appVersion = Int(clamping: try reader.readVarint())
    case .nameReplica: ids.number(try reader.readFixed64())
    case .create: try create(&reader)
    case .delete:
      let entity = try object(&reader)
      rows[Int(entity)].classNumber = -1
      changed[entity] = nil
      count -= 1
    case .set: try set(&reader)
    case .edit: try edit(&reader)
    case .block: try reader.skip(16)
    case .heading: try skipHeading(&reader)
    case nil: throw FileContentsError(offset: start, reason: "it has an unknown operation")
    }
  }

  // MARK: - Operations

  /// Skips the head of the first heading, and all of a later one.
  private mutating func skipHeading(_ reader: inout ByteReader) throws {
    let size = try reader.readFixed32()
    try reader.skip(12)
    if hasHeading { try reader.skip(Int(size)) }
    hasHeading = true
  }

  private mutating func create(_ reader: inout ByteReader) throws {
    let start = reader.offset
    let number = try reader.readVarint()
    guard number < UInt64(classes.count) else {
      throw FileContentsError(offset: start, reason: "there is no class \(number)")
    }
    let id = try ids.read(&reader)
    let sequence = try reader.readVarint()
    // Later objects need greater positions.
    guard sequence <= UInt64(Int64.max) else {
      throw FileContentsError(offset: start, reason: "there is no place \(sequence)")
    }
    let (entity, isNew) = entities.number(id)
    if isNew { rows.append(Row()) }
    guard rows[Int(entity)].classNumber < 0 else {
      throw FileContentsError(offset: start, reason: "the object \(id) is created twice")
    }
    rows[Int(entity)] = Row(
      classNumber: Int32(number), source: Int32(sources.count - 1), offset: reader.offset,
      sequence: sequence)
    count += 1
    for property in classes[Int(number)].properties { try noteValue(property.kind, &reader) }
  }

  private mutating func set(_ reader: inout ByteReader) throws {
    let start = reader.offset
    let entity = try object(&reader)
    let (number, kind) = try property(of: entity, &reader)
    guard kind != .list else {
      throw FileContentsError(offset: start, reason: "a list can't be set")
    }
    let value = reader.offset
    try noteValue(kind, &reader)
    change(.bytes(source: sources.count - 1, value..<reader.offset), number, of: entity)
  }

  private mutating func edit(_ reader: inout ByteReader) throws {
    let start = reader.offset
    let entity = try object(&reader)
    let (number, kind) = try property(of: entity, &reader)
    guard kind == .list else {
      throw FileContentsError(offset: start, reason: "only a list can be edited")
    }
    var members = try currentMembers(of: entity, number)
    // The copy in `changed` is dropped, so that the edits are made in place.
    change(.none, number, of: entity)
    var moved = 0
    for _ in 0..<(try reader.readCount(ofSize: 3)) {
      let (position, removed) = (try reader.readVarint(), try reader.readVarint())
      let (first, overflows) = Int(clamping: position).addingReportingOverflow(moved)
      guard !overflows, first >= 0, first <= members.count, removed <= members.count - first
      else {
        throw FileContentsError(offset: start, reason: "an edit is beyond the end of its list")
      }
      let inserted = try ids.readList(&reader)
      members.replaceSubrange(first..<first + Int(removed), with: inserted)
      moved += inserted.count - Int(removed)
    }
    change(.members(members), number, of: entity)
  }

  private mutating func change(_ change: Change, _ number: Int, of entity: Entity) {
    let count = classes[Int(rows[Int(entity)].classNumber)].properties.count
    changed[entity, default: Array(repeating: .none, count: count)][number] = change
  }

  // MARK: - Reading

  /// Reads the id of an existing object.
  private mutating func object(_ reader: inout ByteReader) throws -> Entity {
    let start = reader.offset
    let id = try ids.read(&reader)
    guard let entity = entities.find(id), rows[Int(entity)].classNumber >= 0 else {
      throw FileContentsError(offset: start, reason: "there is no object \(id)")
    }
    return entity
  }

  private func property(
    of entity: Entity, _ reader: inout ByteReader
  ) throws -> (number: Int, kind: FileClass.Kind) {
    let start = reader.offset
    let number = try reader.readVarint()
    let properties = classes[Int(rows[Int(entity)].classNumber)].properties
    guard number < UInt64(properties.count) else {
      throw FileContentsError(offset: start, reason: "there is no property \(number)")
    }
    return (Int(number), properties[Int(number)].kind)
  }

  /// Skips a value, and numbers the replicas in it.
  private mutating func noteValue(_ kind: FileClass.Kind, _ reader: inout ByteReader) throws {
    switch kind {
    case .value: try Self.skip(.value, &reader)
    case .link: _ = try ids.readTarget(&reader)
    case .list: _ = try ids.readList(&reader)
    }
  }

  /// Reads the value of a list.
  ///
  /// - Returns: The ids of the members, in order.
  /// - Throws: An error if the bytes aren't a list.
  func members(_ reader: inout ByteReader) throws -> [ObjectID] {
    let count = try reader.readCount(ofSize: 2)
    var members: [ObjectID] = []
    members.reserveCapacity(count)
    for _ in 0..<count {
      let start = reader.offset
      guard let id = try ids.target(&reader) else {
        throw FileContentsError(offset: start, reason: "a list has no id at a position")
      }
      members.append(id)
    }
    return members
  }

  private func currentMembers(of entity: Entity, _ number: Int) throws -> [ObjectID] {
    if case .members(let members)? = changed[entity]?[number] { return members }
    let row = rows[Int(entity)]
    let source = sources[Int(row.source)]
    var reader = ByteReader(source, in: row.offset..<source.count)
    for property in classes[Int(row.classNumber)].properties[..<number] {
      try Self.skip(property.kind, &reader)
    }
    return try members(&reader)
  }

  /// Skips a value.
  ///
  /// - Throws: An error if the bytes aren't a value.
  static func skip(_ kind: FileClass.Kind, _ reader: inout ByteReader) throws {
    switch kind {
    case .value: if try !skipInitialValue(&reader) { try ValueCoding.skip(&reader) }
    case .link: try skipID(&reader)
    case .list: for _ in 0..<(try reader.readCount(ofSize: 2)) { try skipID(&reader) }
    }
  }

  /// Skips the mark of an initial value.
  ///
  /// - Parameter reader: A reader positioned at a value of a field.
  /// - Returns: Whether the value has the mark.
  static func skipInitialValue(_ reader: inout ByteReader) throws(ByteError) -> Bool {
    guard reader.peek() == initialValue else { return false }
    try reader.skip(1)
    return true
  }

  private static func skipID(_ reader: inout ByteReader) throws(ByteError) {
    let number = try reader.readVarint()
    if number == 0 { return }
    if number == 1 { try reader.skip(8) }
    _ = try reader.readVarint()
  }
}

/// The reason why bytes aren't an entry of a store file.
struct FileContentsError: Error, Equatable {
  /// The offset in the entry.
  let offset: Int
  let reason: String
}
