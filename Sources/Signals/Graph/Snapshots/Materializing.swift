// Objects made of rows: unstored ones, where somebody reads a snapshot.

extension Snapshot {
  /// New, unstored objects of a class and its subclasses, in the order in which they were added.
  ///
  /// They are made where you call this, with all that they lead to: links and lists lead to each other as
  /// in the graph, one instance for each object of this call. They have the ids of the stored objects;
  /// an ``Inverse`` is empty, as for every unstored object.
  ///
  /// Objects that link to each other in a ring keep each other alive, as unstored objects do: read those
  /// within ``withObjects(_:)``, or in a store of their own. O(objects made), and O(n log n) for the order.
  public func objects<Element: Object>(_ type: Element.Type) -> [Element] {
    let reading = SnapshotObjects(core)
    return reading.objects(type)
  }

  /// A new, unstored object with an id, with all that it leads to; see ``objects(_:)``.
  ///
  /// The first such call of a snapshot is O(objects), and keeps an index with it.
  public func object(_ id: ObjectID) -> Object? { SnapshotObjects(core).object(id) }

  /// A new, unstored object of a class with a primary key, with all that it leads to; see ``objects(_:)``.
  ///
  /// The first such call for a class is O(its objects), and keeps an index with the snapshot.
  /// Traps if the class has no primary key.
  public func object<Element: Object, Key: FieldValue & Hashable>(
    _ type: Element.Type, primaryKey: Key
  ) -> Element? {
    SnapshotObjects(core).object(type, primaryKey: primaryKey)
  }

  /// Reads objects which are one instance each for all of `body`, and taken apart when it ends.
  ///
  /// Links of the objects read as nil then, and lists as empty, so that rings of them are released.
  public func withObjects<Result>(_ body: (SnapshotObjects) throws -> Result) rethrows -> Result {
    let objects = SnapshotObjects(core)
    defer { objects.takeApart() }
    return try body(objects)
  }
}

/// The objects of a snapshot, as they are read within ``Snapshot/withObjects(_:)``.
///
/// An object is made when it is asked for, or reached from one that is: always the same one.
public final class SnapshotObjects {
  private let core: SnapshotCore
  private var made: [SnapshotPlace: Object] = [:]
  /// Those whose values are still missing.
  private var waiting: [SnapshotPlace] = []

  init(_ core: SnapshotCore) { self.core = core }

  /// The objects of a class and its subclasses, in the order in which they were added.
  public func objects<Element: Object>(_ type: Element.Type) -> [Element] {
    let places = core.rowsInOrder(of: type)
    return places.compactMap { place in make(place) as? Element }
  }

  /// The object with an id.
  public func object(_ id: ObjectID) -> Object? { core.place(of: id).flatMap(make) }

  /// The object of a class with a primary key.
  ///
  /// Traps if the class has no primary key.
  public func object<Element: Object, Key: FieldValue & Hashable>(
    _ type: Element.Type, primaryKey: Key
  ) -> Element? {
    let shape = SnapshotShape.of(type)
    guard let property = shape.schema.primaryKey else { trap("\(shape.name) has no primary key") }
    guard property.type == PrimaryKey<Key>.self else {
      trap("the primary key of \(shape.name) is not of type \(Key.self)")
    }
    return core.place(of: AnyHashable(primaryKey), in: type).flatMap(make) as? Element
  }

  /// The object of a row, with all that it leads to; iterative.
  private func make(_ place: SnapshotPlace) -> Object? {
    let object = instance(place)
    while let next = waiting.popLast() {
      guard let row = core.row(next), let object = made[next] else { continue }
      row.fill(object) { instance($0) }
    }
    return object
  }

  private func instance(_ place: SnapshotPlace) -> Object? {
    if let present = made[place] { return present }
    guard let row = core.row(place) else { return nil }
    let object = row.shape.type.init()
    object.give(row.id)
    made[place] = object
    waiting.append(place)
    return object
  }

  fileprivate func takeApart() {
    for object in made.values where unsafe object.extent == nil { object.releaseLinks() }
    made = [:]
  }
}

extension SnapshotRow {
  /// Gives an unstored object the values of the row, with others in the place of linked objects.
  func fill(_ object: Object, _ find: (SnapshotPlace) -> Object?) {
    for column in shape.columns {
      let storage = unsafe object.storage(at: column.property.offset)
      switch column {
      case let column as LinkColumn:
        let place = target(column)
        let target = place == .none ? nil : find(place)
        unsafe storage.assumingMemoryBound(to: Object?.self).pointee = target
        if target != nil { unsafe object.holdsLinks = true }
      case let column as ListColumn:
        let members = members(column)
        let list = members.isEmpty ? Tree<Object>() : Tree(members.lazy.compactMap(find))
        unsafe storage.assumingMemoryBound(to: Tree<Object>.self).pointee = list
        if !members.isEmpty { unsafe object.holdsLinks = true }
      default: unsafe column.put(value(column), into: object)
      }
    }
  }
}
