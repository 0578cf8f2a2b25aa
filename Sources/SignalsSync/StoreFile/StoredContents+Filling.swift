// Making the objects of a file.
//
// Order of events: the file's classes are matched with those of this process; all objects are made,
// and their fields are set; if anything is left out or carried, the embedded objects that lose
// their owner are found, and share its fate; links and lists are set; the migrations run; then the
// store takes the objects, and checks primary keys and owners.
//
// State of a `ContentsFilling`: `fates`, by entity, the position of the object among those made, or
// why there is none; `isChanged`, whether the file has to be written again: it has a class that
// isn't described as it is now, or an object that is left out.

internal import Signals

/// The objects of a file, as they are made.
struct ContentsFilling {
  private enum Fate {
    case absent, carried, leftOut
    case made(Int32)
  }

  let contents: StoredContents
  let classes: [ClassUse]
  let isMigrating: Bool
  private(set) var filling: StoreFilling
  private(set) var carried = CarriedContents()
  private(set) var isChanged: Bool
  let order: [Entity]
  /// The objects, at the positions of `fates`; a migration may change those of `filling`.
  private(set) var made: ContiguousArray<Object> = []
  private var fates: ContiguousArray<Fate>

  /// Matches the classes of a file with those of this process.
  ///
  /// - Parameters:
  ///   - contents: The contents of the file.
  ///   - renamed: The present classes of those that had other names, by these.
  ///   - isMigrating: Whether migrations follow.
  ///   - filling: The new store.
  init(
    _ contents: StoredContents, renamed: [String: Object.Type], isMigrating: Bool,
    into filling: StoreFilling
  ) throws(StoreFileError) {
    (self.contents, self.isMigrating, self.filling) = (contents, isMigrating, filling)
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
    _ contents: StoredContents, as classes: [ClassUse]
  ) throws(StoreFileError) {
    var unknown: String?
    for use in classes where !use.isSkippable {
      if use.isMade { return }
      unknown = unknown ?? use.name
    }
    guard let unknown, contents.count > 0 else { return }
    throw .objects(GraphDecodingError(className: unknown, reason: .unknownClass))
  }

  /// Makes the objects, with their values, links and lists.
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
      throw StoreFileError(decoding: error)
    }
  }

  /// Runs a migration.
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

  /// Stores the objects.
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

  /// The object of an entity, if it is made.
  func object(_ entity: Entity) -> Object? {
    guard case .made(let position) = fates[Int(entity)] else { return nil }
    return made[Int(position)]
  }

  // MARK: - Values

  private mutating func makeObjects() throws {
    filling.reserve(order.count)
    var place = StoredPlace(in: contents)
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
  /// - Returns: Whether it can be decoded, or must be.
  private mutating func setFields(
    of object: Object, _ use: ClassUse, _ place: inout StoredPlace
  ) throws -> Bool {
    for number in use.codecs.indices {
      guard let codec = use.codecs[number] else {
        try place.skip(use.fields[number].kind)
        continue
      }
      do {
        try place.read(number, .value) { reader in
          if try StoredContents.skipInitialValue(&reader) { return }
          let start = reader.offset
          do throws(ValueCodingError) {
            try codec.storeNext(&reader, in: object)
          } catch {
            guard isMigrating else { throw error }
            reader.move(to: start..<reader.bytes.count)
            try StoredContents.skip(.value, &reader)
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

  /// Removes the embedded objects whose owner isn't made, and carries those that other versions own.
  ///
  /// Does nothing if all objects are made and all their properties are known.
  private mutating func removeUnowned() throws {
    guard isChanged || contents.hasUnknowns else { return }
    let (owned, parts, claims) = try readOwners()
    var (doomed, next) = ([(Entity, isCarried: Bool)](), 0)
    for entity in order where isEmbedded(entity) && !owned.contains(entity) {
      // Another version owns it, or the owner was left out, or was deleted by a version that didn't
      // know of the part. Without such a reason, `finish` reports it.
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
    // The positions of the others change.
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

  /// Reads which embedded objects have an owner in the store, the parts of each object, and which
  /// have an owner outside of it: whether that is carried.
  private func readOwners() throws -> (
    owned: Set<Entity>, parts: [Entity: [Entity]], claims: [Entity: Bool]
  ) {
    var (owned, parts, claims) = (Set<Entity>(), [Entity: [Entity]](), [Entity: Bool]())
    var place = StoredPlace(in: contents)
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
    var place = StoredPlace(in: contents)
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
          let target = try place.read(number, .link) { reader in try contents.target(&reader) }
          let found = try target.flatMap { try find($0, use, field) }
          if target != nil, found == nil { isChanged = true }
          try filling.setLink(linking, of: object, to: found)
        case .list(let linking):
          let members = try place.members(number)
          let found = try members.compactMap { try find($0, use, field) }
          // Later edits name positions in the list that the file has.
          if found.count < members.count { isChanged = true }
          try filling.setList(linking, of: object, to: found)
        }
      }
      if !unknown.isEmpty { carried.values[object.objectID] = unknown }
    }
  }

  /// Returns the target of a link, or nil if it was left out.
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

  /// Keeps an object outside of the store, in the form of its present description.
  private mutating func carry(
    _ entity: Entity, _ row: StoredContents.Row, _ use: ClassUse, _ place: inout StoredPlace
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
