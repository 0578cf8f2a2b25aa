// The encoded form: an object of changes, each with the class and with the old and new values by
// property name.

extension Origin: Codable {
  /// Decodes the origin's name.
  ///
  /// - Parameter decoder: The decoder to read from.
  /// - Throws: The decoder's error.
  public init(from decoder: any Decoder) throws {
    self.init(try decoder.singleValueContainer().decode(String.self))
  }

  /// Encodes the origin's name.
  ///
  /// - Parameter encoder: The encoder to write to.
  /// - Throws: An `EncodingError` that names the object and the property of a value that can't be
  ///   encoded, or another error of the encoder.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(name)
  }
}

extension ChangeSet: Codable {
  private enum CodingKeys: CodingKey { case origin, changes }

  /// Decodes a change set.
  ///
  /// - This process must have the classes. A class is found by its name; a private class is found
  ///   if this process has stored an object of it.
  /// - A property that was renamed since is found by ``Object/renamed``. A property that was
  ///   removed is an error, because part of the change would be lost silently.
  /// - If a change of an ``Object/isSkippedIfUndecodable`` object can't be read, it is left out. A
  ///   link to that object is then a conflict when the change set is applied, like any link to a
  ///   missing object.
  /// - No store is changed.
  ///
  /// - Parameter decoder: The decoder to read from.
  /// - Throws: A ``GraphDecodingError`` that names class, property and place.
  public init(from decoder: any Decoder) throws {
    do {
      let container = try decoder.container(keyedBy: CodingKeys.self)
      let changes = try container.decode([Readable].self, forKey: .changes).compactMap(\.change)
      var seen: Set<ObjectID> = []
      for change in changes where !seen.insert(change.id).inserted {
        throw GraphDecodingError(
          className: change.className, codingPath: decoder.codingPath,
          reason: .malformed("\(change.id) is changed twice"))
      }
      self.init(changes, origin: try container.decodeIfPresent(Origin.self, forKey: .origin))
    } catch let error as GraphDecodingError {
      throw error
    } catch {
      throw GraphDecodingError(error, className: nil, decoder.codingPath)
    }
  }

  /// A change, or nil if it can't be read and is expendable.
  private struct Readable: Decodable {
    let change: ObjectChange?

    init(from decoder: any Decoder) throws {
      do { change = try ObjectChange(from: decoder) } catch {
        guard ObjectChange.canIgnore(error, in: decoder) else { throw error }
        change = nil
      }
    }
  }

  /// Encodes the origin and the changes.
  ///
  /// - Parameter encoder: The encoder to write to.
  /// - Throws: An `EncodingError` that names the object and the property of a value that can't be
  ///   encoded, or another error of the encoder.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encodeIfPresent(origin, forKey: .origin)
    try container.encode(changes, forKey: .changes)
  }
}

extension ObjectChange: Codable {
  private enum CodingKeys: String, CodingKey {
    case id, kind, old, new, expendable, derived
    case type = "class"
  }

  /// Decodes the change of one object, under the rules of ``ChangeSet``.
  ///
  /// - Parameter decoder: The decoder to read from.
  /// - Throws: The decoder's error.
  public init(from decoder: any Decoder) throws { try self.init(from: decoder, isPartial: false) }

  /// Decodes the change of one object.
  ///
  /// - Parameters:
  ///   - decoder: The decoder.
  ///   - isPartial: Whether properties may lack their old or new value, and properties with a value
  ///     that can't be decoded are left out.
  init(from decoder: any Decoder, isPartial: Bool) throws {
    var name: String?
    do {
      let container = try decoder.container(keyedBy: CodingKeys.self)
      let className = try container.decode(ClassName.self, forKey: .type)
      name = className.name
      guard let type = className.type else {
        throw GraphDecodingError(
          className: name, codingPath: container.codingPath, reason: .unknownClass)
      }
      let kind = try container.decode(Kind.self, forKey: .kind)
      let id = try container.decode(ObjectID.self, forKey: .id)
      let schema = Schema.shared(of: type)
      var unreadable: Set<String> = []
      func values(_ key: CodingKeys) throws -> [String: any FieldValue] {
        guard container.contains(key) else { return [:] }
        let values = try schema.decodeValues(
          from: container.superDecoder(forKey: key),
          skip: isPartial ? { unreadable.insert($0) } : nil)
        return Dictionary(values.map { ($0.property.name, $0.value) }) { first, _ in first }
      }
      let old = try kind == .inserted ? [:] : values(.old)
      let new = try kind == .deleted ? [:] : values(.new)
      let properties = try schema.encodedProperties.compactMap { property -> Property? in
        let (old, new) = (old[property.name], new[property.name])
        if old == nil && new == nil || unreadable.contains(property.name) { return nil }
        if !isPartial && kind == .modified && (old == nil || new == nil) {
          throw GraphDecodingError(
            className: name, property: property.name, codingPath: container.codingPath,
            reason: .missingValue)
        }
        return Property(name: property.name, old: old, new: new)
      }
      // Data of earlier versions has no such mark.
      let isDerived = try container.decodeIfPresent(Bool.self, forKey: .derived) ?? false
      self.init(id: id, kind: kind, properties: properties, type: type, isDerived: isDerived)
    } catch let error as GraphDecodingError {
      throw error
    } catch {
      throw GraphDecodingError(error, className: name, decoder.codingPath)
    }
  }

  /// Whether the error can be ignored: the class no longer exists and was expendable, or an
  /// expendable class has a value or property that can't be read.
  fileprivate static func canIgnore(_ error: any Error, in decoder: any Decoder) -> Bool {
    guard let error = error as? GraphDecodingError,
      let container = try? decoder.container(keyedBy: CodingKeys.self),
      let name = try? container.decode(ClassName.self, forKey: .type)
    else { return false }
    guard let type = name.type else {
      return (try? container.decodeIfPresent(Bool.self, forKey: .expendable)) == true
    }
    return type.isSkippedIfUndecodable && error.property != nil && error.reason != .missingValue
  }

  /// Encodes the change of one object, as part of a ``ChangeSet``.
  ///
  /// - Parameter encoder: The encoder to write to.
  /// - Throws: An `EncodingError` that names the object and the property of a value that can't be
  ///   encoded, or another error of the encoder.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(id, forKey: .id)
    try container.encode(kind, forKey: .kind)
    try container.encode(ClassName(type), forKey: .type)
    if isDerived { try container.encode(true, forKey: .derived) }
    if type.isSkippedIfUndecodable { try container.encode(true, forKey: .expendable) }
    let old = properties.compactMap { property in property.old.map { (property.name, $0) } }
    let new = properties.compactMap { property in property.new.map { (property.name, $0) } }
    let key = primaryKey.flatMap { $0.new ?? $0.old }.map { (primaryKey?.name ?? "", $0) }
    func subject(_ property: String) -> StoreError.Subject {
      StoreError.Subject(id, className: className, property: property, key: key)
    }
    if kind != .inserted {
      try Schema.encode(old, to: container.superEncoder(forKey: .old), of: subject)
    }
    if kind != .deleted {
      try Schema.encode(new, to: container.superEncoder(forKey: .new), of: subject)
    }
  }
}
