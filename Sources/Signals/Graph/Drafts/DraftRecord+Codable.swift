// The encoded form of a draft: its objects, each with its class and its values by name.
//
// The input isn't trusted. The value of a property that no longer exists, or whose type no longer
// matches, is left out; the property then counts as unedited. If a class no longer exists, the
// whole record is unreadable.

extension DraftRecord: Codable {
  private enum CodingKeys: CodingKey { case isRefused, isNew, parts }

  init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    isRefused = try container.decodeIfPresent(Bool.self, forKey: .isRefused) ?? false
    isNew = try container.decodeIfPresent(Bool.self, forKey: .isNew) ?? false
    parts = try container.decodeIfPresent([Part].self, forKey: .parts) ?? []
  }

  func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    if isRefused { try container.encode(true, forKey: .isRefused) }
    if isNew { try container.encode(true, forKey: .isNew) }
    if !parts.isEmpty { try container.encode(parts, forKey: .parts) }
  }
}

extension DraftRecord.Part: Codable {
  private enum CodingKeys: String, CodingKey {
    case id, base, mine, typed
    case type = "class"
  }

  init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    let name = try container.decode(ClassName.self, forKey: .type)
    guard let type = name.type else {
      throw GraphDecodingError(
        className: name.name, codingPath: container.codingPath, reason: .unknownClass)
    }
    let schema = Schema(of: type)
    var unreadable: Set<String> = []
    func values(_ key: CodingKeys) throws -> [DraftRecord.Value] {
      try schema.decodeDraftValues(
        from: container.nestedContainer(keyedBy: NameKey.self, forKey: key), &unreadable)
    }
    let base = try container.contains(.base) ? values(.base) : nil
    let mine = try container.contains(.mine) ? values(.mine) : []
    self.type = type
    id = try container.decodeIfPresent(ObjectID.self, forKey: .id)
    self.base = base?.filter { !unreadable.contains($0.property) }
    self.mine = mine.filter { !unreadable.contains($0.property) }
    typed = (try? container.decodeIfPresent([DraftRecord.Text].self, forKey: .typed)) ?? []
  }

  func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(ClassName(type), forKey: .type)
    try container.encodeIfPresent(id, forKey: .id)
    func encode(_ values: [DraftRecord.Value], forKey key: CodingKeys) throws {
      var values = values[...]
      var container = container.nestedContainer(keyedBy: NameKey.self, forKey: key)
      while let value = values.popFirst() {
        try container.encode(value.value, forKey: NameKey(stringValue: value.property))
      }
    }
    if let base { try encode(base, forKey: .base) }
    if !mine.isEmpty { try encode(mine, forKey: .mine) }
    if !typed.isEmpty { try container.encode(typed, forKey: .typed) }
  }
}

extension Property {
  /// The type that represents the property's values in the record of a draft.
  fileprivate var draftCarrier: (any FieldValue.Type)? {
    switch role {
    case .link: DraftRecord.Reference?.self
    case .links: [DraftRecord.Reference].self
    case .field, .primaryKey, .indexed, .inverse: carrier
    }
  }
}

extension Schema {
  /// Decodes the values that can be read, also under the properties' old names.
  fileprivate func decodeDraftValues(
    from container: KeyedDecodingContainer<NameKey>, _ unreadable: inout Set<String>
  ) -> [DraftRecord.Value] {
    let names = encodedNames(among: Set(container.allKeys.map(\.stringValue)))
    var values: [DraftRecord.Value] = []
    for property in carried {
      guard let carrier = property.draftCarrier, let name = names[property.name] else { continue }
      func open<Value: FieldValue>(_ type: Value.Type) throws -> any FieldValue {
        try container.decode(type, forKey: NameKey(stringValue: name))
      }
      if let value = try? open(carrier) {
        values.append(DraftRecord.Value(property: property.name, value: value))
      } else {
        unreadable.insert(property.name)
      }
    }
    return values
  }
}
