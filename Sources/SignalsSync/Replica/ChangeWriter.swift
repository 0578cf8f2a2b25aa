// The changes of a commit, in messages and in the log of a partition.
//
// Format: the number of changes. For each one: 4 times the number of the class, plus the kind of the
// change (`ChangeForm`); the `FileClass`, if no earlier change has its number; the id; and
// - inserted: the values of all properties, in the order of the class;
// - modified: the number of values, and for each one: 2 times the number of the property, plus 1 if
//   the value is preceded by the old one, which only a property with a merge rule needs; the value;
// - deleted: nothing.
//
// Values are those of a store file, except that a modified list has edits: 2 times the number of
// removed members, plus 1 if elements have numbers; the removed ones; the number of runs; for each
// run the neighbors before, the members, each with its `Arrival`, and the neighbors after. An element
// is an id, and its number and count if elements have numbers.
//
// Numbers of classes and replicas are valid in all later changes of the same writer.

internal import Signals

/// The kinds of changes.
enum ChangeForm: UInt64 {
  case inserted, modified, deleted
  /// A deletion that followed from another one.
  case deletedWithOther
}

/// Writes changes that are read in the same order by a ``ChangeReader``.
struct ChangeWriter {
  private var ids = ObjectIDWriter()
  private var descriptions: [FileClass] = []
  private var classes: [ObjectIdentifier: (number: UInt64, layout: RecordedClass)] = [:]

  /// The largest size of the changes of a commit, in bytes.
  static let limit = 1 << 26

  init() {}

  /// Creates a writer that continues what a reader has read.
  init(after reader: ChangeReader) {
    ids = ObjectIDWriter(reader.ids.replicas)
    descriptions = reader.classes.map(\.description)
    for (number, known) in reader.classes.enumerated() {
      guard case .made(let type) = known.use.fate else { continue }
      let layout = RecordedClass(Schema.shared(of: type), unknown: [])
      if layout.description == descriptions[number] {
        classes[ObjectIdentifier(type)] = (UInt64(number), layout)
      }
    }
  }

  /// Writes all names, for a new ``ChangeReader``.
  func writeNames(to writer: inout ByteWriter) {
    writer.writeVarint(UInt64(descriptions.count))
    for description in descriptions { description.write(to: &writer) }
    let replicas = ids.replicas
    writer.writeVarint(UInt64(replicas.count))
    for replica in replicas { writer.writeFixed(replica) }
  }

  /// Writes the changes of a commit.
  ///
  /// - Throws: ``StoreFileError/valueRefused(_:reason:)`` if a value can't be encoded, and
  ///   ``StoreFileError/tooLarge(size:limit:)``. The bytes and the names are then as before.
  mutating func write(_ changes: ChangeSet, to writer: inout ByteWriter) throws(StoreFileError) {
    let (before, start) = (self, writer.count)
    do throws(StoreFileError) {
      writer.writeVarint(UInt64(changes.changes.count))
      for change in changes.changes { try write(change, to: &writer) }
      let size = writer.count - start
      if size > Self.limit { throw .tooLarge(size: size, limit: Self.limit) }
    } catch {
      self = before
      writer.truncate(to: start)
      throw error
    }
  }

  /// Writes objects of a store as insertions, with the targets for which their links wait.
  ///
  /// - Throws: ``StoreFileError/valueRefused(_:reason:)`` if a value can't be encoded.
  mutating func write(
    inserted objects: [Object], of store: Store, to writer: inout ByteWriter
  ) throws(StoreFileError) {
    writer.writeVarint(UInt64(objects.count))
    for object in objects {
      let layout = writeHead(.inserted, of: type(of: object), to: &writer)
      ids.write(object.objectID, to: &writer)
      for property in layout.properties { try write(property, of: object, in: store, to: &writer) }
    }
  }

  private mutating func write(
    _ property: RecordedClass.Recorded, of object: Object, in store: Store,
    to writer: inout ByteWriter
  ) throws(StoreFileError) {
    switch property.kind {
    case .value:
      do throws(ValueCodingError) { try property.codec?.encode(object, to: &writer) } catch {
        throw .valueRefused(
          StoreError.Subject(object, property: property.property.name), reason: "\(error)")
      }
    case .link:
      let target = store.targetsWithWaiting(of: property.property, in: object).first
      ids.write(target: target, to: &writer)
    case .list:
      let members = store.targetsWithWaiting(of: property.property, in: object)
      writer.writeVarint(UInt64(members.count))
      for member in members { ids.write(member, to: &writer) }
    }
  }

  /// Writes a replica, or 0 for none.
  mutating func write(replica: UInt64, to writer: inout ByteWriter) {
    if replica == 0 { writer.writeVarint(0) } else { ids.write(replica: replica, to: &writer) }
  }

  /// Writes the id of an object.
  mutating func write(_ id: ObjectID, to writer: inout ByteWriter) { ids.write(id, to: &writer) }

  // MARK: - Changes

  private mutating func write(
    _ change: ObjectChange, to writer: inout ByteWriter
  ) throws(StoreFileError) {
    let form: ChangeForm =
      switch change.kind {
      case .inserted: .inserted
      case .modified: .modified
      case .deleted: change.isDerived ? .deletedWithOther : .deleted
      }
    let layout = writeHead(form, of: change.type, to: &writer)
    ids.write(change.id, to: &writer)
    switch change.kind {
    case .deleted: break
    case .inserted:
      for (number, property) in layout.properties.enumerated() {
        let name = property.property.name
        // Usually they have the order of the class.
        let isNext =
          number < change.properties.count && change.properties[number].name == name
        let value = isNext ? change.properties[number].new : change[name]?.new
        if let value {
          try write(value, of: property, in: change, to: &writer)
        } else {
          writer.write(property.kind == .value ? FileContents.initialValue : 0)
        }
      }
    case .modified:
      writer.writeVarint(UInt64(change.properties.count))
      for property in change.properties { try write(property, layout, change, to: &writer) }
    }
  }

  /// Writes the kind of a change and the class.
  private mutating func writeHead(
    _ form: ChangeForm, of type: Object.Type, to writer: inout ByteWriter
  ) -> RecordedClass {
    if let (number, layout) = classes[ObjectIdentifier(type)] {
      writer.writeVarint(number << 2 | form.rawValue)
      return layout
    }
    let layout = RecordedClass(Schema.shared(of: type), unknown: [])
    let number = UInt64(descriptions.count)
    classes[ObjectIdentifier(type)] = (number, layout)
    descriptions.append(layout.description)
    writer.writeVarint(number << 2 | form.rawValue)
    layout.description.write(to: &writer)
    return layout
  }

  private mutating func write(
    _ edit: ObjectChange.Property, _ layout: RecordedClass, _ change: ObjectChange,
    to writer: inout ByteWriter
  ) throws(StoreFileError) {
    guard let number = layout.properties.firstIndex(where: { $0.property.name == edit.name }),
      let new = edit.new
    else { throw refusal(of: edit.name, in: change, "the class has no such property") }
    let property = layout.properties[number]
    if property.kind == .list {
      writer.writeVarint(UInt64(number) << 1)
      let edits = ListEdits(from: edit.old as? [ObjectID] ?? [], to: new as? [ObjectID] ?? [])
      return write(edits, to: &writer)
    }
    let old = property.isMerging ? edit.old : nil
    writer.writeVarint(UInt64(number) << 1 | (old == nil ? 0 : 1))
    if let old { try write(old, of: property, in: change, to: &writer) }
    try write(new, of: property, in: change, to: &writer)
  }

  private mutating func write(
    _ value: any FieldValue, of property: RecordedClass.Recorded, in change: ObjectChange,
    to writer: inout ByteWriter
  ) throws(StoreFileError) {
    switch property.kind {
    case .value:
      do throws(ValueCodingError) { try property.codec?.write(value, to: &writer) } catch {
        throw refusal(of: property.property.name, in: change, "\(error)")
      }
    case .link: ids.write(target: value as? ObjectID, to: &writer)
    case .list:
      let members = value as? [ObjectID] ?? []
      writer.writeVarint(UInt64(members.count))
      for member in members { ids.write(member, to: &writer) }
    }
  }

  private func refusal(
    of property: String, in change: ObjectChange, _ reason: String
  ) -> StoreFileError {
    .valueRefused(
      StoreError.Subject(change.id, className: change.className, property: property),
      reason: reason)
  }

  // MARK: - Lists

  private mutating func write(_ edits: ListEdits<ObjectID>, to writer: inout ByteWriter) {
    let hasNumbers =
      edits.removed.contains { $0.count > 1 }
      || edits.runs.contains { run in
        (run.before + run.members.map(\.element) + run.after).contains {
          $0.number > 0 || $0.count > 1
        }
      }
    writer.writeVarint(UInt64(edits.removed.count) << 1 | (hasNumbers ? 1 : 0))
    for element in edits.removed { write(element, hasNumbers, to: &writer) }
    writer.writeVarint(UInt64(edits.runs.count))
    for run in edits.runs {
      writer.writeVarint(UInt64(run.before.count))
      for element in run.before { write(element, hasNumbers, to: &writer) }
      writer.writeVarint(UInt64(run.members.count))
      for (element, arrival) in run.members {
        write(element, hasNumbers, to: &writer)
        writer.write(arrival.rawValue)
      }
      writer.writeVarint(UInt64(run.after.count))
      for element in run.after { write(element, hasNumbers, to: &writer) }
    }
  }

  private mutating func write(
    _ element: ListEdits<ObjectID>.Element, _ hasNumbers: Bool, to writer: inout ByteWriter
  ) {
    ids.write(element.member, to: &writer)
    if !hasNumbers { return }
    writer.writeVarint(UInt64(element.number))
    writer.writeVarint(UInt64(element.count))
  }
}
