// The contents of a store as bytes: what the checkpoint of a file and the entries after it add up
// to. Nothing here knows a store or an object; a value stays the bytes that it was written as.
//
// The form of an entry, and of a checkpoint, which is one entry: a version, then operations. Each
// begins with a byte that tells its kind (`StoredOperation`):
//
// - version: the version of the app's classes, a number that the app gives;
// - class: a ``StoredClass``; classes are numbered in the order in which they are described;
// - replica: 8 bytes;
// - create: the number of a class, an id, the place in the order of adding, and the values of all
//   properties in the order of the class;
// - delete: an id;
// - set: an id, the number of a property, and its value;
// - edit: an id, the number of a list property, the number of edits, and these: a position in the
//   list as it was, the number of members removed there, and the list of those inserted.
//
// An id is 1, the 8 bytes of its replica and a counter; or, if the replica has a number, that plus 2
// and a counter. Replicas are numbered in the order in which they first occur. The value of a link is
// 0 or an id, that of a list the number of its members and their ids, and that of a field has the
// form of `ValueCoding`, or is `initialValue`. Numbers are varints. Numbers
// of classes and replicas hold in all entries that follow: entries are read from the checkpoint on,
// in order.
//
// State: `sources`, the bytes of the entries; `classes`, `replicas`; by entity (the number of an
// id), `rows`, where the object's creation is; `changed`, the values that were changed since.

internal import Signals

/// The kinds of operations in an entry.
enum StoredOperation: UInt8 {
  case describeClass, nameReplica, create, delete, set, edit, setVersion
}

/// The objects of a store, as a file has them.
struct StoredContents {
  /// The first byte of an entry.
  static let version: UInt8 = 2
  /// The only byte of a field's value that couldn't be encoded; no other value begins with it.
  static let initialValue: UInt8 = 0xff
  /// At a place from here on, the objects are numbered again, so that others can follow.
  static let lastPlace: UInt64 = 1 << 62

  /// Where the creation of an object is, if the object is there.
  struct Row {
    /// The number of the object's class; -1 if the object isn't there.
    var classNumber: Int32 = -1
    /// The entry.
    var source: Int32 = 0
    /// Where the values begin.
    var offset = 0
    /// The place in the order of adding.
    var sequence: UInt64 = 0
  }

  /// A value that was changed after the object's creation.
  enum Change {
    case none
    /// A value or link: where it is.
    case bytes(source: Int, Range<Int>)
    case members([ObjectID])
  }

  private(set) var sources: [[UInt8]] = []
  /// The version of the app's classes.
  private(set) var appVersion = 0
  private(set) var classes: [StoredClass] = []
  private(set) var replicas: [UInt64] = []
  private var known: Set<UInt64> = []
  private(set) var entities = EntityTable()
  private(set) var rows: ContiguousArray<Row> = []
  private(set) var changed: [Entity: [Change]] = [:]
  /// The number of objects.
  private(set) var count = 0

  init() {}

  /// The entities of the objects, in the order in which they were added.
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

  /// Whether the places in the order leave none for later objects.
  var isOrderFull: Bool {
    rows.contains { $0.classNumber >= 0 && $0.sequence >= Self.lastPlace }
  }

  /// Whether an app has written the contents that lacked classes or properties.
  ///
  /// It may have deleted objects to which their values refer.
  var hasUnknowns: Bool { classes.contains { $0.isUnknown || $0.unknownCount > 0 } }

  /// Applies the operations of an entry.
  ///
  /// - Throws: ``StoredContentsError`` if the bytes aren't an entry that can follow what is here.
  ///   The contents are undefined then.
  mutating func apply(_ entry: [UInt8]) throws(StoredContentsError) {
    var reader = ByteReader(entry)
    sources.append(entry)
    do throws(ByteError) {
      guard try reader.read() == Self.version else { throw .invalidNumber(offset: 0) }
    } catch {
      throw StoredContentsError(offset: 0, reason: "it has no version that this library reads")
    }
    while !reader.isAtEnd {
      let start = reader.offset
      do {
        try applyNext(&reader)
      } catch let error as StoredContentsError {
        throw error
      } catch {
        throw StoredContentsError(offset: start, reason: "\(error)")
      }
    }
  }

  private mutating func applyNext(_ reader: inout ByteReader) throws {
    let start = reader.offset
    switch StoredOperation(rawValue: try reader.read()) {
    case .describeClass: classes.append(try StoredClass(from: &reader))
    case .setVersion: appVersion = Int(clamping: try reader.readVarint())
    case .nameReplica: note(try reader.readFixed64())
    case .create: try create(&reader)
    case .delete:
      let entity = try object(&reader)
      rows[Int(entity)].classNumber = -1
      changed[entity] = nil
      count -= 1
    case .set: try set(&reader)
    case .edit: try edit(&reader)
    case nil: throw StoredContentsError(offset: start, reason: "it has an unknown operation")
    }
  }

  // MARK: - Operations

  private mutating func create(_ reader: inout ByteReader) throws {
    let start = reader.offset
    let number = try reader.readVarint()
    guard number < UInt64(classes.count) else {
      throw StoredContentsError(offset: start, reason: "there is no class \(number)")
    }
    let id = try id(&reader)
    let sequence = try reader.readVarint()
    // Those of objects that are added later are greater.
    guard sequence <= UInt64(Int64.max) else {
      throw StoredContentsError(offset: start, reason: "there is no place \(sequence)")
    }
    let (entity, isNew) = entities.number(id)
    if isNew { rows.append(Row()) }
    guard rows[Int(entity)].classNumber < 0 else {
      throw StoredContentsError(offset: start, reason: "the object \(id) is created twice")
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
      throw StoredContentsError(offset: start, reason: "a list can't be set")
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
      throw StoredContentsError(offset: start, reason: "only a list can be edited")
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
        throw StoredContentsError(offset: start, reason: "an edit is beyond the end of its list")
      }
      let inserted = try ids(&reader)
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

  /// Reads the id of an object that is there.
  private mutating func object(_ reader: inout ByteReader) throws -> Entity {
    let start = reader.offset
    let id = try id(&reader)
    guard let entity = entities.find(id), rows[Int(entity)].classNumber >= 0 else {
      throw StoredContentsError(offset: start, reason: "there is no object \(id)")
    }
    return entity
  }

  private func property(
    of entity: Entity, _ reader: inout ByteReader
  ) throws -> (number: Int, kind: StoredClass.Kind) {
    let start = reader.offset
    let number = try reader.readVarint()
    let properties = classes[Int(rows[Int(entity)].classNumber)].properties
    guard number < UInt64(properties.count) else {
      throw StoredContentsError(offset: start, reason: "there is no property \(number)")
    }
    return (Int(number), properties[Int(number)].kind)
  }

  /// Reads the id of an object.
  private mutating func id(_ reader: inout ByteReader) throws -> ObjectID {
    let start = reader.offset
    guard let id = try target(&reader) else {
      throw StoredContentsError(offset: start, reason: "an id is missing")
    }
    note(id.replica)
    return id
  }

  /// Reads the value of a list for the first time.
  private mutating func ids(_ reader: inout ByteReader) throws -> [ObjectID] {
    let count = try reader.readCount(ofSize: 2)
    var ids: [ObjectID] = []
    ids.reserveCapacity(count)
    // A replica that an id names has its number for the next one.
    for _ in 0..<count { ids.append(try id(&reader)) }
    return ids
  }

  /// Numbers a replica that hasn't occurred before.
  private mutating func note(_ replica: UInt64) {
    if replicas.last == replica || !known.insert(replica).inserted { return }
    replicas.append(replica)
  }

  /// Passes over a value for the first time.
  private mutating func noteValue(_ kind: StoredClass.Kind, _ reader: inout ByteReader) throws {
    switch kind {
    case .value: try Self.skip(.value, &reader)
    case .link: if let id = try target(&reader) { note(id.replica) }
    case .list: _ = try ids(&reader)
    }
  }

  /// Reads the value of a link.
  func target(_ reader: inout ByteReader) throws -> ObjectID? {
    let start = reader.offset
    switch try reader.readVarint() {
    case 0: return nil
    case 1: return ObjectID(replica: try reader.readFixed64(), counter: try reader.readVarint())
    case let number:
      guard number - 2 < UInt64(replicas.count) else {
        throw StoredContentsError(offset: start, reason: "there is no replica \(number - 2)")
      }
      return ObjectID(replica: replicas[Int(number - 2)], counter: try reader.readVarint())
    }
  }

  /// Reads the value of a list.
  func members(_ reader: inout ByteReader) throws -> [ObjectID] {
    let count = try reader.readCount(ofSize: 2)
    var ids: [ObjectID] = []
    ids.reserveCapacity(count)
    for _ in 0..<count {
      let start = reader.offset
      guard let id = try target(&reader) else {
        throw StoredContentsError(offset: start, reason: "a list has no id at a position")
      }
      ids.append(id)
    }
    return ids
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

  /// Passes over a value.
  static func skip(_ kind: StoredClass.Kind, _ reader: inout ByteReader) throws {
    switch kind {
    case .value: if try !skipInitialValue(&reader) { try ValueCoding.skip(&reader) }
    case .link: try skipID(&reader)
    case .list: for _ in 0..<(try reader.readCount(ofSize: 2)) { try skipID(&reader) }
    }
  }

  /// Passes over the byte of a value that is the initial one; returns whether it is.
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

/// Why bytes aren't an entry of a store's file.
struct StoredContentsError: Error, Equatable {
  /// Where in the entry.
  let offset: Int
  let reason: String
}
