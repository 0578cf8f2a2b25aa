// Writing objects and their changes as operations of an entry.
//
// A class is described before its first object. The description, and the number of a replica, are
// valid in all entries that follow.

internal import Signals

/// Writes the operations of consecutive entries of a file.
final class EntryWriter {
  /// The bytes of the current entry.
  private(set) var writer = ByteWriter()
  private var classes: [ObjectIdentifier: RecordedClass] = [:]
  /// The number of classes that the file describes.
  private var classCount: UInt64 = 0
  /// The numbers of classes that the process lacks.
  private var unknownNumbers: [ClassName: UInt64] = [:]
  private var ids = ObjectIDWriter()
  /// The errors of the values that couldn't be encoded, by object and number of the property.
  private var refused: [ObjectID: [Int: StoreFileError]] = [:]
  /// Whether a value was refused, or a refused one was replaced or deleted, in the current entry.
  private(set) var hasNewRefusals = false
  /// The values and objects of the file that belong to other versions of the app.
  let carried: CarriedContents

  /// Creates a writer for a file without entries.
  init(carried: CarriedContents) {
    self.carried = carried
    begin()
  }

  /// Creates a writer that continues a file whose classes match the classes of this process.
  convenience init(after contents: FileContents, carried: CarriedContents) {
    self.init(carried: carried)
    classCount = UInt64(contents.classes.count)
    for (number, stored) in contents.classes.enumerated() where !stored.isUnknown {
      if let type = stored.className.type {
        recorded(Schema(of: type)).number = UInt64(number)
      }
    }
    ids = ObjectIDWriter(contents.ids.replicas)
  }

  /// Begins the next entry.
  func begin() {
    writer.removeAll()
    writer.write(FileContents.version)
    hasNewRefusals = false
  }

  /// The error of a value that couldn't be encoded and is still in the store, or `nil`.
  var refusal: StoreFileError? { refused.first?.value.first?.value }

  /// Whether the entry has operations.
  var hasOperations: Bool { writer.count > 1 }

  /// Returns the layout in which objects of a class are written.
  func recorded(_ schema: Schema) -> RecordedClass {
    let key = ObjectIdentifier(schema.type)
    if let known = classes[key] { return known }
    let recorded = RecordedClass(schema, unknown: carried.properties[key] ?? [])
    classes[key] = recorded
    return recorded
  }

  /// Writes all objects of a store, and the carried values and objects, as the first entry.
  ///
  /// The heading has all descriptions of classes and names of replicas.
  func writeAll(of store: Store, version: Int) {
    let start = FileBlock.begin(.heading, in: &writer)
    writer.write(FileOperation.setVersion.rawValue)
    writer.writeVarint(UInt64(version))
    let objects = store.objectsInOrder
    for object in objects {
      let type = type(of: object)
      let recorded = classes[ObjectIdentifier(type)] ?? recorded(Schema(of: type))
      if recorded.number == nil { _ = describe(recorded) }
      nameReplica(of: object.objectID)
    }
    let numbers = carried.objects.map { describe(carried: $0) }
    for object in carried.objects { object.values.forEach { $0.targets.forEach(nameReplica) } }
    for values in carried.values.values {
      for value in values { value.targets.forEach(nameReplica) }
    }
    FileBlock.end(start, in: &writer)
    let heading = writer.bytes[start...]
    var block = FileBlock.begin(.block, in: &writer)
    for object in objects {
      let type = type(of: object)
      create(object, of: classes[ObjectIdentifier(type)] ?? recorded(Schema(of: type)))
      FileBlock.turn(&block, in: &writer)
    }
    for (number, object) in zip(numbers, carried.objects) {
      beginObject(ofClass: number, id: object.id, place: object.sequence)
      for value in object.values { write(value) }
      FileBlock.turn(&block, in: &writer)
    }
    FileBlock.end(block, in: &writer)
    writer.write(contentsOf: heading)
  }

  /// Returns the number of the class of a carried object, and describes the class if it has none.
  private func describe(carried object: CarriedObject) -> UInt64 {
    nameReplica(of: object.id)
    if let type = object.description.className.type, !object.description.isUnknown {
      let recorded = recorded(Schema(of: type))
      return recorded.number ?? describe(recorded)
    }
    let name = object.description.className
    if let number = unknownNumbers[name] { return number }
    let number = describe(object.description)
    unknownNumbers[name] = number
    return number
  }

  private func nameReplica(of id: ObjectID) {
    guard ids.number(id.replica) else { return }
    writer.write(FileOperation.nameReplica.rawValue)
    writer.writeFixed(id.replica)
  }

  // MARK: - Operations

  /// Writes the creation of an object.
  func create(_ object: Object, of recorded: RecordedClass) {
    beginObject(
      ofClass: recorded.number ?? describe(recorded), id: object.objectID,
      place: object.placeInStore)
    for (number, property) in recorded.properties.enumerated() {
      switch property.kind {
      case .value: _ = writeValue(of: property, number, in: object)
      case .link: writeTarget(of: property, in: object)
      case .list: writeMembers(of: property, in: object)
      }
    }
    if recorded.unknown.isEmpty { return }
    let values = carried.values[object.objectID]
    for value in values ?? recorded.unknown.map({ CarriedValue(initial: $0.kind) }) {
      write(value)
    }
  }

  private func beginObject(ofClass classNumber: UInt64, id: ObjectID, place: UInt64) {
    writer.write(FileOperation.create.rawValue)
    writer.writeVarint(classNumber)
    write(id)
    writer.writeVarint(place)
  }

  private func describe(_ recorded: RecordedClass) -> UInt64 {
    let number = describe(recorded.description)
    recorded.number = number
    return number
  }

  private func describe(_ description: FileClass) -> UInt64 {
    writer.write(FileOperation.describeClass.rawValue)
    description.write(to: &writer)
    classCount += 1
    return classCount - 1
  }

  /// Writes the deletion of an object.
  func delete(_ object: Object) {
    writer.write(FileOperation.delete.rawValue)
    write(object.objectID)
    if !refused.isEmpty, refused.removeValue(forKey: object.objectID) != nil {
      hasNewRefusals = true
    }
  }

  /// Writes the present value of a changed property.
  func change(
    _ number: Int, of object: Object, old: Any, as recorded: RecordedClass
  ) {
    let start = writer.count
    let property = recorded.properties[number]
    let operation = property.kind == .list ? FileOperation.edit : .set
    writer.write(operation.rawValue)
    write(object.objectID)
    writer.writeVarint(UInt64(number))
    switch property.kind {
    case .value: if !writeValue(of: property, number, in: object) { writer.truncate(to: start) }
    case .link: writeTarget(of: property, in: object)
    case .list: writeEdits(of: property, in: object, old: old)
    }
  }

  // MARK: - Values

  /// Writes the value of a field, or the mark of the initial value if it can't be encoded.
  ///
  /// - Returns: Whether the value could be encoded.
  private func writeValue(
    of property: RecordedClass.Recorded, _ number: Int, in object: Object
  ) -> Bool {
    let start = writer.count
    do throws(ValueCodingError) {
      try property.codec?.encode(object, to: &writer)
      if !refused.isEmpty { acceptValue(number, of: object.objectID) }
      return true
    } catch {
      writer.truncate(to: start)
      writer.write(FileContents.initialValue)
      refused[object.objectID, default: [:]][number] = .valueRefused(
        StoreError.Subject(object, property: property.property.name), reason: "\(error)")
      hasNewRefusals = true
      return false
    }
  }

  /// Removes a value that can be encoded from the refused ones.
  private func acceptValue(_ number: Int, of id: ObjectID) {
    guard refused[id]?.removeValue(forKey: number) != nil else { return }
    if refused[id]?.isEmpty == true { refused[id] = nil }
    hasNewRefusals = true
  }

  private func writeTarget(of property: RecordedClass.Recorded, in object: Object) {
    ids.write(target: property.property.target(in: object)?.objectID, to: &writer)
  }

  private func writeMembers(of property: RecordedClass.Recorded, in object: Object) {
    let members = property.property.members(in: object)
    writer.writeVarint(UInt64(members.count))
    members.forEach(in: 0..<members.count) { write($0.objectID) }
  }

  private func writeEdits(of property: RecordedClass.Recorded, in object: Object, old: Any) {
    let new = property.property.members(in: object)
    let edits = Tree.difference(from: property.property.members(of: old), to: new)
    writer.writeVarint(UInt64(edits.count))
    for edit in edits {
      writer.writeVarint(UInt64(edit.oldRange.lowerBound))
      writer.writeVarint(UInt64(edit.oldRange.count))
      writer.writeVarint(UInt64(edit.newRange.count))
      new.forEach(in: edit.newRange) { write($0.objectID) }
    }
  }

  private func write(_ value: CarriedValue) {
    switch value {
    case .value(let bytes): writer.write(contentsOf: bytes)
    case .link(let target): ids.write(target: target, to: &writer)
    case .list(let members):
      writer.writeVarint(UInt64(members.count))
      for member in members { write(member) }
    }
  }

  private func write(_ id: ObjectID) { ids.write(id, to: &writer) }
}

/// The layout in which objects of one class are written.
final class RecordedClass {
  struct Recorded {
    let property: Property
    let kind: FileClass.Kind
    /// The codec of a field, or `nil` for a link or list.
    let codec: FieldCodec?
    /// Whether concurrent changes of a field merge, for which the old value is needed.
    let isMerging: Bool
  }

  let description: FileClass
  let properties: [Recorded]
  /// The properties of the file that the class lacks.
  ///
  /// Their values follow the others.
  let unknown: [FileClass.Property]
  /// The number of the class, once the file has described it.
  var number: UInt64?

  init(_ schema: Schema, unknown: [FileClass.Property]) {
    self.unknown = unknown
    description = FileClass(schema, unknown: unknown)
    properties = zip(schema.encodedProperties, description.properties).map {
      Recorded(
        property: $0, kind: $1.kind, codec: FieldCodec.make($0),
        isMerging: $0.mergeRule != .lastWriter)
    }
  }
}
