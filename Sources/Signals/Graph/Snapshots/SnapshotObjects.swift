// Creating unstored objects from the rows of a snapshot, to read it.

extension Snapshot {
  /// Creates unstored objects of a class and its subclasses, in the order in which they were added.
  ///
  /// The objects are created in the caller's isolation domain, with all objects that they link to.
  /// Links and lists refer to the same objects as in the store, one instance per object and call.
  /// The objects have the ids of the stored objects. An ``Inverse`` is empty, as for every unstored
  /// object.
  ///
  /// Unstored objects whose links form a cycle keep each other alive. Read such objects within
  /// ``withObjects(_:)``, or in a store made from the snapshot.
  ///
  /// - Parameter type: The class of the objects.
  /// - Returns: The objects.
  /// - Complexity: O(n) for n created objects, and O(m log m) for the order of the m objects of the
  ///   class.
  public func objects<Element: Object>(_ type: Element.Type) -> [Element] {
    let reading = SnapshotObjects(core)
    return reading.objects(type)
  }

  /// Creates an unstored object with an id, with all objects that it links to; the rules of
  /// ``objects(_:)`` apply.
  ///
  /// - Parameter id: The id of the object.
  /// - Returns: The object, or nil if the snapshot has none with the id.
  /// - Complexity: O(created objects). The first call on a snapshot also builds an index in
  ///   O(objects), which the snapshot keeps.
  public func object(_ id: ObjectID) -> Object? { SnapshotObjects(core).object(id) }

  /// Creates an unstored object of a class with a primary key, with all objects that it links to;
  /// the rules of ``objects(_:)`` apply.
  ///
  /// Traps if the class has no primary key.
  ///
  /// - Parameters:
  ///   - type: The class of the object, or a superclass of it.
  ///   - primaryKey: The primary key.
  /// - Returns: The object, or nil if the snapshot has none with the key.
  /// - Complexity: O(created objects). The first call for a class also builds an index in O(its
  ///   objects), which the snapshot keeps.
  public func object<Element: Object, Key: FieldValue & Hashable>(
    _ type: Element.Type, primaryKey: Key
  ) -> Element? {
    SnapshotObjects(core).object(type, primaryKey: primaryKey)
  }

  /// Reads objects that have one instance each for all of `body`, and whose links are cleared when
  /// it ends.
  ///
  /// After that, links of the objects read as nil and lists as empty, so that reference cycles are
  /// released.
  ///
  /// - Parameter body: The closure that reads the objects. They must not be used after it.
  /// - Returns: The result of `body`.
  /// - Throws: The error of `body`.
  public func withObjects<Result>(_ body: (SnapshotObjects) throws -> Result) rethrows -> Result {
    let objects = SnapshotObjects(core)
    defer { objects.takeApart() }
    return try body(objects)
  }
}

/// The objects of a snapshot, as read within ``Snapshot/withObjects(_:)``.
///
/// An object is created when it is first requested, or reached from a requested object. Later
/// requests return the same instance.
public final class SnapshotObjects {
  private let core: SnapshotCore
  private var made: [SnapshotLocation: Object] = [:]
  /// The created objects whose values aren't set yet.
  private var waiting: [SnapshotLocation] = []

  init(_ core: SnapshotCore) { self.core = core }

  /// Returns the objects of a class and its subclasses, in the order in which they were added.
  ///
  /// - Parameter type: The class of the objects.
  /// - Returns: The objects.
  public func objects<Element: Object>(_ type: Element.Type) -> [Element] {
    let locations = core.rowsInOrder(of: type)
    return locations.compactMap { location in make(location) as? Element }
  }

  /// Returns the object with the given id, or nil if the snapshot has none.
  ///
  /// - Parameter id: The id of the object.
  /// - Returns: The object, or nil if the snapshot has none with the id.
  public func object(_ id: ObjectID) -> Object? { core.location(of: id).flatMap(make) }

  /// Returns the object of a class with the given primary key, or nil if the snapshot has none.
  ///
  /// Traps if the class has no primary key.
  ///
  /// - Parameters:
  ///   - type: The class of the object, or a superclass of it.
  ///   - primaryKey: The primary key.
  /// - Returns: The object, or nil if the snapshot has none with the key.
  public func object<Element: Object, Key: FieldValue & Hashable>(
    _ type: Element.Type, primaryKey: Key
  ) -> Element? {
    let shape = SnapshotShape.of(type)
    guard let property = shape.schema.primaryKey else { trap("\(shape.name) has no primary key") }
    guard property.type == PrimaryKey<Key>.self else {
      trap("the primary key of \(shape.name) is not of type \(Key.self)")
    }
    return core.location(of: AnyHashable(primaryKey), in: type).flatMap(make) as? Element
  }

  /// The object of a row, with all objects that it links to; iterative.
  private func make(_ location: SnapshotLocation) -> Object? {
    let object = instance(location)
    while let next = waiting.popLast() {
      guard let row = core.row(next), let object = made[next] else { continue }
      row.fill(object) { instance($0) }
    }
    return object
  }

  private func instance(_ location: SnapshotLocation) -> Object? {
    if let present = made[location] { return present }
    guard let row = core.row(location) else { return nil }
    let object = row.shape.type.init()
    object.give(row.id)
    made[location] = object
    waiting.append(location)
    return object
  }

  fileprivate func takeApart() {
    for object in made.values where object.table == nil { object.releaseLinks() }
    made = [:]
  }
}

extension SnapshotRow {
  /// Sets the properties of an unstored object to the values of the row.
  ///
  /// `find` returns the linked objects.
  func fill(_ object: Object, find: (SnapshotLocation) -> Object?) {
    for column in shape.columns {
      switch column {
      case let column as LinkColumn:
        let location = target(column)
        let target = location == .none ? nil : find(location)
        column.property.setReferences(.link(target), in: object)
        if target != nil { object.holdsLinks = true }
      case let column as ListColumn:
        let members = members(column)
        let list = members.isEmpty ? Tree<Object>() : Tree(members.lazy.compactMap(find))
        column.property.setReferences(.list(list), in: object)
        if !members.isEmpty { object.holdsLinks = true }
      default: column.put(value(column), into: object)
      }
    }
  }
}
