// Filling a store with the contents, if the classes of this process are those that the file
// describes: without a snapshot, which takes four times as long.

internal import Signals

extension StoredContents {
  /// A class of this process that the file describes as it is.
  struct CurrentClass {
    struct Field {
      let kind: StoredClass.Kind
      let codec: FieldCodec?
      /// The property, if it is a link or list.
      let linking: LinkingField?
      let name: String
    }

    let type: Object.Type
    let fields: [Field]
    let hasLinks: Bool
  }

  /// The classes, if all of them are as the file describes them.
  var currentClasses: [CurrentClass]? {
    var current: [CurrentClass] = []
    var types: Set<ObjectIdentifier> = []
    for stored in classes {
      guard let type = stored.className.type, types.insert(ObjectIdentifier(type)).inserted,
        case let schema = Schema(of: type), StoredClass(schema) == stored
      else { return nil }
      let fields = zip(schema.encodedProperties, stored.properties).map { property, stored in
        CurrentClass.Field(
          kind: stored.kind, codec: FieldCodec.make(property),
          linking: stored.kind == .value ? nil : LinkingField(property), name: stored.name)
      }
      current.append(
        CurrentClass(
          type: type, fields: fields, hasLinks: fields.contains { $0.kind != .value }))
    }
    return current
  }

  /// Returns a store with the objects, if the classes of this process are those described, all
  /// objects fit them, and others can follow.
  ///
  /// - Throws: The error of an object that doesn't, unless objects of some class may be left out:
  ///   a snapshot does that.
  func currentStore(
    undoLimit: Int, coalescing: Coalescing
  ) throws(StoreFileError) -> Store? {
    guard !isOrderFull, let current = currentClasses else { return nil }
    do throws(StoreFileError) {
      return try store(of: current, undoLimit: undoLimit, coalescing: coalescing)
    } catch {
      if classes.contains(where: \.isSkippedIfUndecodable) { return nil }
      throw error
    }
  }

  /// Returns a store with the objects.
  ///
  /// - Complexity: O(bytes).
  func store(
    of classes: [CurrentClass], undoLimit: Int, coalescing: Coalescing
  ) throws(StoreFileError) -> Store {
    do {
      var filling = StoreFilling(undoLimit: undoLimit, coalescing: coalescing)
      let order = inOrder
      filling.reserve(order.count)
      try makeObjects(order, of: classes, &filling)
      if classes.contains(where: \.hasLinks) { try setLinks(order, of: classes, filling) }
      return try filling.finish()
    } catch {
      throw StoreFileError(decoding: error)
    }
  }

  private func makeObjects(
    _ order: [Entity], of classes: [CurrentClass], _ filling: inout StoreFilling
  ) throws {
    var place = StoredPlace(in: self)
    for entity in order {
      let row = rows[Int(entity)]
      let current = classes[Int(row.classNumber)]
      let object = filling.make(
        current.type, id: entities.ids[Int(entity)], sequence: row.sequence)
      place.move(to: entity, row)
      for (number, field) in current.fields.enumerated() {
        guard let codec = field.codec else {
          try place.skip(field.kind)
          continue
        }
        do {
          try place.read(number, field.kind) { reader in
            if try !Self.skipInitialValue(&reader) { try codec.storeNext(&reader, in: object) }
          }
        } catch {
          throw GraphDecodingError(
            className: self.classes[Int(row.classNumber)].className.name, property: field.name,
            reason: .malformed("\(error)"))
        }
      }
    }
  }

  private func setLinks(
    _ order: [Entity], of classes: [CurrentClass], _ filling: StoreFilling
  ) throws {
    var positions = ContiguousArray<Int32>(repeating: -1, count: rows.count)
    for (position, entity) in order.enumerated() { positions[Int(entity)] = Int32(position) }
    var place = StoredPlace(in: self)
    for (entity, object) in zip(order, filling.objects) {
      let row = rows[Int(entity)]
      let current = classes[Int(row.classNumber)]
      if !current.hasLinks { continue }
      func find(_ id: ObjectID, _ field: CurrentClass.Field) throws -> Object {
        if let target = entities.find(id), positions[Int(target)] >= 0 {
          return filling.objects[Int(positions[Int(target)])]
        }
        throw GraphDecodingError(
          className: self.classes[Int(row.classNumber)].className.name, property: field.name,
          reason: .danglingLink)
      }
      place.move(to: entity, row)
      for (number, field) in current.fields.enumerated() {
        guard let linking = field.linking else {
          try place.skip(.value)
          continue
        }
        if field.kind == .link {
          let target = try place.read(number, .link) { reader in try self.target(&reader) }
          try filling.setLink(linking, of: object, to: target.map { try find($0, field) })
        } else {
          let members = try place.members(number)
          try filling.setList(linking, of: object, to: members.map { try find($0, field) })
        }
      }
    }
  }
}

/// Where the values of an object are, one after the other.
struct StoredPlace {
  private let contents: StoredContents
  private var reader = ByteReader([])
  private var source: Int32 = -1
  private var changes: [StoredContents.Change]?

  init(in contents: StoredContents) { self.contents = contents }

  /// Continues with the first value of an object.
  mutating func move(to entity: Entity, _ row: StoredContents.Row) {
    changes = contents.changed.isEmpty ? nil : contents.changed[entity]
    if source != row.source {
      source = row.source
      reader = ByteReader(contents.sources[Int(source)])
    }
    reader.move(to: row.offset..<reader.bytes.count)
  }

  /// Passes over the next value.
  mutating func skip(_ kind: StoredClass.Kind) throws {
    try StoredContents.skip(kind, &reader)
  }

  /// Reads the next value, where its last change has put it.
  mutating func read<Result>(
    _ number: Int, _ kind: StoredClass.Kind, _ body: (inout ByteReader) throws -> Result
  ) throws -> Result {
    guard let changes, case .bytes(let source, let range) = changes[number] else {
      return try body(&reader)
    }
    try StoredContents.skip(kind, &reader)
    var changed = ByteReader(contents.sources[source], in: range)
    return try body(&changed)
  }

  /// Reads the next value, which is a list.
  mutating func members(_ number: Int) throws -> [ObjectID] {
    guard let changes, case .members(let members) = changes[number] else {
      return try contents.members(&reader)
    }
    try StoredContents.skip(.list, &reader)
    return members
  }
}
