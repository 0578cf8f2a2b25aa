internal import Signals

/// The description of a class in a file: how the values of its objects follow each other.
struct StoredClass: Equatable {
  /// The form of a property's value.
  enum Kind: UInt8 {
    /// A value in the form of ``ValueCoding``.
    case value
    /// The id of an object, or none.
    case link
    /// The ids of objects, in order.
    case list
  }

  struct StoredProperty: Equatable {
    let name: String
    let kind: Kind
  }

  let className: ClassName
  /// Whether objects that can't be decoded are left out.
  let isSkippedIfUndecodable: Bool
  let properties: [StoredProperty]
  /// The number of the last properties that the app that described the class didn't have.
  let unknownCount: Int
  /// Whether that app didn't have the class.
  let isUnknown: Bool

  /// Creates the description of a class as it is in this process.
  ///
  /// - Parameters:
  ///   - schema: The class.
  ///   - unknown: The properties that another version of the app has stored, which the class lacks.
  init(_ schema: Schema, unknown: [StoredProperty] = []) {
    className = ClassName(schema.type)
    isSkippedIfUndecodable = schema.type.isSkippedIfUndecodable
    properties =
      schema.encodedProperties.map { StoredProperty(name: $0.name, kind: Kind($0.role)) } + unknown
    (unknownCount, isUnknown) = (unknown.count, false)
  }

  /// Creates the description of a class that this process lacks.
  init(unknown stored: StoredClass) {
    className = stored.className
    isSkippedIfUndecodable = stored.isSkippedIfUndecodable
    properties = stored.properties
    (unknownCount, isUnknown) = (0, true)
  }

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

  init(from reader: inout ByteReader) throws(ByteError) {
    className = ClassName(name: try reader.readText(), symbol: try reader.readText())
    isSkippedIfUndecodable = try Self.readNumber(below: 2, &reader) == 1
    isUnknown = try Self.readNumber(below: 2, &reader) == 1
    let place = reader.offset
    let unknown = try reader.readVarint()
    let count = try reader.readCount(ofSize: 2)
    var properties: [StoredProperty] = []
    properties.reserveCapacity(count)
    for _ in 0..<count {
      let name = try reader.readText()
      let number = try Self.readNumber(below: 3, &reader)
      properties.append(StoredProperty(name: name, kind: Kind(rawValue: number) ?? .value))
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

extension StoredClass.Kind {
  fileprivate init(_ role: PropertyRole) {
    self =
      switch role {
      case .link: .link
      case .links: .list
      case .field, .primaryKey, .indexed, .inverse: .value
      }
  }
}
