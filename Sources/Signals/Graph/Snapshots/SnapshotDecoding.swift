// Decoding a snapshot. The input isn't trusted.
//
// Order of events: the classes are read, and their properties are matched with those of the
// process; the objects are read one by one, with their links as positions; once all objects exist,
// links and lists are resolved; then the invariants between objects are checked
// (SnapshotDecoding+Checks.swift). Rows are decoded into their final memory, and a row is counted
// when it is complete. No count in the input determines an allocation: memory grows only with the
// values read.
//
// An object of an expendable class that can't be read is left out. It keeps its position, without a
// location, and the embedded objects that it owned are removed, as with a property that no longer
// exists.

/// A position in an array of the input, as a coding key.
struct PositionKey: CodingKey {
  let intValue: Int?
  var stringValue: String { "Index \(intValue ?? 0)" }

  init(intValue: Int) { self.intValue = intValue }
  init?(stringValue: String) { nil }
}

/// Any value; it is skipped.
struct Ignored: Decodable {
  init(from decoder: any Decoder) {}
}

/// The decoding of one snapshot.
struct SnapshotDecoding {
  /// A class of the input, and how its values are used.
  struct Class {
    enum Use {
      case column(Int)
      /// A link or list of objects; the class no longer has the property.
      case ignoredLink
      case ignoredList
      case ignored
    }

    let shape: SnapshotShape
    let uses: [Use]
    /// The columns without values in the input.
    let added: [SnapshotColumn]
    /// For each column, the position of its value in an object of the input.
    let positions: [Int]
  }

  /// An entry of the list of classes.
  enum Entry {
    /// The number of a class.
    case known(Int)
    /// An expendable class whose objects are left out, and how to skip their values.
    case leftOut(name: String, [Class.Use])
  }

  /// A link or list of an object, with its targets as positions among the objects.
  struct PendingLinks {
    let object: Int
    let column: Int
    let targets: [Int]
  }

  let container: KeyedDecodingContainer<Snapshot.CodingKeys>
  let path: [any CodingKey]
  var entries: [Entry] = []
  var classes: [Class] = []
  var replicas: [UInt64] = []
  var leaves: [[SnapshotNode]] = []
  var counts: [Int] = []
  /// The location of each object's row; `.none` if the object was left out.
  var locations: [SnapshotLocation] = []
  var pending: [PendingLinks] = []
  /// The targets of dropped links: of properties that no longer exist, and of objects that were
  /// left out.
  var released: Set<Int> = []

  init(_ decoder: any Decoder) throws {
    path = decoder.codingPath
    container = try decoder.container(keyedBy: Snapshot.CodingKeys.self)
  }

  mutating func run() throws -> SnapshotCore {
    let version = try container.decode(Int.self, forKey: .version)
    guard version == Snapshot.version else {
      throw GraphDecodingError(
        className: nil, codingPath: path + [Snapshot.CodingKeys.version],
        reason: .unsupportedVersion(version))
    }
    replicas = try container.decode([UInt64].self, forKey: .replicas)
    try readClasses()
    try readObjects()
    try resolve()
    let doomed = try check()
    var tables = zip(classes.indices, leaves).map { number, leaves in
      // The last leaf may have been made for an object that was left out.
      let filled = (counts[number] + SnapshotNode.rows - 1) / SnapshotNode.rows
      return SnapshotTable(
        classes[number].shape, leaves: Array(leaves[..<filled]), count: counts[number])
    }
    for object in doomed {
      let location = locations[object]
      tables[Int(location.table)].update(Int(location.slot), to: nil, isNew: false) { _ in nil }
    }
    return SnapshotCore(tables)
  }

  /// The row of an object.
  func row(_ object: Int) -> SnapshotRow {
    let location = locations[object]
    let slot = Int(location.slot)
    return SnapshotRow(
      leaf: leaves[Int(location.table)][slot / SnapshotNode.rows], slot: slot % SnapshotNode.rows)
  }

  /// The coding path of an object or of one of its values.
  func path(to object: Int, _ column: Int? = nil) -> [any CodingKey] {
    let position = column.map { classes[Int(locations[object].table)].positions[$0] + 3 }
    return path + [Snapshot.CodingKeys.objects, PositionKey(intValue: object)]
      + (position.map { [PositionKey(intValue: $0)] } ?? [])
  }

  // MARK: - Classes

  private mutating func readClasses() throws {
    var list = try container.nestedUnkeyedContainer(forKey: .classes)
    var seen: Set<ObjectIdentifier> = []
    while !list.isAtEnd {
      let path = list.codingPath + [PositionKey(intValue: list.currentIndex)]
      let encoded = try list.decode(EncodedClass.self)
      let name = encoded.className.name
      func fail(_ reason: GraphDecodingError.Reason, _ property: String? = nil) -> any Error {
        GraphDecodingError(
          className: name, property: property, codingPath: path, reason: reason)
      }
      guard let type = encoded.className.type else {
        guard encoded.isSkippedIfUndecodable else { throw fail(.unknownClass) }
        let uses = encoded.properties.map { Class.Use(ignoring: $0.kind) }
        entries.append(.leftOut(name: name, uses))
        continue
      }
      guard seen.insert(ObjectIdentifier(type)).inserted else {
        throw fail(.malformed("the class is there twice"))
      }
      let shape = SnapshotShape.of(type)
      if shape.isEmbedded, shape.primaryKey != nil {
        throw fail(.malformed("an embedded object can't have a primary key"))
      }
      let uses = encoded.properties.map { Class.Use(ignoring: $0.kind) }
      guard let matched = try match(encoded.properties, uses, with: shape, fail) else {
        entries.append(.leftOut(name: name, uses))
        continue
      }
      entries.append(.known(classes.count))
      classes.append(matched)
      leaves.append([])
      counts.append(0)
    }
  }

  /// Matches the properties of a class with those of the input; nil if they don't match and the
  /// class is expendable.
  private func match(
    _ properties: [EncodedClass.Property], _ ignored: [Class.Use], with shape: SnapshotShape,
    _ fail: (GraphDecodingError.Reason, String?) -> any Error
  ) throws -> Class? {
    var numbers: [String: Int] = [:]
    for (number, property) in properties.enumerated() {
      if numbers.updateValue(number, forKey: property.name) != nil {
        throw fail(.malformed("the property is there twice"), property.name)
      }
    }
    var uses = ignored
    var positions = [Int](repeating: -1, count: shape.columns.count)
    let names = shape.schema.encodedNames(among: Set(numbers.keys))
    for column in shape.columns.indices {
      let property = shape.columns[column].property
      guard let number = names[property.name].flatMap({ numbers[$0] }) else { continue }
      guard properties[number].kind == property.kind else {
        if shape.type.isSkippedIfUndecodable { return nil }
        throw fail(
          .malformed("a \(properties[number].kind), where the class has a \(property.kind)"),
          property.name)
      }
      uses[number] = .column(column)
      positions[column] = number
    }
    let added = shape.columns.indices.filter { positions[$0] < 0 }.map { shape.columns[$0] }
    return Class(shape: shape, uses: uses, added: added, positions: positions)
  }

  // MARK: - Links

  /// Resolves the targets of links and lists to rows.
  private func resolve() throws {
    for links in pending {
      let row = row(links.object)
      let column = row.shape.columns[links.column]
      for target in links.targets {
        guard locations.indices.contains(target) else {
          throw failure(links.object, links.column, .danglingLink)
        }
        if locations[target] == .none { continue }
        let type = classes[Int(locations[target].table)].shape.type
        guard type.isSubclass(of: column.property.targetType) else {
          throw failure(links.object, links.column, .wrongClass(String(describing: type)))
        }
      }
      let value = row.value(column)
      if column.property.kind == .list {
        let members = ListColumn.Members(links.targets.map { locations[$0] }.filter { $0 != .none })
        value.members.pointee = members
      } else {
        value.location.pointee = locations[links.targets[0]]
      }
    }
  }

  /// An error at an object that wasn't left out, or at one of its values.
  func failure(
    _ object: Int, _ column: Int?, _ reason: GraphDecodingError.Reason
  ) -> GraphDecodingError {
    let shape = classes[Int(locations[object].table)].shape
    return GraphDecodingError(
      className: shape.name, property: column.map { shape.columns[$0].property.name },
      codingPath: path(to: object, column), reason: reason)
  }
}

extension SnapshotDecoding.Class.Use {
  /// The way to skip a value of the given kind.
  init(ignoring kind: EncodedClass.Property.Kind) {
    self =
      switch kind {
      case .value: .ignored
      case .link: .ignoredLink
      case .list: .ignoredList
      }
  }

  /// The same use for an object that is left out.
  func ignoring(_ shape: SnapshotShape) -> Self {
    guard case .column(let number) = self else { return self }
    return Self(ignoring: shape.columns[number].property.kind)
  }
}
