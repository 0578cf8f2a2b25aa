// The encoded form of property values: a keyed container of names and values, typed by the class.

/// A coding key for the name of a property, or for any other name.
struct NameKey: CodingKey, Hashable {
  let stringValue: String
  var intValue: Int? { nil }

  init(stringValue: String) { self.stringValue = stringValue }
  init?(intValue: Int) { nil }
}

extension Schema {
  /// The properties that have encoded values.
  package var encodedProperties: [Property] { properties.filter(\.isEncoded) }

  /// Returns the property with a name, if it has an encoded value.
  func carriedProperty(named name: String) -> Property? {
    properties.first { $0.name == name && $0.isEncoded }
  }

  /// Encodes values under the names of their properties.
  ///
  /// - Parameters:
  ///   - values: The values.
  ///   - encoder: The encoder.
  ///   - subject: Returns the description of a property and its object, for errors.
  /// - Throws: An `EncodingError` that names the property and its object.
  static func encode(
    _ values: some Sequence<(name: String, value: any FieldValue)>, to encoder: any Encoder,
    of subject: (String) -> StoreError.Subject
  ) throws {
    var container = encoder.container(keyedBy: NameKey.self)
    for (name, value) in values {
      let key = NameKey(stringValue: name)
      do { try container.encode(value, forKey: key) } catch {
        throw EncodingError(error, value, of: subject(name), at: container.codingPath + [key])
      }
    }
  }

  /// Decodes the values that are present, also under the former names of their properties.
  ///
  /// - Parameters:
  ///   - decoder: The decoder.
  ///   - skip: Called with the name of each property whose value can't be decoded. If it is nil,
  ///     that is an error, and so is a name that no property has.
  /// - Returns: The values, in the order of the properties.
  /// - Throws: A ``GraphDecodingError``.
  func decodeValues(
    from decoder: any Decoder, skip: ((String) -> Void)? = nil
  ) throws -> [(property: Property, value: any FieldValue)] {
    let container: KeyedDecodingContainer<NameKey>
    do { container = try decoder.container(keyedBy: NameKey.self) } catch {
      throw GraphDecodingError(error, className: name, decoder.codingPath)
    }
    let keys = container.allKeys
    let names = encodedNames(among: Set(keys.map(\.stringValue)))
    if names.count < keys.count, skip == nil {
      let read = Set(names.values)
      for key in keys where !read.contains(key.stringValue) {
        throw GraphDecodingError(
          className: name, property: key.stringValue, codingPath: container.codingPath + [key],
          reason: .unknownProperty)
      }
    }
    return try properties.compactMap { property in
      guard let encodedType = property.encodedType, let name = names[property.name] else {
        return nil
      }
      let key = NameKey(stringValue: name)
      func open<Value: FieldValue>(_ type: Value.Type) throws -> any FieldValue {
        try container.decode(type, forKey: key)
      }
      do { return (property, try open(encodedType)) } catch {
        if let skip {
          skip(property.name)
          return nil
        }
        throw GraphDecodingError(
          error, className: self.name, property: property.name, container.codingPath + [key])
      }
    }
  }
}

extension EncodingError {
  /// Creates the error of a value that an encoder, or the value itself, has refused.
  init(
    _ error: any Error, _ value: any FieldValue, of subject: StoreError.Subject,
    at path: [any CodingKey]
  ) {
    var reason = "\(error)"
    if case EncodingError.invalidValue(_, let context)? = error as? EncodingError {
      reason = context.debugDescription
    }
    self = .invalidValue(
      value,
      Context(
        codingPath: path, debugDescription: "\(subject) can't be encoded: \(reason)",
        underlyingError: error))
  }
}
