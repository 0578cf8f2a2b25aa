// The encoded form of a snapshot:
//
//     {
//       "version": 1,
//       "replicas": [7045…],
//       "classes": [        (those that can be done without have "expendable": true)
//         {"class": {"name": "Book", "symbol": "3App4BookC"},
//          "properties": [{"name": "title", "kind": "value"}, {"name": "author", "kind": "link"}]}
//       ],
//       "objects": [[0, 0, 12, "Emma", 1], …]
//     }
//
// Objects stand in the order in which they were added. Each is an array: its class and its replica, as
// positions in the lists above, its counter, and its values in the order of the class's properties. A
// link is the position of its target among the objects, or null; a list is an array of such positions.

extension Snapshot: Codable {
  enum CodingKeys: CodingKey { case version, replicas, classes, objects }

  /// The version of the format that is written.
  static let version = 1

  /// Decodes a snapshot, whose classes this process must have, and checks everything.
  ///
  /// Fields may have changed since it was encoded: one that was added gets the value that `init()` gives
  /// it, and a link or list that was added is empty; one that was removed is ignored, and embedded
  /// objects that it owned go; one that was renamed is found by ``Object/renamed``. Classes are found as
  /// a ``ChangeSet`` finds them.
  ///
  /// An object of a class that ``Object/isExpendable`` is left out where it can't be read: a value of it can't
  /// be, its properties are of other kinds, or the class itself is no more. Links to it lead nowhere then,
  /// lists go without it, and embedded objects that it owned go.
  ///
  /// Throws a ``GraphDecodingError`` that names class, property and place for whatever else is missing or of a
  /// wrong type, a link that leads nowhere or to a wrong class, an id or primary key that is there twice,
  /// an embedded object that has no owner, or two, and for what a value's own decoder throws. What the
  /// decoder itself can't read, such as a text that is no JSON, it reports its own way. O(n log n).
  public init(from decoder: any Decoder) throws {
    do {
      var decoding = try SnapshotDecoding(decoder)
      self.init(core: try decoding.run())
    } catch let error as GraphDecodingError {
      throw error
    } catch {
      throw GraphDecodingError(error, className: nil, decoder.codingPath)
    }
  }

  /// Encodes the snapshot.
  ///
  /// Equal input gives equal output: nothing depends on memory or on hashes. Throws what the encoder or a
  /// value does. O(n log n).
  public func encode(to encoder: any Encoder) throws {
    let places = core.rowsInOrder()
    var positions: [ContiguousArray<Int>] = core.tables.map { _ in [] }
    var (classes, replicas) = ([Int](), [UInt64]())
    var classNumbers: [Int: Int] = [:]
    var replicaNumbers: [UInt64: Int] = [:]
    for (position, place) in places.enumerated() {
      let (table, slot) = (Int(place.table), Int(place.slot))
      let missing = slot + 1 - positions[table].count
      if missing > 0 { positions[table].append(contentsOf: repeatElement(-1, count: missing)) }
      positions[table][slot] = position
      if classNumbers[table] == nil {
        classNumbers[table] = classes.count
        classes.append(table)
      }
      guard let replica = core.id(place)?.replica, replicaNumbers[replica] == nil else { continue }
      replicaNumbers[replica] = replicas.count
      replicas.append(replica)
    }
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(Self.version, forKey: .version)
    try container.encode(replicas, forKey: .replicas)
    try container.encode(
      classes.map { EncodedClass(core.tables[$0].shape) }, forKey: .classes)
    var objects = container.nestedUnkeyedContainer(forKey: .objects)
    for place in places {
      guard let row = core.row(place), let number = classNumbers[Int(place.table)] else { continue }
      var values: any UnkeyedEncodingContainer = objects.nestedUnkeyedContainer()
      try values.encode(number)
      try values.encode(replicaNumbers[row.id.replica] ?? 0)
      try values.encode(row.id.counter)
      for column in row.shape.columns {
        switch column {
        case let column as LinkColumn:
          let target = row.target(column)
          if target == .none {
            try values.encodeNil()
          } else {
            try values.encode(positions[Int(target.table)][Int(target.slot)])
          }
        case let column as ListColumn:
          try values.encode(
            row.members(column).map { positions[Int($0.table)][Int($0.slot)] })
        default: try unsafe column.encode(row.value(column), to: &values)
        }
      }
    }
  }
}

/// A class as a snapshot has it.
struct EncodedClass: Codable {
  struct Property: Codable {
    enum Kind: String, Codable { case value, link, list }

    let name: String
    let kind: Kind
  }

  enum CodingKeys: String, CodingKey {
    case className = "class"
    case properties
    case expendable
  }

  let className: ClassName
  let properties: [Property]
  /// Nil stands for false, and is not written.
  private let expendable: Bool?

  /// What the class said of itself when it was written, for when it is no more.
  var isExpendable: Bool { expendable ?? false }

  init(_ shape: SnapshotShape) {
    className = ClassName(shape.type)
    expendable = shape.type.isExpendable ? true : nil
    properties = shape.columns.map { Property(name: $0.property.name, kind: $0.property.kind) }
  }
}

extension Property {
  /// How a snapshot holds its values.
  var kind: EncodedClass.Property.Kind {
    switch role {
    case .link: .link
    case .links: .list
    case .field, .primaryKey, .indexed, .inverse: .value
    }
  }
}
