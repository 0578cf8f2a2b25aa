// The encoded form of a snapshot:
//
//     {
//       "version": 1,
//       "replicas": [7045…],
//       "classes": [        (expendable classes also have "expendable": true)
//         {"class": {"name": "Book", "symbol": "3App4BookC"},
//          "properties": [{"name": "title", "kind": "value"}, {"name": "author", "kind": "link"}]}
//       ],
//       "objects": [[0, 0, 12, "Emma", 1], …]
//     }
//
// Objects are in the order in which they were added. Each is an array: the positions of its class
// and its replica in the lists above, its counter, and its values in the order of the class's
// properties. A link is the position of its target among the objects, or null. A list is an array
// of such positions.

extension Snapshot: Codable {
  enum CodingKeys: CodingKey { case version, replicas, classes, objects }

  /// The version of the format that is written.
  static let version = 1

  /// Decodes a snapshot, and checks it completely.
  ///
  /// This process must have the classes, which are found as for a ``ChangeSet``. Fields may have
  /// changed since the snapshot was encoded:
  ///
  /// - An added field gets the value that `init()` gives it; an added link or list is empty.
  /// - A removed property is ignored, and embedded objects that it owned are removed.
  /// - A renamed property is found by ``Object/renamed``.
  ///
  /// An object of an ``Object/isSkippedIfUndecodable`` class is left out if it can't be read: one
  /// of its values can't be decoded, its properties have changed their kind, or its class no longer
  /// exists. Links to it are then nil, lists leave it out, and embedded objects that it owned are
  /// removed.
  ///
  /// - Parameter decoder: The decoder to read from.
  /// - Throws: A ``GraphDecodingError`` that names class, property and place, if anything else is
  ///   missing or has a wrong type; if a link leads nowhere or to a wrong class; if an id or
  ///   primary key occurs twice; if an embedded object doesn't have exactly one owner; or if a
  ///   value's decoder throws. Input that the decoder itself can't read, such as text that isn't
  ///   JSON, is reported by the decoder's own error.
  /// - Complexity: O(n log n).
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
  /// The output is deterministic: it doesn't depend on memory addresses or hashes.
  ///
  /// - Parameter encoder: The encoder to write to.
  /// - Throws: An `EncodingError` that names the object and the property of a value that can't be
  ///   encoded, or another error of the encoder.
  /// - Complexity: O(n log n).
  public func encode(to encoder: any Encoder) throws {
    let locations = core.rowsInOrder()
    var positions: [ContiguousArray<Int>] = core.tables.map { _ in [] }
    var (classes, replicas) = ([Int](), [UInt64]())
    var classNumbers: [Int: Int] = [:]
    var replicaNumbers: [UInt64: Int] = [:]
    for (position, location) in locations.enumerated() {
      let (table, slot) = (Int(location.table), Int(location.slot))
      let missing = slot + 1 - positions[table].count
      if missing > 0 { positions[table].append(contentsOf: repeatElement(-1, count: missing)) }
      positions[table][slot] = position
      if classNumbers[table] == nil {
        classNumbers[table] = classes.count
        classes.append(table)
      }
      guard let replica = core.id(location)?.replica, replicaNumbers[replica] == nil else {
        continue
      }
      replicaNumbers[replica] = replicas.count
      replicas.append(replica)
    }
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(Self.version, forKey: .version)
    try container.encode(replicas, forKey: .replicas)
    try container.encode(
      classes.map { EncodedClass(core.tables[$0].shape) }, forKey: .classes)
    var objects = container.nestedUnkeyedContainer(forKey: .objects)
    for location in locations {
      guard let row = core.row(location), let number = classNumbers[Int(location.table)] else {
        continue
      }
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
        default:
          do { try column.encode(row.value(column), to: &values) } catch {
            throw EncodingError(
              error, column.encodedValue(at: row.value(column)),
              of: row.subject(column.property.name), at: values.codingPath)
          }
        }
      }
    }
  }
}

/// The encoded description of a class.
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
  /// Nil means false, and isn't encoded.
  private let expendable: Bool?

  /// Whether the class was expendable when it was encoded, which is needed if it no longer exists.
  var isSkippedIfUndecodable: Bool { expendable ?? false }

  init(_ shape: SnapshotShape) {
    className = ClassName(shape.type)
    expendable = shape.type.isSkippedIfUndecodable ? true : nil
    properties = shape.columns.map { Property(name: $0.property.name, kind: $0.property.kind) }
  }
}

extension Property {
  /// The representation of the values of the property in a snapshot.
  var kind: EncodedClass.Property.Kind {
    switch role {
    case .link: .link
    case .links: .list
    case .field, .primaryKey, .indexed, .inverse: .value
    }
  }
}
