// Writing each commit of a store as an entry of its file.
//
// State: `writer`, the operations of the commit being sealed; `classes` and `tables`, what the file
// has described already; `attempts`, the commits until the file is replaced. All of it belongs to
// the isolation domain of the store, which retains the recorder and calls it.
//
// Order of events: the store passes each changed object while it seals a commit, then `didCommit`,
// which hands over the entry. A class is described right before its first object. If an entry isn't
// accepted, none can follow it: as soon as the file can be written again, all of it is replaced by
// the objects of the store, right after a commit. After each attempt that fails, twice as many
// commits go by before the next one.

internal import Signals

/// The file that a recorder writes to.
protocol EntryTarget: Sendable {
  /// Adds an entry; returns whether the file has it, or will have it, and lacks no other.
  func accept(_ entry: [UInt8]) -> Bool
  /// Whether the file lacks a commit that it can still get.
  var isBehind: Bool { get }
  /// Whether nothing is known that keeps the file from being written.
  var canReplace: Bool { get }
  /// Makes an entry the only one; returns whether it is.
  func replace(by entry: [UInt8]) -> Bool
  /// Takes the error of a value that can't be encoded, or nil if all of them now can.
  func note(_ problem: StoreFileError?)
}

/// Writes the commits of a store as entries.
final class CommitRecorder: CommitCapture {
  /// What the file has described.
  struct Tables {
    var classes: [ObjectIdentifier: UInt64] = [:]
    var replicas: [UInt64: UInt64] = [:]
    var classCount: UInt64 = 0
    /// The values that couldn't be encoded: properties by their numbers.
    var refused: [ObjectID: Set<Int>] = [:]

    init() {}

    /// The tables after what a file has, whose classes are those of this process.
    init(after contents: StoredContents) {
      classCount = UInt64(contents.classes.count)
      for (number, stored) in contents.classes.enumerated() {
        if let type = stored.className.type { classes[ObjectIdentifier(type)] = UInt64(number) }
      }
      for (number, replica) in contents.replicas.enumerated() {
        replicas[replica] = UInt64(number)
      }
    }
  }

  private let target: any EntryTarget
  /// Nil for a recorder that isn't that of a store's commits.
  private weak var store: Store?
  private var writer = ByteWriter()
  private var classes: [ObjectIdentifier: RecordedClass] = [:]
  private var tables: Tables
  private var lastReplica: (id: UInt64, number: UInt64)?
  /// The number of commits until the next attempt to replace the file, and after that one.
  private var attempts = (next: 0, pause: 1)
  /// Replaces the file after a commit, when the values are encoded outside of it.
  private lazy var follower = CommitFollower { [weak self] in self?.catchUpIfBehind() }
  /// Whether the objects are being encoded, and then whether a commit was made meanwhile.
  private var (isCatchingUp, isOvertaken) = (false, false)

  /// Creates a recorder that goes on after what a file has.
  init(_ store: Store?, after tables: Tables, to target: any EntryTarget) {
    (self.store, self.tables, self.target) = (store, tables, target)
    writer.write(StoredContents.version)
  }

  func capture(of schema: Schema) -> (any ClassCapture)? { recorded(schema) }

  private func recorded(_ schema: Schema) -> RecordedClass {
    if let known = classes[ObjectIdentifier(schema.type)] { return known }
    let recorded = RecordedClass(schema, by: self)
    recorded.number = tables.classes[ObjectIdentifier(schema.type)]
    classes[ObjectIdentifier(schema.type)] = recorded
    return recorded
  }

  func didCommit(origin: Origin?) {
    if isCatchingUp { isOvertaken = true }
    // A value that can't be encoded leaves nothing.
    if writer.count > 1, !target.accept(writer.bytes) { catchUpSoon() }
    writer.removeAll()
    writer.write(StoredContents.version)
  }

  private func catchUpSoon() {
    attempts.next -= 1
    if attempts.next < 0, !isCatchingUp, target.canReplace, let store {
      follower.follow(in: store)
    }
  }

  /// Replaces all that the file has by the objects of the store, if the file lacks a commit.
  ///
  /// Inside a transaction the store has values that may not last, and nothing is done.
  func catchUpIfBehind() {
    guard target.isBehind, !isCatchingUp, let store, store.isIdle else { return }
    attempts = (attempts.pause, 2 * attempts.pause)
    (isCatchingUp, isOvertaken) = (true, false)
    defer { isCatchingUp = false }
    let (entry, tables) = Self.entry(of: store, to: target)
    // Encoding a value may run code of the app that makes a commit. Objects that were encoded
    // before it don't fit those encoded after it.
    guard !isOvertaken, target.replace(by: entry) else { return }
    attempts = (0, 1)
    self.tables = tables
    lastReplica = nil
    for (type, recorded) in classes { recorded.number = tables.classes[type] }
  }

  /// Returns the objects of a store as one entry.
  ///
  /// - Parameters:
  ///   - store: The store.
  ///   - target: What takes the errors of values that can't be encoded.
  /// - Returns: The entry, and what can follow it.
  static func entry(
    of store: Store, to target: any EntryTarget
  ) -> (entry: [UInt8], tables: Tables) {
    let recorder = CommitRecorder(nil, after: Tables(), to: target)
    for object in store.objectsInOrder {
      let type = type(of: object)
      let known = recorder.classes[ObjectIdentifier(type)]
      recorder.create(object, of: known ?? recorder.recorded(Schema(of: type)))
    }
    return (recorder.writer.bytes, recorder.tables)
  }

  // MARK: - Operations

  fileprivate func create(_ object: Object, of recorded: RecordedClass) {
    let classNumber = recorded.number ?? describe(recorded)
    writer.write(StoredOperation.create.rawValue)
    writer.writeVarint(classNumber)
    write(object.objectID)
    writer.writeVarint(object.placeInStore)
    for (number, property) in recorded.properties.enumerated() {
      switch property.kind {
      case .value: _ = writeValue(of: property, number, in: object)
      case .link: writeTarget(of: property, in: object)
      case .list: writeMembers(of: property, in: object)
      }
    }
  }

  private func describe(_ recorded: RecordedClass) -> UInt64 {
    let number = tables.classCount
    tables.classCount += 1
    tables.classes[ObjectIdentifier(recorded.type)] = number
    recorded.number = number
    writer.write(StoredOperation.describeClass.rawValue)
    recorded.description.write(to: &writer)
    return number
  }

  fileprivate func delete(_ object: Object) {
    writer.write(StoredOperation.delete.rawValue)
    write(object.objectID)
    if tables.refused.removeValue(forKey: object.objectID) != nil { noteRefusals() }
  }

  fileprivate func change(_ number: Int, of object: Object, old: Any, _ recorded: RecordedClass) {
    let start = writer.count
    let property = recorded.properties[number]
    let operation = property.kind == .list ? StoredOperation.edit : .set
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

  /// Writes the value of a field, or that it is the initial one if it can't be encoded.
  ///
  /// - Returns: Whether it can.
  private func writeValue(
    of property: RecordedClass.Recorded, _ number: Int, in object: Object
  ) -> Bool {
    let start = writer.count
    do throws(ValueCodingError) {
      try property.codec?.encode(object, to: &writer)
      if !tables.refused.isEmpty { acceptValue(number, of: object.objectID) }
      return true
    } catch {
      writer.truncate(to: start)
      writer.write(StoredContents.initialValue)
      tables.refused[object.objectID, default: []].insert(number)
      target.note(
        .valueRefused(
          className: Schema(of: type(of: object)).name, property: property.property.name,
          reason: "\(error)"))
      return false
    }
  }

  /// Takes note of a value that can be encoded.
  private func acceptValue(_ number: Int, of id: ObjectID) {
    guard tables.refused[id]?.remove(number) != nil else { return }
    if tables.refused[id] == [] { tables.refused[id] = nil }
    noteRefusals()
  }

  private func noteRefusals() { if tables.refused.isEmpty { target.note(nil) } }

  private func writeTarget(of property: RecordedClass.Recorded, in object: Object) {
    if let target = property.property.target(in: object) {
      write(target.objectID)
    } else {
      writer.writeVarint(0)
    }
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

  private func write(_ id: ObjectID) {
    if let lastReplica, lastReplica.id == id.replica {
      writer.writeVarint(lastReplica.number + 2)
    } else if let number = tables.replicas[id.replica] {
      lastReplica = (id.replica, number)
      writer.writeVarint(number + 2)
    } else {
      tables.replicas[id.replica] = UInt64(tables.replicas.count)
      writer.writeVarint(1)
      writer.writeFixed(id.replica)
    }
    writer.writeVarint(id.counter)
  }
}

/// How the objects of one class are recorded.
private final class RecordedClass: ClassCapture {
  struct Recorded {
    let property: Property
    let kind: StoredClass.Kind
    /// The codec of a field.
    let codec: FieldCodec?
  }

  let type: Object.Type
  let description: StoredClass
  let properties: [Recorded]
  /// The number of the class, once the file has described it.
  var number: UInt64?
  private unowned let recorder: CommitRecorder

  init(_ schema: Schema, by recorder: CommitRecorder) {
    self.recorder = recorder
    type = schema.type
    description = StoredClass(schema)
    properties = zip(schema.encodedProperties, description.properties).map {
      Recorded(property: $0, kind: $1.kind, codec: FieldCodec.make($0))
    }
  }

  func didInsert(_ object: Object) { recorder.create(object, of: self) }

  func didDelete(_ object: Object) { recorder.delete(object) }

  func didWrite(_ object: Object, at offset: Int, old: Any) {
    let number = properties.firstIndex { $0.property.offset == offset }
    guard let number else { return }
    recorder.change(number, of: object, old: old, self)
  }
}
