// Reading the changes of a commit, in the form that ChangeWriter.swift describes.
//
// Order of events: the bytes are read without any store, so that an error changes nothing. Then each
// change is completed by the present values of a store, right before it is applied there.

internal import Signals

/// A change of one object, as another process has written it.
struct SharedChange {
  enum Value {
    case value(any FieldValue)
    /// The value of a property with a merge rule.
    case merging(from: any FieldValue, to: any FieldValue)
    case edits(ListEdits<ObjectID>)
  }

  let id: ObjectID
  let type: Object.Type
  let form: ChangeForm
  /// The values, or none of an object that has arrived.
  let values: [(property: Property, value: Value)]
  /// The object that is inserted, if it was made when the change was read.
  var arriving: ArrivingObject?

  /// Sets the fields in the open transaction of a store, if the change modifies nothing else.
  ///
  /// A fact is exact, so that nothing is to be merged. This does without the old values, by which
  /// ``change(in:didLose:)`` merges.
  ///
  /// - Returns: Whether they are set; if not, the store is as before.
  func setFields(in store: Store) -> Bool {
    guard form == .modified, let object = untracked({ store.object(id) }),
      Swift.type(of: object) == type,
      values.allSatisfy({ $0.property.role == .field || $0.property.role == .indexed })
    else { return false }
    for (property, value) in values {
      switch value {
      case .value(let new), .merging(_, let new):
        store.setField(property, of: object, toEncoded: new)
      case .edits: break
      }
    }
    return true
  }

  /// Returns the change as one of the present values of a store, in which lists are edited.
  ///
  /// It has no values if the object was made when the change was read.
  ///
  /// - Parameter didLose: Called with the name of each list that lacks a member that was moved.
  func change(in store: Store, didLose: (String) -> Void = { _ in }) -> ObjectChange {
    let stored = form == .modified && !values.isEmpty ? store.object(id) : nil
    let object = stored.flatMap { Swift.type(of: $0) == type ? $0 : nil }
    func present(_ property: Property) -> (any FieldValue)? {
      object.flatMap { property.encodedValue(of: property.value(in: $0)) }
    }
    let properties = values.map { property, value in
      switch value {
      case .value(let new):
        return ObjectChange.Property(name: property.name, old: present(property), new: new)
      case .merging(let old, let new):
        return ObjectChange.Property(name: property.name, old: old, new: new)
      case .edits(let edits):
        let members = present(property) as? [ObjectID] ?? []
        let merged = edits.applied(to: members)
        if !merged.lost.isEmpty { didLose(property.name) }
        // Removed members for which the list waits are no longer awaited.
        let removed = edits.removed.map(\.member)
        let absent = removed.isEmpty ? [] : Set(removed).subtracting(members)
        return ObjectChange.Property(
          name: property.name, old: members + absent.sorted(), new: merged.members)
      }
    }
    let kind: ObjectChange.Kind =
      switch form {
      case .inserted: .inserted
      case .modified: .modified
      case .deleted, .deletedWithOther: .deleted
      }
    return ObjectChange(
      id: id, kind: kind, properties: properties, type: type,
      isDerived: form == .deletedWithOther)
  }
}

extension [SharedChange] {
  /// The objects that were made when the changes were read, in their places, or nothing if none was.
  var arriving: [ArrivingObject?] {
    contains { $0.arriving != nil } ? map(\.arriving) : []
  }
}

/// Reads the changes of a ``ChangeWriter``.
struct ChangeReader {
  private(set) var ids = ObjectIDReader()
  /// A class with a number.
  private final class Described {
    let description: FileClass
    let use: ClassUse
    /// The class here, if there is one.
    let schema: Schema?
    let properties: [Property]

    init(_ description: FileClass, as use: ClassUse) {
      (self.description, self.use) = (description, use)
      if case .made(let type) = use.fate { schema = Schema.shared(of: type) } else { schema = nil }
      properties = schema?.encodedProperties ?? []
    }
  }

  private var described: [Described] = []
  /// Whether there is a class or property that this process lacks.
  var hasUnknown = false

  init() {}

  /// Creates a reader with the names of a writer.
  init(namesFrom reader: inout ByteReader) throws {
    for _ in 0..<(try reader.readCount(ofSize: 5)) { try describe(FileClass(from: &reader)) }
    for _ in 0..<(try reader.readCount(ofSize: 8)) { ids.number(try reader.readFixed64()) }
  }

  /// Creates a reader that continues what a writer has written.
  init(after writer: ChangeWriter) throws {
    var names = ByteWriter()
    writer.writeNames(to: &names)
    var reader = ByteReader(names.bytes)
    try self.init(namesFrom: &reader)
  }

  /// The classes by number, as they were described and as they are here.
  var classes: [(description: FileClass, use: ClassUse)] {
    described.map { ($0.description, $0.use) }
  }

  /// Reads the changes of a commit.
  ///
  /// - Parameters:
  ///   - reader: The bytes.
  ///   - isNew: Returns whether an inserted object is made at once, since the changes are applied once, to a
  ///     store that doesn't have the id.
  /// - Returns: The changes, and the name of a class or property that this process lacks.
  mutating func read(
    _ reader: inout ByteReader, arriving isNew: (ObjectID) -> Bool = { _ in false }
  ) throws -> (changes: [SharedChange], unknown: String?) {
    let count = try reader.readCount(ofSize: 3)
    var changes: [SharedChange] = []
    changes.reserveCapacity(count)
    var unknown: String?
    for _ in 0..<count {
      if let change = try readChange(&reader, &unknown, isNew) { changes.append(change) }
    }
    return (changes, unknown)
  }

  /// Reads a replica, which is 0 for none.
  mutating func readReplica(_ reader: inout ByteReader) throws -> UInt64 {
    guard let replica = try ids.replica(&reader) else { return 0 }
    ids.number(replica)
    return replica
  }

  /// Reads the id of an object.
  mutating func readID(_ reader: inout ByteReader) throws -> ObjectID { try ids.read(&reader) }

  // MARK: - Changes

  private mutating func describe(_ description: FileClass) throws {
    guard !described.contains(where: { $0.description == description }) else {
      throw SyncMessageError(reason: "\(description.className.name) is described twice")
    }
    let use = try ClassUse(description, renamed: [:], isMigrating: false)
    hasUnknown = hasUnknown || !use.isMade || !use.unknown.isEmpty
    described.append(Described(description, as: use))
  }

  private mutating func readChange(
    _ reader: inout ByteReader, _ unknown: inout String?, _ isNew: (ObjectID) -> Bool
  ) throws -> SharedChange? {
    let start = reader.offset
    let head = try reader.readVarint()
    let (number, form) = (head >> 2, ChangeForm(rawValue: head & 3) ?? .modified)
    if number == UInt64(described.count) { try describe(FileClass(from: &reader)) }
    guard number < UInt64(described.count) else {
      throw SyncMessageError(reason: "there is no class \(number) at byte \(start)")
    }
    let described = described[Int(number)]
    let (use, known) = (described.use, described.properties)
    let id = try ids.read(&reader)
    if form == .inserted, let schema = described.schema, isNew(id) {
      let object = try readObject(id, schema, described, &reader, &unknown)
      return SharedChange(
        id: id, type: schema.type, form: form, values: [], arriving: object)
    }
    var values: [(Property, SharedChange.Value)] = []
    switch form {
    case .inserted:
      values.reserveCapacity(known.count)
      for (number, field) in use.fields.enumerated() {
        let value = try readValue(number, of: use, &reader, &unknown)
        if let value, use.isMade, field.number >= 0 {
          values.append((known[field.number], .value(value)))
        }
        if use.isMade, case .carried = field.use { unknown = "\(use.name).\(field.name)" }
      }
    case .modified:
      var seen: Set<UInt64> = []
      for _ in 0..<(try reader.readCount(ofSize: 2)) {
        let start = reader.offset
        let number = try reader.readVarint()
        guard number >> 1 < UInt64(use.fields.count) else {
          throw SyncMessageError(reason: "there is no property \(number >> 1) at byte \(start)")
        }
        guard seen.insert(number >> 1).inserted else {
          throw SyncMessageError(reason: "a property is changed twice at byte \(start)")
        }
        let field = use.fields[Int(number >> 1)]
        let value = try readEdit(
          Int(number >> 1), of: use, hasOld: number & 1 == 1, &reader, &unknown)
        if let value, use.isMade, field.number >= 0 { values.append((known[field.number], value)) }
        if use.isMade, case .carried = field.use { unknown = "\(use.name).\(field.name)" }
      }
    case .deleted, .deletedWithOther: break
    }
    guard case .made(let type) = use.fate else {
      unknown = use.name
      return nil
    }
    return SharedChange(id: id, type: type, form: form, values: values)
  }

  /// Reads the values of an inserted object into the object.
  private mutating func readObject(
    _ id: ObjectID, _ schema: Schema, _ described: Described, _ reader: inout ByteReader,
    _ unknown: inout String?
  ) throws -> ArrivingObject {
    var object = ArrivingObject(schema, id: id)
    let (use, made) = (described.use, object.object)
    for number in use.codecs.indices {
      if let codec = use.codecs[number] {
        try readField(number, of: use, &reader, &unknown) { reader throws(ValueCodingError) in
          try codec.storeNext(&reader, in: made)
        }
        continue
      }
      let field = use.fields[number]
      switch field.kind {
      case .value: try skipField(&reader)
      case .link:
        let target = try ids.readTarget(&reader)
        if let target, field.number >= 0 {
          object.setLink(described.properties[field.number], to: target as ObjectID?)
        }
      case .list:
        let members = try ids.readList(&reader)
        if !members.isEmpty, field.number >= 0 {
          object.setLink(described.properties[field.number], to: members)
        }
      }
      if case .carried = field.use { unknown = "\(use.name).\(field.name)" }
    }
    return object
  }

  private mutating func readEdit(
    _ number: Int, of use: ClassUse, hasOld: Bool, _ reader: inout ByteReader,
    _ unknown: inout String?
  ) throws -> SharedChange.Value? {
    if use.fields[number].kind == .list { return .edits(try readEdits(&reader)) }
    let old = hasOld ? try readValue(number, of: use, &reader, &unknown) : nil
    guard let new = try readValue(number, of: use, &reader, &unknown) else { return nil }
    return old.map { .merging(from: $0, to: new) } ?? .value(new)
  }

  /// Reads a value; it is `nil` if this process lacks the property or can't decode the value, or if it
  /// is the initial one.
  private mutating func readValue(
    _ number: Int, of use: ClassUse, _ reader: inout ByteReader, _ unknown: inout String?
  ) throws -> (any FieldValue)? {
    switch use.fields[number].kind {
    case .value:
      var value: (any FieldValue)?
      guard let codec = use.codecs[number] else {
        try skipField(&reader)
        return nil
      }
      try readField(number, of: use, &reader, &unknown) { reader throws(ValueCodingError) in
        value = try codec.readNext(&reader)
      }
      return value
    case .link: return .some(try ids.readTarget(&reader) as ObjectID?)
    case .list: return try ids.readList(&reader)
    }
  }

  /// Reads the value of a field with its codec, and skips it if this process can't decode it, or if it is the
  /// initial one.
  private mutating func readField(
    _ number: Int, of use: ClassUse, _ reader: inout ByteReader, _ unknown: inout String?,
    with read: (inout ByteReader) throws(ValueCodingError) -> Void
  ) throws {
    if try FileContents.skipInitialValue(&reader) { return }
    let start = reader.offset
    do throws(ValueCodingError) { return try read(&reader) } catch {
      unknown = "a value of \(use.name).\(use.fields[number].name): \(error)"
      hasUnknown = true
    }
    reader.move(to: start..<reader.end)
    try ValueCoding.skip(&reader)
  }

  /// Skips the value of a field that this process lacks.
  private func skipField(_ reader: inout ByteReader) throws {
    if try !FileContents.skipInitialValue(&reader) { try ValueCoding.skip(&reader) }
  }

  // MARK: - Lists

  private mutating func readEdits(_ reader: inout ByteReader) throws -> ListEdits<ObjectID> {
    let head = try reader.readVarint()
    let hasNumbers = head & 1 == 1
    guard head >> 1 <= UInt64(reader.remaining) else {
      throw SyncMessageError(reason: "a list has too few removed members")
    }
    let removed = try readElements(Int(head >> 1), hasNumbers, &reader)
    var runs: [ListEdits<ObjectID>.Run] = []
    for _ in 0..<(try reader.readCount(ofSize: 3)) {
      let before = try readElements(reader.readCount(ofSize: 2), hasNumbers, &reader)
      var members: [(ListEdits<ObjectID>.Element, ListEdits<ObjectID>.Arrival)] = []
      for _ in 0..<(try reader.readCount(ofSize: 3)) {
        let element = try readElement(hasNumbers, &reader)
        guard let arrival = ListEdits<ObjectID>.Arrival(rawValue: try reader.read()) else {
          throw SyncMessageError(reason: "a member arrives for no known reason")
        }
        members.append((element, arrival))
      }
      let after = try readElements(reader.readCount(ofSize: 2), hasNumbers, &reader)
      runs.append(ListEdits<ObjectID>.Run(before: before, members: members, after: after))
    }
    return ListEdits(removed: removed, runs: runs)
  }

  private mutating func readElements(
    _ count: Int, _ hasNumbers: Bool, _ reader: inout ByteReader
  ) throws -> [ListEdits<ObjectID>.Element] {
    var elements: [ListEdits<ObjectID>.Element] = []
    elements.reserveCapacity(count)
    for _ in 0..<count { elements.append(try readElement(hasNumbers, &reader)) }
    return elements
  }

  private mutating func readElement(
    _ hasNumbers: Bool, _ reader: inout ByteReader
  ) throws -> ListEdits<ObjectID>.Element {
    let id = try ids.read(&reader)
    if !hasNumbers { return ListEdits<ObjectID>.Element(id) }
    // No list has more members than this.
    let limit = UInt64(Int32.max)
    return ListEdits<ObjectID>.Element(
      id, number: Int(min(try reader.readVarint(), limit)),
      count: Int(min(try reader.readVarint(), limit)))
  }
}
