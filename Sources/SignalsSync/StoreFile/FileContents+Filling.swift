// Creating the objects of a file.
//
// Order of events:
//
// 1. The classes of the file are matched with the classes of this process.
// 2. All objects are created, and their fields are set.
// 3. If an object is skipped or carried, so are the embedded objects that it owns.
// 4. Links and lists are set.
// 5. The migrations run.
// 6. The objects are added to the store, which checks primary keys and owners.

internal import Signals

/// Creates the objects of a file, and the store that has them.
struct ContentsFilling {
  /// The treatment of an object of the file.
  private enum Fate {
    case absent, carried, leftOut
    /// The object was created. The payload is its position in `made`.
    case made(Int32)
  }

  let contents: FileContents
  /// The path that errors state.
  let path: String
  let classes: [ClassUse]
  let isMigrating: Bool
  private(set) var filling: StoreFilling
  private(set) var carried = CarriedContents()
  /// Whether the file has to be written again, because the description of a class has changed or an
  /// object was skipped.
  private(set) var isChanged: Bool
  /// The entities of the objects, in the order of insertion.
  let order: [Entity]
  /// The created objects, by the positions of `fates`.
  ///
  /// A migration may change the objects of `filling`.
  private(set) var made: ContiguousArray<Object> = []
  /// The treatment of the objects, by entity.
  private var fates: ContiguousArray<Fate>

  /// Matches the classes of a file with the classes of this process.
  ///
  /// - Parameters:
  ///   - contents: The contents of the file.
  ///   - path: The path of the file.
  ///   - renamed: The classes that were renamed, by their former names.
  ///   - isMigrating: Whether migrations follow.
  ///   - filling: The new store.
  /// - Throws: ``StoreFileError/objects(_:)`` or
  ///   ``StoreFileError/renaming(className:property:reason:)``.
  init(
    _ contents: FileContents, at path: String, renamed: [String: Object.Type], isMigrating: Bool,
    into filling: StoreFilling
  ) throws(StoreFileError) {
    (self.contents, self.path) = (contents, path)
    (self.isMigrating, self.filling) = (isMigrating, filling)
    var classes: [ClassUse] = []
    var seen: Set<ObjectIdentifier> = []
    for stored in contents.classes {
      let use = try ClassUse(stored, renamed: renamed, isMigrating: isMigrating)
      if case .made(let type) = use.fate, !seen.insert(ObjectIdentifier(type)).inserted {
        throw .renaming(
          className: use.name, property: nil, reason: "another class of the file is \(type) too")
      }
      classes.append(use)
    }
    try Self.checkIsKnown(contents, as: classes)
    self.classes = classes
    isChanged = zip(classes, contents.classes).contains { $0.description != $1 }
    order = contents.inOrder
    if contents.isOrderFull { isChanged = true }
    fates = ContiguousArray(repeating: .absent, count: contents.rows.count)
  }

  /// Checks that the file isn't that of another app, which has none of its classes.
  private static func checkIsKnown(
    _ contents: FileContents, as classes: [ClassUse]
  ) throws(StoreFileError) {
    var unknown: String?
    for use in classes where !use.isSkippable {
      if use.isMade { return }
      unknown = unknown ?? use.name
    }
    guard let unknown, contents.count > 0 else { return }
    throw .objects(GraphDecodingError(className: unknown, reason: .unknownClass))
  }

  /// Creates the objects, with their values, links and lists.
  ///
  /// - Complexity: O(bytes of the file).
  mutating func run() throws(StoreFileError) {
    do {
      try makeObjects()
      try removeUnowned()
      made = filling.objects
      if classes.contains(where: { $0.hasLinks || !$0.unknown.isEmpty || !$0.isMade }) {
        try setLinks()
      }
    } catch {
      throw StoreFileError(decoding: error, at: path)
    }
  }

  /// Runs a migration.
  ///
  /// - Throws: ``StoreFileError/migration(version:error:)`` with the error of `body`.
  mutating func migrate(
    to version: Int, _ body: ((Migration) throws -> Void)?
  ) throws(StoreFileError) {
    let migration = Migration(self)
    do {
      try body?(migration)
      try filling.adopt(migration.added, removing: migration.removed)
    } catch {
      throw .migration(version: version, error: error)
    }
  }

  /// Adds the objects to the store.
  ///
  /// - Throws: ``StoreFileError/objects(_:)`` if the objects violate a rule of the store.
  mutating func finish() throws(StoreFileError) -> Store {
    for use in classes where !use.unknown.isEmpty {
      if case .made(let type) = use.fate {
        carried.properties[ObjectIdentifier(type)] = use.unknown
      }
    }
    do {
      return try filling.finish()
    } catch {
      throw .objects(error)
    }
  }

  /// Returns the object that was created for an entity, or `nil` if none was.
  func object(_ entity: Entity) -> Object? {
    guard case .made(let position) = fates[Int(entity)] else { return nil }
    return made[Int(position)]
  }

  // MARK: - Values

  private mutating func makeObjects() throws {
    filling.reserve(order.count)
    var place = FileValueReader(in: contents)
    let isRenumbered = contents.isOrderFull
    for (position, entity) in order.enumerated() {
      let row = contents.rows[Int(entity)]
      let use = classes[Int(row.classNumber)]
      guard case .made(let type) = use.fate else {
        if case .carried = use.fate { fates[Int(entity)] = .carried } else { leaveOut(entity) }
        continue
      }
      let id = contents.entities.ids[Int(entity)]
      let object = filling.make(
        type, id: id, sequence: isRenumbered ? UInt64(position) + 1 : row.sequence)
      place.move(to: entity, row)
      if try setFields(of: object, use, &place) {
        fates[Int(entity)] = .made(Int32(filling.objects.count - 1))
      } else {
        filling.removeLast()
        leaveOut(entity)
      }
    }
  }

  private mutating func leaveOut(_ entity: Entity) {
    fates[Int(entity)] = .leftOut
    isChanged = true
  }

  /// Sets the fields of an object.
  ///
  /// - Returns: `false` if the object can't be decoded and its class can be skipped.
  private mutating func setFields(
    of object: Object, _ use: ClassUse, _ place: inout FileValueReader
  ) throws -> Bool {
    for number in use.codecs.indices {
      guard let codec = use.codecs[number] else {
        try place.skip(use.fields[number].kind)
        continue
      }
      do {
        try place.read(number, .value) { reader in
          if try FileContents.skipInitialValue(&reader) { return }
          let start = reader.offset
          do throws(ValueCodingError) {
            try codec.storeNext(&reader, in: object)
          } catch {
            guard isMigrating else { throw error }
            reader.move(to: start..<reader.bytes.count)
            try FileContents.skip(.value, &reader)
          }
        }
      } catch {
        if use.isSkippable { return false }
        throw GraphDecodingError(
          className: use.name, property: use.fields[number].name, reason: .malformed("\(error)"))
      }
    }
    return true
  }

  // MARK: - Owners

  /// Removes the embedded objects whose owner wasn't created, and carries those whose owner belongs
  /// to another version of the app.
  ///
  /// Does nothing if all objects were created and all their properties are known.
  private mutating func removeUnowned() throws {
    guard isChanged || contents.hasUnknowns else { return }
    let (owned, parts, claims) = try readOwners()
    var (doomed, next) = ([(Entity, isCarried: Bool)](), 0)
    for entity in order where isEmbedded(entity) && !owned.contains(entity) {
      // The owner belongs to another version, was skipped, or was deleted by a version that lacked
      // the owning property. Otherwise `finish` throws for the missing owner.
      guard claims[entity] != nil || contents.hasUnknowns else { continue }
      doomed.append((entity, claims[entity] ?? false))
    }
    var seen = Set(doomed.map(\.0))
    while next < doomed.count {
      let (entity, isCarried) = doomed[next]
      // A damaged file may have objects that are parts of each other.
      for part in parts[entity] ?? [] where seen.insert(part).inserted {
        doomed.append((part, isCarried))
      }
      next += 1
    }
    if doomed.isEmpty { return }
    for (entity, isCarried) in doomed {
      if isCarried { fates[Int(entity)] = .carried } else { leaveOut(entity) }
    }
    // The positions of the remaining objects change.
    let kept = order.filter { if case .made = fates[Int($0)] { true } else { false } }
    let positions = kept.compactMap { entity in
      if case .made(let position) = fates[Int(entity)] { Int(position) } else { nil }
    }
    filling.keep(positions)
    for (position, entity) in kept.enumerated() { fates[Int(entity)] = .made(Int32(position)) }
  }

  private func isEmbedded(_ entity: Entity) -> Bool {
    guard case .made = fates[Int(entity)] else { return false }
    return classes[Int(contents.rows[Int(entity)].classNumber)].isEmbedded
  }

  /// Reads the owners of the embedded objects.
  ///
  /// - Returns: The embedded objects with an owner in the store; the parts of each object; and, for
  ///   each part whose owner isn't in the store, whether the owner is carried.
  private func readOwners() throws -> (
    owned: Set<Entity>, parts: [Entity: [Entity]], claims: [Entity: Bool]
  ) {
    var (owned, parts, claims) = (Set<Entity>(), [Entity: [Entity]](), [Entity: Bool]())
    var place = FileValueReader(in: contents)
    for entity in order {
      let use = classes[Int(contents.rows[Int(entity)].classNumber)]
      if !use.hasLinks { continue }
      place.move(to: entity, contents.rows[Int(entity)])
      for (number, field) in use.fields.enumerated() {
        for id in try place.carriedValue(number, field.kind).targets {
          guard let target = contents.entities.find(id), isEmbedded(target) else { continue }
          parts[entity, default: []].append(target)
          switch (fates[Int(entity)], field.use) {
          case (.made, .link), (.made, .list): owned.insert(target)
          case (.leftOut, _), (_, .dropped): claims[target] = claims[target] ?? false
          default: claims[target] = true
          }
        }
      }
    }
    return (owned, parts, claims)
  }

  // MARK: - Links

  private mutating func setLinks() throws {
    var place = FileValueReader(in: contents)
    for entity in order {
      let row = contents.rows[Int(entity)]
      let use = classes[Int(row.classNumber)]
      guard case .made(let position) = fates[Int(entity)] else {
        if case .carried = fates[Int(entity)] { try carry(entity, row, use, &place) }
        continue
      }
      if !use.hasLinks && use.unknown.isEmpty { continue }
      let object = made[Int(position)]
      place.move(to: entity, row)
      var unknown: [CarriedValue] = []
      for (number, field) in use.fields.enumerated() {
        switch field.use {
        case .value, .dropped: try place.skip(field.kind)
        case .carried: unknown.append(try place.carriedValue(number, field.kind))
        case .link(let linking):
          let target = try place.read(number, .link) { reader in try contents.ids.target(&reader) }
          let found = try target.flatMap { try find($0, use, field) }
          if target != nil, found == nil { isChanged = true }
          try filling.setLink(linking, of: object, to: found)
        case .list(let linking):
          let members = try place.members(number)
          let found = try members.compactMap { try find($0, use, field) }
          // Later edits refer to positions in the list of the file.
          if found.count < members.count { isChanged = true }
          try filling.setList(linking, of: object, to: found)
        }
      }
      if !unknown.isEmpty { carried.values[object.objectID] = unknown }
    }
  }

  /// Returns the target of a link, or `nil` if it was skipped or deleted.
  private func find(
    _ id: ObjectID, _ use: ClassUse, _ field: ClassUse.Field
  ) throws -> Object? {
    let entity = contents.entities.find(id)
    switch entity.map({ fates[Int($0)] }) ?? .absent {
    case .made(let position): return made[Int(position)]
    case .leftOut: return nil
    case .absent:
      // An app that lacked the property may have deleted the object.
      if contents.hasUnknowns { return nil }
      throw GraphDecodingError(
        className: use.name, property: field.name, reason: .danglingLink)
    case .carried:
      let other = entity.map { classes[Int(contents.rows[Int($0)].classNumber)] }
      if other?.isSkippable ?? true { return nil }
      throw GraphDecodingError(
        className: use.name, property: field.name, reason: .wrongClass(other?.name ?? ""))
    }
  }

  /// Carries an object outside of the store, with its values in the order of its present
  /// description.
  private mutating func carry(
    _ entity: Entity, _ row: FileContents.Row, _ use: ClassUse, _ place: inout FileValueReader
  ) throws {
    let known = use.description.properties.count - use.unknown.count
    var values = use.description.properties.map { CarriedValue(initial: $0.kind) }
    var nextUnknown = known
    place.move(to: entity, row)
    for (number, field) in use.fields.enumerated() {
      let value = try place.carriedValue(number, field.kind)
      switch (use.fate, field.use) {
      case (.made, .carried):
        values[nextUnknown] = value
        nextUnknown += 1
      case (.made, _): if field.number >= 0 { values[field.number] = value }
      default: values[number] = value
      }
    }
    carried.objects.append(
      CarriedObject(
        description: use.description, id: contents.entities.ids[Int(entity)],
        sequence: row.sequence, values: values))
  }
}
