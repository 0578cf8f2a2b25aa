public import Signals

/// A step that converts the objects of a file to the app's present classes.
///
/// Use a migration for changes that decoding can't make: a property that is no longer optional, a
/// link that has become a list, or another primary key. A step runs once for each file of an older
/// version, after all objects are created and before they are added to the store:
///
/// - A property has the value of the file if that can be read as the property's present type, under
///   its present name or a former one. Otherwise it has its initial value.
/// - ``old(_:)`` returns all values of the file by name.
/// - Objects can be changed like any object that isn't in a store. Objects to which they refer are
///   added to the store with them.
/// - If a step throws, or the objects violate a rule of the store at the end, opening throws, and
///   the file isn't changed.
public final class Migration {
  private let filling: ContentsFilling
  private lazy var entities = Dictionary(
    filling.order.compactMap { entity in
      filling.object(entity).map { (ObjectIdentifier($0), entity) }
    }, uniquingKeysWith: { first, _ in first })
  /// The objects that the step has added.
  private(set) var added: [Object] = []
  /// The objects that the step has removed.
  private(set) var removed: Set<Object> = []

  init(_ filling: ContentsFilling) { self.filling = filling }

  /// Returns the objects of a class and its subclasses, in the order in which they were added.
  ///
  /// - Parameter type: The class.
  /// - Returns: The objects of the file, and the objects that earlier steps have added.
  /// - Complexity: O(objects of the file).
  public func objects<Target: Object>(_ type: Target.Type) -> [Target] {
    filling.filling.objects.compactMap { $0 as? Target }
  }

  /// Returns the file's values of an object.
  ///
  /// - Parameter object: An object of ``objects(_:)``.
  /// - Returns: The old values, or `nil` for an object that isn't in the file.
  public func old(_ object: Object) -> OldObject? {
    entities[ObjectIdentifier(object)].map { OldObject($0, in: filling) }
  }

  /// Returns the file's objects of a class, even if the app lacks the class.
  ///
  /// - Parameter className: The name of the class, as in the source and without its module.
  /// - Returns: The objects, in the order in which they were added.
  /// - Complexity: O(objects of the file).
  public func oldObjects(_ className: String) -> [OldObject] {
    filling.order.map { OldObject($0, in: filling) }.filter { $0.className == className }
  }

  /// Adds an object.
  ///
  /// - Parameter object: An object that isn't in a store.
  public func add(_ object: Object) { added.append(object) }

  /// Removes an object and its parts.
  ///
  /// Links to the removed objects are cleared.
  ///
  /// - Parameter object: An object of ``objects(_:)``.
  public func remove(_ object: Object) { removed.insert(object) }
}

/// An object of a file with its encoded values, which can be read by name.
public struct OldObject {
  private let filling: ContentsFilling
  private let entity: Entity

  init(_ entity: Entity, in filling: ContentsFilling) {
    (self.entity, self.filling) = (entity, filling)
  }

  private var row: FileContents.Row { filling.contents.rows[Int(entity)] }
  private var stored: FileClass { filling.contents.classes[Int(row.classNumber)] }

  /// The id of the object.
  public var id: ObjectID { filling.contents.entities.ids[Int(entity)] }

  /// The name of the class in the file.
  public var className: String { stored.className.name }

  /// The names of the properties in the file.
  public var properties: [String] { stored.properties.map(\.name) }

  /// The object that was created from this one, or `nil` if none was.
  public var object: Object? { filling.object(entity) }

  /// Returns the value of a field.
  ///
  /// - Parameters:
  ///   - name: The name of the property in the file.
  ///   - type: The type of the value in the file.
  /// - Returns: The value, or `nil` if it couldn't be encoded when it was written.
  /// - Throws: `GraphDecodingError` if the class has no such field in the file, or the value has
  ///   another type.
  public func value<Value: Decodable>(
    _ name: String, as type: Value.Type = Value.self
  ) throws -> Value? {
    guard case .value(let bytes) = try read(name, as: .value), bytes != [FileContents.initialValue]
    else { return nil }
    var reader = ByteReader(bytes)
    do throws(ValueCodingError) {
      return try ValueCoding.decode(type, from: &reader)
    } catch {
      throw GraphDecodingError(
        className: className, property: name, reason: .malformed("\(error)"))
    }
  }

  /// Returns the objects to which a link or list refers, in order.
  ///
  /// - Parameter name: The name of the property in the file.
  /// - Returns: The objects. For a link, at most one.
  /// - Throws: `GraphDecodingError` if the class has no such link or list in the file.
  public func targets(_ name: String) throws -> [OldObject] {
    let kind = stored.properties.first { $0.name == name }?.kind
    let ids = try read(name, as: kind == .list ? .list : .link).targets
    return ids.compactMap { id in
      guard let target = filling.contents.entities.find(id),
        filling.contents.rows[Int(target)].classNumber >= 0
      else { return nil }
      return OldObject(target, in: filling)
    }
  }

  private func read(_ name: String, as kind: FileClass.Kind) throws -> CarriedValue {
    let properties = stored.properties
    guard let number = properties.firstIndex(where: { $0.name == name && $0.kind == kind }) else {
      throw GraphDecodingError(
        className: className, property: name, reason: .unknownProperty)
    }
    var place = FileValueReader(in: filling.contents)
    place.move(to: entity, row)
    for property in properties[..<number] { try place.skip(property.kind) }
    return try place.carriedValue(number, kind)
  }
}
