internal import Signals

/// The description of a class in a file, which determines the layout of its objects.
struct FileClass: Equatable {
  /// The form of a property's value.
  enum Kind: UInt8 {
    /// A value in the form of ``ValueCoding``.
    case value
    /// The id of an object, or none.
    case link
    /// The ids of objects, in order.
    case list
  }

  /// The name of a property, and the form of its values.
  struct Property: Equatable {
    let name: String
    let kind: Kind
  }

  let className: ClassName
  /// Whether objects that can't be decoded are skipped.
  let isSkippedIfUndecodable: Bool
  let properties: [Property]
  /// The number of properties, at the end, that the describing version of the app lacked.
  let unknownCount: Int
  /// Whether the describing version of the app lacked the class.
  let isUnknown: Bool

  /// Creates the description of a class of this process.
  ///
  /// - Parameters:
  ///   - schema: The class.
  ///   - unknown: The properties, stored by another version of the app, that the class lacks.
  init(_ schema: Schema, unknown: [Property] = []) {
    className = ClassName(schema.type)
    isSkippedIfUndecodable = schema.type.isSkippedIfUndecodable
    properties =
      schema.encodedProperties.map { Property(name: $0.name, kind: Kind($0.role)) } + unknown
    (unknownCount, isUnknown) = (unknown.count, false)
  }

  /// Creates the description of a class that this process lacks.
  init(unknown stored: FileClass) {
    className = stored.className
    isSkippedIfUndecodable = stored.isSkippedIfUndecodable
    properties = stored.properties
    (unknownCount, isUnknown) = (0, true)
  }

  /// Appends the encoded description.
  func write(to writer: inout ByteWriter) {
    writer.writeText(className.name)
    writer.writeText(className.symbol)
    writer.write(isSkippedIfUndecodable ? 1 : 0)
    writer.write(isUnknown ? 1 : 0)
    writer.writeVarint(UInt64(unknownCount))
    writer.writeVarint(UInt64(properties.count))
    for property in properties {
      writer.writeText(property.name)
      writer.write(property.kind.rawValue)
    }
  }

  /// Reads an encoded description.
  init(from reader: inout ByteReader) throws(ByteError) {
    className = ClassName(name: try reader.readText(), symbol: try reader.readText())
    isSkippedIfUndecodable = try Self.readNumber(below: 2, &reader) == 1
    isUnknown = try Self.readNumber(below: 2, &reader) == 1
    let place = reader.offset
    let unknown = try reader.readVarint()
    let count = try reader.readCount(ofSize: 2)
    var properties: [Property] = []
    properties.reserveCapacity(count)
    for _ in 0..<count {
      let name = try reader.readText()
      let number = try Self.readNumber(below: 3, &reader)
      properties.append(Property(name: name, kind: Kind(rawValue: number) ?? .value))
    }
    guard unknown <= UInt64(count) else { throw .invalidNumber(offset: place) }
    (self.properties, unknownCount) = (properties, Int(unknown))
  }

  private static func readNumber(
    below limit: UInt8, _ reader: inout ByteReader
  ) throws(ByteError) -> UInt8 {
    let offset = reader.offset
    let number = try reader.read()
    guard number < limit else { throw .invalidNumber(offset: offset) }
    return number
  }
}

extension FileClass.Kind {
  fileprivate init(_ role: PropertyRole) {
    self =
      switch role {
      case .link: .link
      case .links: .list
      case .field, .primaryKey, .indexed, .inverse: .value
      }
  }
}
