/// An object that another store has inserted, made with the values of its fields before it is stored.
///
/// It does without the value of each field in a change set. Its links and lists are set when all objects have
/// arrived.
package struct ArrivingObject {
  /// The object, which no store has.
  package let object: Object
  private(set) var links: [(Property, any FieldValue)] = []

  /// Makes an object whose fields have their initial values, and which has no links.
  ///
  /// - Parameters:
  ///   - schema: The class.
  ///   - id: The id, which no stored object has.
  package init(_ schema: Schema, id: ObjectID) {
    object = schema.type.init()
    object.give(id)
    // Its `init()` may have set links.
    for property in schema.linking {
      property.put(property.emptyValue(in: object), into: object)
    }
  }

  /// Sets a link or list to the ids of its targets.
  package mutating func setLink(_ property: Property, to targets: any FieldValue) {
    links.append((property, targets))
  }

  /// The insertion of the object.
  var change: ObjectChange {
    var properties: [ObjectChange.Property] = object.schema.properties.compactMap { property in
      guard property.isEncoded, property.role != .link, property.role != .links else { return nil }
      let value = property.encodedValue(of: property.value(in: object))
      return ObjectChange.Property(name: property.name, old: nil, new: value)
    }
    for property in object.schema.linking where property.isEncoded {
      let targets = links.first { $0.0.offset == property.offset }?.1
      let value = targets ?? property.encodedValue(of: property.emptyValue(in: object))
      properties.append(ObjectChange.Property(name: property.name, old: nil, new: value))
    }
    return ObjectChange(
      id: object.objectID, kind: .inserted, properties: properties, type: type(of: object))
  }
}
